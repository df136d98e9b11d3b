"""Conversations that programs store: messages, how far they are observed, and logs of observations.

A log belongs to a thread or to a resource. Its text is the newest version that replaces everything before it,
plus the pieces appended since; version numbers are never reused.
"""

SQL = """
create table conversation (
    number integer primary key,
    thread_id text not null unique,
    resource_id text not null,
    lock_version integer not null default 0,
    observed_cursor_message_id text not null default '',
    observed_position integer not null default 0,
    last_position integer not null default 0,
    unobserved_token_count integer not null default 0,
    last_observer_run_ms integer,
    newest_at_ms integer not null default 0,
    is_asked integer not null default 0
);
create index conversation_by_resource on conversation (resource_id);
create table message (
    conversation integer not null references conversation (number),
    position integer not null,
    id text not null,
    role text not null,
    content text not null,
    said_at_ms integer not null,
    token_count integer not null,
    primary key (conversation, position),
    unique (conversation, id)
) without rowid;
create table observation_log (
    number integer primary key,
    scope text not null,
    owner text not null,
    version integer not null default 0,
    observation_count integer not null default 0,
    observation_token_count integer not null default 0,
    last_reflector_run_ms integer,
    unique (scope, owner)
);
create table log_version (
    log integer not null references observation_log (number),
    version integer not null,
    author text not null,
    replaces integer,
    text text not null,
    day text not null,
    token_count integer not null,
    created_at_ms integer not null,
    run_id text not null,
    primary key (log, version)
) without rowid;
create table logged (
    log integer not null references observation_log (number),
    observation_id text not null,
    version integer not null,
    primary key (log, observation_id)
) without rowid;
create table usage (
    local_date text not null,
    model text not null,
    calls integer not null,
    input_tokens integer not null,
    output_tokens integer not null,
    cache_creation_input_tokens integer not null,
    cache_read_input_tokens integer not null,
    primary key (local_date, model)
) without rowid;
"""
