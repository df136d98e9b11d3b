"""Counts that are kept while things happen, so that looking at them costs nothing however long the ledger is.

Names: "lines:LEVEL:AUTHOR" and "line_tokens:LEVEL:AUTHOR", "event:TYPE", "rejection:REASON", "runs:JOB",
"run_ms:JOB", "failed:JOB", "calls:JOB", "cost_microdollars:JOB". They begin with this migration, and only
grow: what is there now is in the tables themselves.
"""


def _count(name: str, much: str = "1") -> str:
    return (
        f"insert into tally (name, count) values ({name}, {much}) "
        "on conflict (name) do update set count = count + excluded.count;"
    )


SQL = f"""
create trigger observation_is_tallied after insert on observation
begin
    {_count("'lines:' || new.level || ':' || new.author")}
    {_count("'line_tokens:' || new.level || ':' || new.author", "new.tokens")}
end;

create trigger event_is_tallied after insert on event
begin
    {_count("'event:' || new.type")}
end;

create trigger rejection_is_tallied after insert on rejection
begin
    {_count("'rejection:' || new.reason")}
end;

create trigger run_is_tallied after update of finished_at_ms on run
when old.finished_at_ms is null and new.finished_at_ms is not null
begin
    {_count("'runs:' || new.job")}
    {_count("'run_ms:' || new.job", "max(0, new.finished_at_ms - new.started_at_ms)")}
    {_count("'failed:' || new.job", "new.error != ''")}
end;

create trigger call_is_tallied after update of state on spend
when old.state = 'reserved' and new.state = 'settled'
begin
    {_count("'calls:' || new.job")}
    {_count("'cost_microdollars:' || new.job", "coalesce(new.cost_microdollars, 0)")}
end;
"""
