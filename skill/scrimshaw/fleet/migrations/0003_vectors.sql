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
grant select on scrimshaw.vector to scrimshaw_search;
grant create on schema scrimshaw to scrimshaw_search;
create policy searched on scrimshaw.vector for select to scrimshaw_search using (true);
reset role;
set local role scrimshaw_search;

-- The lines nearest to a question, with their cosines: of few agents by a look at each, else through the graph.
create function scrimshaw.near(question text, wanted text[], most bigint)
returns table (agent integer, id text, cosine double precision) language plpgsql stable security definer as $$
    #variable_conflict use_column
    declare
        seen constant integer[] := scrimshaw.readable(wanted);
        asked constant halfvec(384) := question::halfvec(384);
    begin
        if cardinality(seen) <= 4 then
            return query
            with few as materialized (
                select v.agent, v.id, 1 - (v.embedding <=> asked) as cosine from scrimshaw.vector v
                where v.agent = any (seen)
            )
            select few.agent, few.id, few.cosine from few order by few.cosine desc limit most;
            return;
        end if;
        if cardinality(seen) = (select count(*) from scrimshaw.agent) then
            return query
            select v.agent, v.id, 1 - (v.embedding <=> asked) from scrimshaw.vector v
            order by v.embedding <=> asked limit most;
            return;
        end if;
        return query
        select v.agent, v.id, 1 - (v.embedding <=> asked) from scrimshaw.vector v
        where v.agent = any (seen) order by v.embedding <=> asked limit most;
    end $$;
do $$
begin
    execute pg_catalog.format('alter function scrimshaw.near set search_path = pg_catalog, %I, pg_temp',
        (select nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where extname = 'vector'));
end $$;
alter function scrimshaw.near set hnsw.ef_search = 100;
alter function scrimshaw.near set hnsw.iterative_scan = 'relaxed_order';
revoke execute on function scrimshaw.near from public;
grant execute on function scrimshaw.near to scrimshaw_app;
reset role;
set local role scrimshaw_owner;
revoke create on schema scrimshaw from scrimshaw_search;
do $$
begin
    if current_setting('server_version_num')::integer >= 170000 then
        grant maintain on scrimshaw.vector to scrimshaw_app;
    end if;
end $$;

insert into scrimshaw.migration (number, name) values (3, 'vectors');
