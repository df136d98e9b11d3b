"""A version of each memory, which grows with each change, and the order in which they are listed."""

SQL = """
alter table memory add column version integer not null default 1;
create index memory_by_creation on memory (created_at_ms);
"""
