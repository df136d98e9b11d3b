-- Meanings: a vector for each line, of the one small English model that comes with Scrimshaw. Needs pgvector;
-- where it cannot be installed this step is left out, and search goes by words alone.

create extension if not exists vector;
set local role scrimshaw_owner;

create table scrimshaw.vector (
    agent integer not null references scrimshaw.agent (number),
    id text not null,
    embedding halfvec(384) not null,
    primary key (agent, id)
);
create index vector_near on scrimshaw.vector using hnsw (embedding halfvec_cosine_ops);
alter table scrimshaw.vector enable row level security;
alter table scrimshaw.vector force row level security;
create policy seen on scrimshaw.vector for select
    using (agent = any ((select scrimshaw.visible())::integer[]));
create policy added on scrimshaw.vector for insert
    with check (agent = any ((select scrimshaw.own())::integer[]));
create policy taken on scrimshaw.vector for delete
    using (agent = any ((select scrimshaw.own())::integer[]));
grant select, insert, delete on scrimshaw.vector to scrimshaw_app;
do $$
begin
    if current_setting('server_version_num')::integer >= 170000 then
        grant maintain on scrimshaw.vector to scrimshaw_app;
    end if;
end $$;

insert into scrimshaw.migration (number, name) values (2, 'vectors');
