"""The section that a host shows nowhere: MEMORY.md is left out of every prompt, and no hook puts it back."""

from __future__ import annotations

from collections.abc import Mapping

from scrimshaw.core.section import markers
from scrimshaw.services.publish.memory_file import memory_record, read_text
from scrimshaw.services.status.hook_health import problem_of_hook
from scrimshaw.workspace import Target


def unshown_section(target: Target, env: Mapping[str, str]) -> str:
    """Return the section that is kept beside MEMORY.md, heading and markers too; "" where the agent sees one.

    A MEMORY.md that the host still shows has a section, if an older one: a second would be one too many.
    """
    if memory_record(target).state != "untrusted" or not problem_of_hook(target, env):
        return ""
    state = markers.parse(read_text(target.layout.aside)[1]).state
    if not isinstance(state, markers.Owned):
        return ""
    return "\n".join((markers.HEADING, markers.BEGIN, state.inner, markers.END))
