-- Searching. PostgreSQL uses no index of words below row-level security (its comparison might leak), so the
-- functions that search are of a role that sees every row, and look at the rows of readable() alone: those that
-- whoever has logged in may see. They answer with ids; the words are read as the login itself.

set local search_path = pg_catalog, pg_temp;
do $$
begin
    if not exists (select from pg_roles where rolname = 'scrimshaw_search') then
        create role scrimshaw_search nologin;
    end if;
    if not (select rolsuper from pg_roles where rolname = current_user) then
        execute format('grant scrimshaw_search to %I', current_user);
    end if;
end $$;
set local role scrimshaw_owner;
grant usage, create on schema scrimshaw to scrimshaw_search;
grant select on scrimshaw.agent, scrimshaw.words to scrimshaw_search;
create policy searched on scrimshaw.agent for select to scrimshaw_search using (true);
create policy searched on scrimshaw.words for select to scrimshaw_search using (true);
reset role;
set local role scrimshaw_search;

create function scrimshaw.readable(wanted text[]) returns integer[] language sql stable security definer
    set search_path = pg_catalog, pg_temp
    as $$
        select coalesce(array_agg(number), '{}') from scrimshaw.agent
        where (wanted is null or name = any (wanted))
            and (pg_has_role(session_user, role, 'member') or pg_has_role(session_user, team_role, 'member')
                 or pg_has_role(session_user, 'scrimshaw_operator', 'member'))
    $$;

-- The lines that hold most of what the words weigh, each word by how rare it is among the lines that may be seen.
-- Of each word so many lines are looked at, in the order in which they lie; where there are more, how far apart they
-- lie tells how many. A line that holds one such word alone is as good as any other of them; those that hold two are
-- asked for by the rarest. Of a word that is nearly everywhere the index itself draws some by lot.
create function scrimshaw.said(words text[], configs text[], wanted text[], most bigint)
returns table (agent integer, id text, score double precision) language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
    set gin_fuzzy_search_limit = 20000
    as $$
    #variable_conflict use_column
    declare
        enough constant integer := 150;
        seen constant integer[] := scrimshaw.readable(wanted);
        total constant double precision := (
            select greatest(reltuples, 1000) from pg_class where oid = 'scrimshaw.words'::regclass);
        pages constant double precision := (
            select pg_relation_size('scrimshaw.words') / current_setting('block_size')::integer);
        -- Each line holds its agent as a word, so of few agents the index itself finds the rows. Who sends a line
        -- writes that word, so it is never believed; `+ 0` keeps the planner from any other index.
        is_all constant boolean := cardinality(seen) = (select count(*) from scrimshaw.agent);
        few constant tsquery := case when cardinality(seen) between 1 and 32 then (
            select string_agg(format('''@%s''', one), ' | ') from unnest(seen) one)::tsquery end;
    begin
        if cardinality(seen) = 0 then
            return;
        end if;
        return query
        with term as materialized (
            select n, t, case when few is null then t else few && t end as asked
            from (select n, (select string_agg(distinct nullif(plainto_tsquery(c::regconfig, w)::text, ''), ' | ')
                             from unnest(configs) c)::tsquery as t
                  from unnest(words) with ordinality u (w, n)) told
            where t is not null
        ), hit as materialized (
            select term.n, h.agent, h.id, h.block from term cross join lateral (
                select w.agent, w.id, (w.ctid::text::point)[0] as block from scrimshaw.words w
                where w.search @@ term.asked and (is_all or w.agent + 0 = any (seen))
                limit enough) h
        ), weight as materialized (
            select n, t, asked, lines, ln(1 + total / (1 + lines)) as share from term cross join lateral (
                select case when count(*) < enough then count(*)
                            else enough * greatest(1, pages / (1 + max(block))) end as lines
                from hit where hit.n = term.n) h
        ), rarest as materialized (
            select * from weight where lines >= enough order by lines limit 1
        ), pair as materialized (
            select rarest.n as one, other.n as two, h.agent, h.id
            from rarest join weight other on other.lines >= enough and other.n <> rarest.n cross join lateral (
                select w.agent, w.id from scrimshaw.words w
                where w.search @@ (rarest.asked && other.t)
                    and (is_all or w.agent + 0 = any (seen))
                limit enough) h
        ), candidate as materialized (
            select found.agent, found.id, sum(share) as held from (
                select n, agent, id from hit
                union select one, agent, id from pair
                union select two, agent, id from pair) found join weight using (n)
            group by found.agent, found.id order by held desc, found.id limit most
        )
        select c.agent, c.id, (sum(share) filter (where w.search @@ weight.t)
                               / (select sum(share) from weight))::double precision
        from candidate c join scrimshaw.words w on w.agent = c.agent and w.id = c.id cross join weight
        group by c.agent, c.id;
    end $$;
revoke execute on function scrimshaw.readable, scrimshaw.said from public;
grant execute on function scrimshaw.readable, scrimshaw.said to scrimshaw_app;
reset role;
set local role scrimshaw_owner;
revoke create on schema scrimshaw from scrimshaw_search;

insert into scrimshaw.migration (number, name) values (2, 'search');
