"""Memories and knowledge, their words and vectors, and a row for each consolidation.

Times are UTC milliseconds. Knowledge is a memory with a category; in other memories its further columns are
null. A memory without *expires_at_ms* never expires; its importance falls from *stated_importance* and is
restored to it. *words* are the searchable words of a text; the table of words stores no text. A vector is
little-endian 4-byte floats. Numbers are never reused, because caches are keyed by them.
"""

SQL = """
create table memory (
    number integer primary key autoincrement,
    id text not null unique,
    owner_id text not null,
    agent text not null,
    type text not null,
    content text not null,
    metadata text not null,
    importance real not null,
    stated_importance real not null,
    access_count integer not null,
    pinned integer not null,
    embedding_status text not null,
    created_at_ms integer not null,
    updated_at_ms integer not null,
    last_accessed_at_ms integer not null,
    expires_at_ms integer,
    words text not null,
    category text,
    confidence real,
    source text,
    status text
);
create index memory_by_expiry on memory (expires_at_ms);
create index memory_by_category on memory (category) where category is not null;
create virtual table memory_words using fts5
    (words, content = 'memory', content_rowid = 'number', tokenize = 'unicode61');
create virtual table memory_vocabulary using fts5vocab (memory_words, row);
create table vector (
    number integer primary key autoincrement,
    id text not null,
    model text not null,
    dimensions integer not null,
    vector blob not null,
    unique (id, model, dimensions)
);
create table consolidation (
    number integer primary key,
    agent text not null,
    memories_processed integer not null,
    memories_archived integer not null,
    memories_deduped integer not null,
    memories_skipped integer not null,
    duration_ms integer not null,
    created_at_ms integer not null
);
create table meta (name text primary key, value text not null) without rowid;
"""
