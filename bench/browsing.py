"""A real Chromium before a real server: what the page's pictures, its bench and its tests share.

The browser is the system's own (Debian's package `chromium`), driven by playwright; nothing is downloaded.
The server is `scrimshaw serve` in a process of its own, the way in is the link that `scrimshaw open` prints.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_UP_SECONDS = 30
LACKING = (
    "there is no Chromium here; on Debian: apt-get install chromium (SCRIMSHAW_TEST_BROWSER names another)"
)


def chromium() -> str:
    """Return where the system's Chromium is, "" for nowhere."""
    named = os.environ.get("SCRIMSHAW_TEST_BROWSER", "")
    return named or next((found for name in _NAMES if (found := shutil.which(name))), "")


@contextmanager
def browsing() -> Iterator[Browser]:
    """Run a Chromium without a window."""
    from playwright.sync_api import sync_playwright

    with (
        tempfile.TemporaryDirectory(prefix="scrimshaw-browser-") as own,
        sync_playwright() as playwright,
    ):
        # Root can have no sandbox of its own, and a container has little shared memory. What it keeps for
        # its user goes into a folder that goes with it.
        browser = playwright.chromium.launch(
            executable_path=chromium(),
            args=["--no-sandbox", "--disable-dev-shm-usage"],
            env={**os.environ, "XDG_CONFIG_HOME": own, "XDG_CACHE_HOME": own},
        )
        try:
            yield browser
        finally:
            browser.close()


def all_there(page: Page, timeout_ms: float = 30_000) -> None:
    """Wait until what a view loads after itself is there: it takes the place of what asked for it."""
    from playwright.sync_api import expect

    expect(page.locator("[hx-trigger=load]")).to_have_count(0, timeout=timeout_ms)


class Site:
    """A server for a home or a host's state; it can be stopped and started at the same port."""

    def __init__(self, env: Mapping[str, str], home: Path | None = None) -> None:
        self._env = {**os.environ, **env}
        self._where = ["--home", str(home)] if home else []
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            self.port = int(one.getsockname()[1])
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}"

    def link(self) -> str:
        """Return a link that lets a browser in, once."""
        command = [
            sys.executable,
            "-m",
            "scrimshaw",
            "open",
            "--print",
            "--port",
            str(self.port),
            *self._where,
        ]
        made = subprocess.run(command, env=self._env, capture_output=True, text=True, check=True)
        return made.stdout.split()[-1]

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        command = [sys.executable, "-m", "scrimshaw", "serve", "--port", str(self.port), *self._where]
        self._process = subprocess.Popen(
            command, env=self._env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until = time.monotonic() + _UP_SECONDS
        while True:
            with suppress(OSError), urllib.request.urlopen(f"{self.address}/health", timeout=1):
                return
            if self._process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"{' '.join(command)} does not answer")
            time.sleep(0.05)

    def stop(self) -> None:
        """End it; whatever is open is cut."""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(_UP_SECONDS)
            self._process = None


@contextmanager
def serving(env: Mapping[str, str], home: Path | None = None) -> Iterator[Site]:
    """Serve the agents of *home*, or of the host that *env* names."""
    site = Site(env, home)
    site.start()
    try:
        yield site
    finally:
        site.stop()
