"""The section that a host shows nowhere: MEMORY.md cannot carry it, and no hook puts it into the prompt."""

from __future__ import annotations

from collections.abc import Mapping

from scrimshaw.core.section import markers
from scrimshaw.services.publish.memory_file import is_kept_aside, memory_record, read_text
from scrimshaw.services.status.hook_health import problem_of_hook
from scrimshaw.services.status.plugin_health import plugin_of
from scrimshaw.workspace import Target


def unshown_section(target: Target, env: Mapping[str, str]) -> str:
    """Return the section that is kept beside MEMORY.md, heading and markers too; "" where the agent sees one.

    A MEMORY.md that the host may still show and that has a section, if an older one, is left to show it: a
    second would be one too many.
    """
    record = memory_record(target)
    if not is_kept_aside(target, record) or not problem_of_hook(target, env):
        return ""
    if record.state != "untrusted" and not _has_none(target):
        return ""
    state = markers.parse(read_text(target.layout.aside)[1]).state
    if not isinstance(state, markers.Owned):
        return ""
    return "\n".join((markers.HEADING, markers.BEGIN, state.inner, markers.END))


def why_unshown(target: Target, env: Mapping[str, str]) -> tuple[str, ...]:
    """Return why nothing shows a section that is kept aside; nothing where the hook or the plug-in does."""
    why = problem_of_hook(target, env)
    plugin = plugin_of(target, None, env)
    if not why or (plugin and plugin.state.may_prompt and not plugin.problem):
        return ()
    return (f"MEMORY.md cannot carry the section, and {why}",)


def _has_none(target: Target) -> bool:
    """Tell whether MEMORY.md surely holds no section of ours."""
    return isinstance(markers.parse(read_text(target.layout.memory)[1]).state, markers.Absent)
