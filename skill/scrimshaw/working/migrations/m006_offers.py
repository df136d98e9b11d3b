"""What each agent of a home has noted that may be a pattern of several; in the file of the agent `shared`.

No text: a mark of the words and of whom they are about. What two agents offer becomes a memory.
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
