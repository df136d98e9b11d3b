"""The memories that wait for a vector, found without looking at those that have one."""

SQL = """
create index memory_by_waiting on memory (number) where embedding_status in ('pending', 'queued');
"""
