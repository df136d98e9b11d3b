"""The first schema: what is true (append-only), what is derived from it, and what is only bookkeeping.

True: observation, event, covered, revision, rejection, tombstone. An observation is never changed and an
event never taken back; triggers see to it. The one exception is `forget`, which holds a row in *forgetting*
for the length of its transaction and blanks text under its shelter.
Derived: standing (the replay of an observation's events), tally.
Bookkeeping: session, cursor, run, outbox, request, spend, meta.

Plain tables and no RETURNING: SQLite 3.34 must read this (RHEL 9). Times are UTC epoch milliseconds.
"""

SQL = """
create table meta (key text primary key, value text not null) without rowid;

create table session (
    number integer primary key,
    session_id text not null unique,
    session_key text not null,
    kind text not null,
    agent_id text not null,
    covered integer not null default 0
);

create table covered (
    session_number integer not null references session (number),
    entry_hash integer not null,
    primary key (session_number, entry_hash)
) without rowid;

create table cursor (
    source_id text not null,
    session_id text not null,
    cursor text not null,
    position text not null,
    newest_at_ms integer not null,
    primary key (source_id, session_id)
) without rowid;

create table run (
    run_id text primary key,
    job text not null,
    trigger text not null,
    observer text not null,
    started_at_ms integer not null,
    finished_at_ms integer,
    outcome text not null default '',
    error text not null default '',
    windows integer not null default 0,
    entries integer not null default 0,
    proposals integer not null default 0,
    accepted integer not null default 0,
    rejected integer not null default 0,
    redacted text not null default '{}',
    tokens_in integer not null default 0,
    tokens_out integer not null default 0,
    cost_microdollars integer not null default 0
);
create index run_by_job on run (job, started_at_ms);

create table observation (
    number integer primary key,
    id text not null unique,
    text text not null,
    kind text not null,
    priority integer not null check (priority between 1 and 5),
    place text not null,
    done integer not null,
    author text not null,
    session_id text not null,
    sources text not null,
    speaker text not null,
    said_at_ms integer not null,
    local_date text not null,
    local_time text not null,
    zone text not null,
    refers_start text,
    refers_end text,
    refers_time text,
    refers_phrase text,
    refers_certain integer,
    claim_subject text,
    claim_predicate text,
    claim_object text,
    confidence real not null,
    salience real not null,
    run_id text not null,
    tokens integer not null,
    level integer not null,
    supports text not null,
    pattern text not null,
    task_state text not null
);
create index observation_by_claim on observation (claim_subject, claim_predicate)
    where claim_subject is not null;
create index observation_by_session on observation (session_id);
create index observation_by_date on observation (local_date);

create table event (
    seq integer primary key autoincrement,
    type text not null,
    observation_id text references observation (id),  -- null: the whole section
    at_ms integer not null,
    by text not null,
    other_id text not null,
    reason text not null
);
create index event_by_observation on event (observation_id, seq);

create table standing (
    observation_id text primary key references observation (id),
    place text not null,
    closed text,
    closed_by text not null,
    closed_at_ms integer not null,
    is_shown integer not null,
    is_set_aside integer not null,
    is_pinned integer not null,
    is_expired integer not null,
    reinforced integer not null,
    recalled integer not null,
    is_source_gone integer not null
) without rowid;
create index standing_live on standing (is_shown) where closed is null;

create table tombstone (
    number integer primary key,
    observation_id text not null,
    at_ms integer not null,
    text_hash blob not null,  -- keyed: after a forget nobody can test a guess without the ledger's key
    claim_subject text,
    claim_predicate text,
    claim_object text,
    lifted_at_ms integer
);
create index tombstone_by_text on tombstone (text_hash);
create index tombstone_by_claim on tombstone (claim_subject, claim_predicate, claim_object)
    where claim_subject is not null;

create table tombstone_entry (
    session_id text not null,
    entry_id text not null,
    tombstone_number integer not null references tombstone (number),
    primary key (session_id, entry_id, tombstone_number)
) without rowid;

create table revision (
    number integer primary key autoincrement,
    at_ms integer not null,
    run_id text not null,
    reason text not null,
    place text not null,
    body text not null,
    budget_chars integer not null,
    event_seq integer not null,
    line_ids text not null,
    sha256 text not null,
    state text not null
);
create index revision_by_time on revision (at_ms);

create table rejection (
    number integer primary key,
    key blob not null unique,
    at_ms integer not null,
    run_id text not null,
    session_id text not null,
    proposal text not null,
    reason text not null,
    detail text not null,
    state text not null default 'open',
    state_at_ms integer
);
create index rejection_by_state on rejection (state, reason);

create table outbox (
    number integer primary key autoincrement,
    target text not null,
    act text not null,
    observation_id text not null references observation (id),
    marked_on text not null,
    done_at_ms integer
);
create index outbox_pending on outbox (target, number) where done_at_ms is null;

create table request (
    number integer primary key autoincrement,
    kind text not null,
    at_ms integer not null,
    by text not null,
    detail text not null,
    done_at_ms integer,
    outcome text not null default ''
);
create index request_pending on request (number) where done_at_ms is null;

create table spend (
    number integer primary key,
    at_ms integer not null,
    run_id text not null,
    model text not null,
    tokens_in integer not null,
    tokens_out integer not null,
    cost_microdollars integer not null
);
create index spend_by_time on spend (at_ms);

create table tally (name text primary key, count integer not null) without rowid;

create table forgetting (since_ms integer not null);

create trigger observation_stays before update on observation
when not exists (select 1 from forgetting)
begin select raise(abort, 'an observation is never changed'); end;

create trigger observation_is_kept before delete on observation
begin select raise(abort, 'an observation is never deleted'); end;

create trigger event_stays before update on event
when not exists (select 1 from forgetting)
begin select raise(abort, 'an event is never changed'); end;

create trigger event_is_kept before delete on event
begin select raise(abort, 'an event is never deleted'); end;

create trigger revision_stays
before update of number, at_ms, run_id, reason, place, body, budget_chars, event_seq, line_ids, sha256
on revision when not exists (select 1 from forgetting)
begin select raise(abort, 'a revision is never changed'); end;

create trigger revision_is_kept before delete on revision
begin select raise(abort, 'a revision is never deleted'); end;

create trigger covered_stays before update on covered
begin select raise(abort, 'coverage is never changed'); end;

create trigger covered_is_kept before delete on covered
begin select raise(abort, 'coverage is never taken back'); end;
"""
