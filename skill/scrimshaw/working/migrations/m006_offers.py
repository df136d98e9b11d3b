"""What each agent of a home offers as a possible common pattern; in the file of the agent `shared`.

No text: a hash of the words and of the person they are about. What two agents offer becomes a memory.
"""

SQL = """
create table offer (
    agent text not null,
    mark text not null,
    line_id text not null,
    primary key (agent, mark)
) without rowid;
create index offer_by_mark on offer (mark);
"""
