"""Handler, command and daemon together: one that sits in a slow call does not cost the hook its observe."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from tests.daemon.processes import SLOW_MODEL, is_resting, running, until
from tests.hook.conftest import Gateway, Hook
from tests.places import Place

from scrimshaw.host import hooks
from scrimshaw.sources.openclaw_config import read_config

_SAID = "We decided that ledger-api runs release 7.0.3 in production."


@pytest.mark.slow
@pytest.mark.parametrize("has_daemon", [True, False], ids=["busy-daemon", "no-daemon"])
def test_before_a_compaction_what_was_said_is_noted_whatever_the_daemon_does(
    tmp_path: Path, gateway: Gateway, has_daemon: bool
) -> None:
    place = Place(tmp_path / "machine")
    place.say(("We decided that billing-api runs release 2.4.1 in production.", "Noted."))
    assert place.run("init", "--yes").code == 0
    hook = Hook(gateway, place.root, [sys.executable, "-m", "scrimshaw"], seconds=30.0)
    event = hook.event("session:compact:before", place.session.key, sessionId=place.session.session_id)

    if has_daemon:
        with running(place, seam=SLOW_MODEL) as daemon:
            daemon.until_it_says("event=ready")
            until(lambda: is_resting(place))
            (place.root / "holds").touch()
            place.session.at_ms = int(time.time() * 1000) - 60_000
            place.say((_SAID, "Noted."))
            until((place.root / "begun").exists)
            hook.calls(event)
    else:
        place.session.at_ms = int(time.time() * 1000)
        place.session.user(_SAID)  # an exchange that goes on
        place.save()
        hook.calls(event)

    told = hooks.hook_state(place.state, read_config(place.state / "openclaw.json")).alive
    assert told is not None
    assert told.events["session:compact:before"].outcome == "done", hook.log
    assert place.section().count("7.0.3") == 1
