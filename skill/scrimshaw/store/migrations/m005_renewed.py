"""Renewed: when a line was last said again, searched for or pinned, because only since then it has aged.

What `core/ledger/lifecycle` makes of the events of releases up to 0.6: they are all of the time at which they
were noted. An undo has set a line back to a standing that knew of none.
"""

SQL = """
alter table standing add column renewed_at_ms integer not null default 0;
update standing set renewed_at_ms = coalesce((
    select max(e.at_ms) from event e
    where e.observation_id = standing.observation_id and e.type in ('reinforced', 'recalled', 'pinned')
        and e.seq > coalesce((
            select max(b.seq) from event b
            where b.observation_id = standing.observation_id and b.type = 'set-back'), 0)
), 0)
where reinforced > 0 or recalled > 0 or is_pinned or observation_id in (
    select observation_id from event where type = 'pinned');
"""
