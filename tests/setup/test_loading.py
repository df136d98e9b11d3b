"""An install waits a moment for the gateway to take up the hook, and not for ever."""

import os
from pathlib import Path

import pytest

from scrimshaw.host.gateway import Gateway
from scrimshaw.setup import install_plan
from scrimshaw.setup.changes import ReceiptOwner, SelectHook


@pytest.mark.parametrize(("loads_after", "expected"), [(0, True), (3, True), (None, False)])
def test_it_waits_until_the_gateway_has_loaded_the_hook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loads_after: int | None, expected: bool
) -> None:
    naps: list[float] = []
    gateway = Gateway(os.getpid(), 0)
    monkeypatch.setattr(install_plan, "running_gateway", lambda *_: gateway)
    is_loaded = lambda *_: "" if loads_after is not None and len(naps) >= loads_after else "not yet"  # noqa: E731
    monkeypatch.setattr(install_plan, "load_problem", is_loaded)
    change = SelectHook(ReceiptOwner(tmp_path, tmp_path / "openclaw.json"), tmp_path / "openclaw")

    found = install_plan.until_loaded([change], {}, naps.append)

    assert found is expected
    assert len(naps) == (loads_after if loads_after is not None else 40)


def test_without_a_changed_selection_nothing_is_waited_for() -> None:
    assert install_plan.until_loaded([], {}, lambda _: pytest.fail("it waited"))
