"""The server of the demo and the tests, where its programs are out of reach for the user that runs it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from scrimshaw.fleet import embedded, server


@pytest.mark.skipif(os.geteuid() != 0, reason="only root starts it as another user")
def test_programs_below_a_closed_home_are_copied_with_their_libraries_and_the_copy_goes(
    own_server: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = embedded.programs()
    assert found
    package = found.parents[1]
    home = tmp_path / "home"
    for folder in (package, package.with_name(f"{package.name}.libs")):
        if folder.is_dir():
            shutil.copytree(folder, home / folder.name, symlinks=True)
    home.chmod(0o700)
    monkeypatch.setattr(embedded, "programs", lambda: home / found.relative_to(package.parent))

    with embedded.OwnServer() as own, server.connected(own.address()) as admin:
        assert admin.execute("select 1").fetchone() == (1,)
        copy = own.programs

    assert home not in copy.parents
    assert not copy.exists()
