"""Insight: how often the person confirmed a line, and when an import's events came in.

Nothing of releases up to 0.9 wrote a REINFORCED event by the person's hand. An import's events keep the times
of the ledger they are from; `arrival` tells from when on this ledger knew them, which `trend` has to know of
a past day. Without a row (events of its own, imports of before) an event's own time counts.
"""

SQL = """
alter table standing add column confirmed integer not null default 0;

create table arrival (
    last_seq integer primary key,
    first_seq integer not null,
    at_ms integer not null
);
"""
