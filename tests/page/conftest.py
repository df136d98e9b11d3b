"""A Chromium before a server of the demo; whatever a test does, nothing may be asked of anybody else."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from bench.browsing import LACKING, Site, browsing, chromium, serving
from bench.pictures import lay_out_demo

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="session")
def has_browser() -> None:
    if not chromium():
        pytest.skip(LACKING)
    if importlib.util.find_spec("playwright") is None:
        pytest.skip("there is no playwright here; install the extra `dev`")


@pytest.fixture(scope="module")
def chrome(has_browser: None) -> Iterator[Browser]:
    # Not longer than a module: playwright keeps an event loop in this thread, and other suites run their own.
    with browsing() as browser:
        yield browser


@pytest.fixture(scope="session")
def env(has_browser: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return lay_out_demo(tmp_path_factory.mktemp("page") / "demo")


@pytest.fixture(scope="session")
def site(env: dict[str, str]) -> Iterator[Site]:
    with serving(env) as running:
        yield running


Opens = Callable[..., "Page"]


@pytest.fixture
def opens(chrome: Browser) -> Iterator[Opens]:
    """Open a site's page by its link; at the end, what was asked of others and what scripts threw is none."""
    asked: list[str] = []
    thrown: list[str] = []
    own: list[str] = []
    contexts = []

    def opened(site: Site, **how: object) -> Page:
        context = chrome.new_context(**how)  # type: ignore[arg-type]
        context.set_default_timeout(20_000)
        contexts.append(context)
        own.append(site.address)
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: thrown.append(str(error)))
        page.on("dialog", lambda dialog: (thrown.append(f"a dialog: {dialog.message}"), dialog.dismiss()))
        page.goto(site.link())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert [url for url in asked if not url.startswith(tuple(f"{one}/" for one in own))] == []
    assert thrown == []
