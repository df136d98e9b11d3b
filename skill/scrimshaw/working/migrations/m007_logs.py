"""Which log holds what was observed of a conversation; 0 where that is not known.

Of an earlier release's it is known where only one log can.
"""

_LOGS = (
    "from observation_log where version > 0 and (scope, owner) in "
    "(values ('thread', thread_id), ('resource', resource_id))"
)
SQL = f"""
alter table conversation add column log_number integer not null default 0;
update conversation set log_number = (select max(number) {_LOGS}) where 1 = (select count(*) {_LOGS});
"""
