"""An index of the memories that wait for a vector."""

SQL = """
create index memory_by_waiting on memory (number) where embedding_status in ('pending', 'queued');
"""
