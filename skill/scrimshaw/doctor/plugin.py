"""The plug-in in a host: named in the configuration, permitted, loaded by the gateway that runs, answering.

Where it was never asked for nothing is said of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from scrimshaw.doctor.finding import Finding, error, note, ok, warning
from scrimshaw.doctor.sight import HostSight
from scrimshaw.host import plugins
from scrimshaw.resources import program

_TOPIC = "plugin"


def check_plugin(host: HostSight) -> Iterator[Finding]:
    """Judge our plug-in, from its entry in the configuration to the server behind it."""
    state = plugins.plugin_state(host.config, host.version, host.gateway, host.state_dir)
    if state is None:
        return
    again = f"scrimshaw install --plugin {'tools+prompt' if state.may_prompt else 'tools'}"
    if not state.is_enabled:
        yield note(_TOPIC, f"{state.problem}.", "if you did not mean that: " + again)
        return
    if why_not := plugins.hindrance(host.config, host.version):
        yield warning(_TOPIC, f"{why_not}.", f"openclaw config get {plugins.PATHS[0]}")
        return
    command = host.config.at(*plugins.ENTRY, "config", "command")
    if command != list(program()):
        yield warning(_TOPIC, "it starts another scrimshaw than this one.", again)
    if host.gateway is None and not state.problem:
        yield ok(_TOPIC, f"{state.may}; the next gateway loads it")
    elif not state.problem:
        yield ok(_TOPIC, f"{state.may}; loaded by the gateway, and its server answers")
    elif host.gateway is None:
        yield error(_TOPIC, f"{state.problem}.", again)
    elif state.is_loaded:
        yield error(
            _TOPIC,
            f"the gateway has loaded it, but {state.problem}.",
            "see why: scrimshaw serve --socket /tmp/scrimshaw-try",
            "grep scrimshaw in the gateway's log",
        )
    else:
        yield warning(
            _TOPIC,
            f"{state.problem}.",
            "openclaw plugins inspect scrimshaw --runtime",
            "openclaw gateway restart",
        )
