"""Which lines of the ledger each memory became; noted before they are written, and done once it is gone here.

A memory's lines stand in the order of their *position*. No text: *mark* is a hash of the memory's id and
content, by which the same one is known when stored again.
"""

SQL = """
create table moved (
    memory_id text not null,
    line_id text not null,
    position integer not null,
    version integer not null,
    mark text not null,
    is_done integer not null,
    primary key (memory_id, line_id)
) without rowid;
create index moved_by_line on moved (line_id);
create index moved_not_done on moved (memory_id) where is_done = 0;
"""
