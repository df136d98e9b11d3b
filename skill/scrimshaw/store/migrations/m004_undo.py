"""Undo: what a person has undone is not done again by a run, so a line's standing remembers that."""

SQL = """
alter table standing add column is_kept integer not null default 0;
create index event_of_section on event (seq) where observation_id is null;
-- To see a revision's state SQLite reads past its whole body: with this it need not read any.
create index revision_of_ours on revision (number, run_id, event_seq)
    where state = 'written' and reason <> 'hand';
"""
