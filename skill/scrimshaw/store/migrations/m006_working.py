"""Working state: what person and agent were in the middle of at the end of a window, as a model told it.

Not part of what is true: no event, no line, in no archive. Of a window that ended with nothing to go on with
the row is empty, so that an older one is not taken for today's.
"""

SQL = """
create table working (
    session_id text not null,
    said_at_ms integer not null,
    run_id text not null,
    task text not null,
    next text not null,
    primary key (session_id, said_at_ms)
) without rowid;
create index working_by_time on working (said_at_ms);
"""
