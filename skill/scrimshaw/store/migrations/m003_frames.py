"""Frames: which stretch of events is in which `.mv2` file, instead of an outbox item for each mark.

A stretch is *intended* before its file takes the place of the one before, and *done* afterwards; the file's
sha256 tells which of the two a killed run left. All of it can be made anew from the events.
"""

SQL = """
create table archive (
    file text primary key,  -- its name in memory/episodic
    sha256 text not null default '',  -- of the file that is in place; '' for none
    next_sha256 text not null default '',  -- of the one that is about to take its place
    size_bytes integer not null default 0,
    next_size_bytes integer not null default 0,
    at_ms integer not null
) without rowid;

create table frame (
    number integer primary key autoincrement,
    file text not null references archive (file),
    uri text not null,
    first_seq integer not null,
    last_seq integer not null,
    observations integer not null,
    weight_bytes integer not null,  -- of its text and its exact part
    sha256 text not null,  -- of its exact part
    state text not null check (state in ('intended', 'done')),
    at_ms integer not null
);
create index frame_by_file on frame (file, first_seq);
create index frame_by_end on frame (state, last_seq);

delete from outbox where target = 'mv2';
"""
