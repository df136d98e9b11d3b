"""Models: what a run was told (prompt), what each call costs, and proposals that wait for a person.

`spend` is made anew with the owner's day, the job and a state; it had no writer before, and rows that
somebody put there by hand are kept all the same. A call is *reserved* in its own transaction before it is
made, with the most it can cost, and *settled* with what the provider says it did; one that was killed in
between stays reserved, and counts. A price that is not known is null, never 0.
"""

SQL = """
alter table run add column prompt text not null default '';  -- sha256 of what the model was told to do
alter table run add column unpriced integer not null default 0;  -- calls that are not in cost_microdollars

drop index spend_by_time;
alter table spend rename to spend_of_first;
create table spend (
    number integer primary key,
    at_ms integer not null,
    local_date text not null,  -- the owner's day that it counts for, YYYY-MM-DD
    run_id text not null,
    job text not null,
    model text not null,
    state text not null check (state in ('reserved', 'settled')),
    tokens_in integer not null,
    tokens_out integer not null,
    is_estimated integer not null,
    cost_microdollars integer,  -- null: the price is not known
    outcome text not null default ''  -- answer, or the trouble's name
);
insert into spend
    select number, at_ms, date(at_ms / 1000, 'unixepoch'), run_id,
        coalesce((select job from run where run.run_id = spend_of_first.run_id), 'observe'), model,
        'settled', tokens_in, tokens_out, 0, cost_microdollars, 'answer'
    from spend_of_first;
drop table spend_of_first;
create index spend_by_day on spend (local_date);
create index spend_by_run on spend (run_id);

alter table rejection add column author text not null default 'rules';
alter table rejection add column said_at_ms integer not null default 0;
alter table rejection add column zone text not null default '';
"""
