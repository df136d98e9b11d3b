"""Conversations that have ended: closed by their owner, and how far each is in its archive."""

SQL = """
alter table conversation add column closed_at_ms integer;
alter table conversation add column archived_position integer not null default 0;
"""
