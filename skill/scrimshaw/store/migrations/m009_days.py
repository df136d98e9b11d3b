"""What no event tells of a past day, for `trend`: what its last look found, and how much was read.

`reading` counts tokens by the quarter of an hour since 1970 in which a run began: in every zone a day begins
with one.
"""

SQL = """
create table look (
    local_date text primary key,
    dry_sources integer not null,
    units_over integer not null,
    waiting integer not null,
    unshown integer not null
);

create table reading (
    quarter integer primary key,
    tokens integer not null
);
"""
