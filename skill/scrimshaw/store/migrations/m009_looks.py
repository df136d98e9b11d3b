"""What the last look of each day found beside the lines, which no event tells: `trend health` needs it."""

SQL = """
create table look (
    local_date text primary key,
    dry_sources integer not null,
    units_over integer not null,
    waiting integer not null,
    unshown integer not null
);
"""
