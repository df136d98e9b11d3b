"""Models: what a run was told (prompt), what each call costs, and proposals that wait for a person.

`spend` had no writer before; it is made anew with a state. A call is *reserved* in its own transaction before
it is made, with the most it can cost, and *settled* with what the provider says it did; one that was killed
in between stays reserved, and counts. A price that is not known is null, never 0.
"""

SQL = """
alter table run add column prompt text not null default '';  -- sha256 of the prompt's file and instruction

drop table spend;
create table spend (
    number integer primary key,
    at_ms integer not null,
    local_date text not null,  -- the owner's day that it counts for, YYYY-MM-DD
    run_id text not null,
    job text not null,
    model text not null,
    state text not null,  -- reserved | settled
    tokens_in integer not null,
    tokens_out integer not null,
    is_estimated integer not null,
    cost_microdollars integer,  -- null: the price is not known
    outcome text not null default ''  -- answer, or the trouble's name
);
create index spend_by_day on spend (local_date);

alter table rejection add column author text not null default 'rules';
alter table rejection add column said_at_ms integer not null default 0;
alter table rejection add column zone text not null default '';
"""
