"""The page: who is let in, what it shows, what is done from it, and that hostile lines stay text."""

from __future__ import annotations

import asyncio
import re
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest
from bench.memories import observation
from click.testing import CliRunner
from tests.web.conftest import Served

from scrimshaw import Memory
from scrimshaw.cli import group
from scrimshaw.core.types import Author, Kind, Observation
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Batch
from scrimshaw.web.page import news, shown
from scrimshaw.web.page.visitors import COOKIE, Visitors
from scrimshaw.web.tokens import TokenBook

ORIGIN = {"Origin": "http://localhost:18892"}


class Browser:
    """A visitor with a cookie."""

    def __init__(self, served: Served) -> None:
        self.served = served
        came = self.look(f"/open?ticket={served.book.ticket()}")
        assert came.status_code == 303
        self.cookie = came.cookies[f"{COOKIE}-18892"]

    def look(self, path: str, **headers: str) -> httpx.Response:
        return self.served.ask("GET", path, token=None, headers={**self._own(), **headers})

    def do(self, path: str, data: dict[str, str] | None = None, **headers: str) -> httpx.Response:
        told = {**self._own(), **(headers or ORIGIN)}
        return self.served.ask("POST", path, token=None, headers=told, data=data or {})

    def _own(self) -> dict[str, str]:
        return {"Cookie": f"{COOKIE}-18892={self.cookie}"} if hasattr(self, "cookie") else {}


@pytest.fixture
def browser(served: Served) -> Browser:
    with served.memory() as memory:
        memory.add("The rent is 910 euros.", author="person", at_once=True)
        memory.add("Allergic to <b>penicillin</b> \u202egnp.exe", author="person", at_once=True)
    return Browser(served)


def _id(served: Served, words: str) -> str:
    with served.memory() as memory:
        return str(memory.search(words, limit=1).to_dict()["hits"][0]["id"])


# -- who is let in -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/page/memory", "/page/decide", "/page/events", "/page/line/a"])
def test_without_a_cookie_nothing_is_shown(served: Served, path: str) -> None:
    answer = served.ask("GET", path, token=None)

    assert answer.status_code == 401
    assert "scrimshaw open" in answer.text


def test_a_token_for_programs_opens_no_page(served: Served) -> None:
    assert served.ask("GET", "/", token=served.token("*", scope="owner")).status_code == 401
    assert served.ask("GET", f"/open?ticket={served.token()}", token=None).status_code == 401


def test_a_link_is_no_token_for_programs(served: Served) -> None:
    assert served.get("/status/albert", token=served.book.ticket()).status_code == 401


def test_a_link_is_good_once(served: Served) -> None:
    link = f"/open?ticket={served.book.ticket()}"

    assert served.ask("GET", link, token=None).status_code == 303
    assert served.ask("GET", link, token=None).status_code == 401


def test_a_link_of_another_server_does_not_hold(served: Served, tmp_path: Path) -> None:
    other = TokenBook(tmp_path / "other", served_settings(served), served.env)

    assert served.ask("GET", f"/open?ticket={other.ticket()}", token=None).status_code == 401


def served_settings(served: Served) -> Any:
    from scrimshaw.web.agents import Agents

    return Agents(served.home, served.env).settings()


def test_a_link_is_over_after_a_minute(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrimshaw.web.tokens._TICKET_SECONDS", -1.0)

    assert served.ask("GET", f"/open?ticket={served.book.ticket()}", token=None).status_code == 401


def test_many_wrong_links_are_no_longer_looked_at(served: Served) -> None:
    for _ in range(20):
        served.ask("GET", "/open?ticket=a.b.c", token=None)

    assert served.ask("GET", f"/open?ticket={served.book.ticket()}", token=None).status_code == 429


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(served: Served) -> None:
    told = served.ask("GET", f"/open?ticket={served.book.ticket()}", token=None).headers["set-cookie"].lower()

    assert "httponly" in told
    assert "samesite=strict" in told


def test_two_servers_on_one_machine_both_know_a_browser(served: Served, tmp_path: Path) -> None:
    servers = {"http://localhost:18892": served, "http://localhost:18893": Served(tmp_path / "others")}
    kept: dict[str, str] = {}  # a browser's cookies of localhost, whatever the port
    for base, server in servers.items():
        server.memory().close()
        kept |= server.ask("GET", f"/open?ticket={server.book.ticket()}", token=None, base=base).cookies

    sent = {"Cookie": "; ".join(f"{name}={value}" for name, value in kept.items())}
    codes = [
        server.ask("GET", "/", token=None, base=base, headers=sent).status_code
        for base, server in servers.items()
    ]

    assert codes == [200, 200]


def test_a_cookie_is_over_in_the_end(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    visitors = Visitors(served.book)
    monkeypatch.setattr("scrimshaw.web.page.visitors.LASTS_SECONDS", -1)

    cookie = visitors.let_in(served.book.ticket())

    from starlette.requests import Request

    from scrimshaw.web.problems import Problem

    with pytest.raises(Problem):
        visitors.check(Request({"type": "http", "headers": [(b"cookie", f"{COOKIE}={cookie}".encode())]}))


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:9999"},
        {"Accept": "text/html"},  # no Origin at all
    ],
)
def test_another_page_changes_nothing(browser: Browser, headers: dict[str, str]) -> None:
    asked = browser.do("/page/note?agent=albert", {"text": "The cat is Tom."}, **headers)

    assert asked.status_code == 403
    assert "Tom" not in browser.look("/page/memory?agent=albert").text


def test_a_name_bent_to_this_machine_is_refused(browser: Browser) -> None:
    assert browser.look("/", Host="evil.example").status_code == 421


# -- what is shown -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "shows"),
    [
        ("/", "The rent is 910 euros."),
        ("/page/memory", "The rent is 910 euros."),
        ("/page/memory?q=rent", "The rent is 910 euros."),
        ("/page/changes", "Revision"),
        ("/page/changes/2", "added: "),
        ("/page/health", "of 100"),
        ("/page/decide", "Nothing waits."),
        ("/page/conflicts", "Contradictions (0)"),
        ("/page/memory?q=rent&part=standing&state=any", "The rent is 910 euros."),
        ("/page/memory?state=closed", "Nothing is noted yet."),
        ("/page/time", "30 days"),
        ("/page/curve", "<polyline"),
        ("/page/curve?figure=stale&days=7", "<polyline"),
        ("/page/past?days=7", "<polygon"),
        ("/page/usage", "Nobody has recorded"),
        ("/page/stale", "Perhaps no longer so ("),
        ("/page/agents", "albert"),
    ],
)
def test_each_view_shows_what_it_is_for(browser: Browser, path: str, shows: str) -> None:
    answer = browser.look(path)

    assert answer.status_code == 200
    assert shows in unescape(answer.text)
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert len(answer.headers.get_list("content-security-policy")) == 1


def test_nothing_comes_from_elsewhere(browser: Browser) -> None:
    pages = [browser.look(path).text for path in ("/", "/page/memory", "/page/decide", "/page/time")]
    static = [browser.look(f"/page/static/{name}") for name in ("page.css", "page.js", "htmx.min.js")]

    assert not re.findall(r'(?:src|href|action)="(?!/|#)[^"]*', "".join(pages))
    assert all(one.status_code == 200 for one in static)
    assert sum(len(one.content) for one in static) + len(pages[0]) < 150_000
    assert browser.look("/page/static/..%2fviews.py").status_code == 404


def test_hostile_lines_stay_text(browser: Browser) -> None:
    told = browser.look("/page/memory?agent=albert").text + browser.look("/?agent=albert").text

    assert "&lt;b&gt;penicillin&lt;/b&gt;" in told
    assert "<b>penicillin" not in told
    assert "\u202e" not in browser.look("/page/memory?agent=albert").text


def test_what_is_very_long_is_cut() -> None:
    assert len(shown.plain("a" * 1_000_000)) < 2_100


def test_a_line_tells_what_it_rests_on(served: Served) -> None:
    with served.memory() as memory:
        memory.add_message("Please remember that the ladder is in the cellar.", thread_id="t")
        memory.force_observe("t")
    browser = Browser(served)

    answer = browser.look(f"/page/line/{_id(served, 'ladder')}?agent=albert")

    assert re.search(r"<mark>[^<]*ladder is in the cellar</mark>", answer.text)
    assert "noted" in answer.text


def test_an_error_is_a_page_with_the_next_step(browser: Browser) -> None:
    answer = browser.look("/page/line/nothing?agent=albert")

    assert answer.status_code in (400, 404, 409)
    assert "<h1>" in answer.text


def test_an_agent_that_is_not_there_is_told(browser: Browser) -> None:
    assert browser.look("/page/memory?agent=nobody").status_code == 404


def test_a_change_is_told_to_a_page_that_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(news, "_LOOK_SECONDS", 0.0)
    file = tmp_path / "ledger"
    file.write_text("a")

    class Open:
        async def is_disconnected(self) -> bool:
            return False

    async def first_two() -> list[str]:
        assert news._streams.acquire(blocking=False)
        open_page = news._news(Open(), (file,))  # type: ignore[arg-type]  # as much of a request as it needs
        told = [await anext(open_page)]
        file.write_text("more")
        told.append(await anext(open_page))
        await open_page.aclose()
        return told

    begun, changed = asyncio.run(first_two())
    assert "retry" in begun
    assert "event: changed" in changed


def test_open_pages_are_bounded(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(news, "_streams", threading.BoundedSemaphore(1))
    news._streams.acquire()

    assert browser.look("/page/events?agent=albert").status_code == 503


def test_a_page_of_an_agent_that_is_not_there_takes_no_place(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(news, "_streams", threading.BoundedSemaphore(1))

    assert browser.look("/page/events?agent=nobody").status_code == 404

    assert news._streams.acquire(blocking=False)


def test_without_a_server_nothing_is_opened(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path)}
    asked = ["open", "--home", str(tmp_path / "agents"), "--port", "1"]
    done = CliRunner(env=env).invoke(group, asked, standalone_mode=False)

    assert done.return_value == 1
    assert "Next:" in done.stderr
    assert "scrimshaw serve --home" in done.stderr


# -- what is done --------------------------------------------------------------------------------------------


def test_a_note_is_made_and_undone_and_brought_back(browser: Browser) -> None:
    asked = browser.do("/page/note?agent=albert", {"text": "The cat is Tom."})
    assert (asked.status_code, asked.headers["location"]) == (303, "/?agent=albert")
    assert "Noted." in browser.look("/?agent=albert").text
    assert "Tom" in browser.look("/?agent=albert").text

    browser.do(f"/page/undo/{_newest(browser)}?agent=albert")
    assert "Tom" not in browser.look("/?agent=albert").text.replace("value", "")
    browser.do(f"/page/undo/{_newest(browser)}?agent=albert")
    assert "Tom" in browser.look("/?agent=albert").text


def _newest(browser: Browser) -> int:
    return max(map(int, re.findall(r"/page/changes/(\d+)", browser.look("/page/changes?agent=albert").text)))


def test_an_undone_first_revision_is_told_with_what_brings_the_section_back(served: Served) -> None:
    served.memory().close()
    browser = Browser(served)
    browser.do("/page/note?agent=albert", {"text": "Anna has the spare key."})
    browser.look("/?agent=albert")
    step = f"scrimshaw init --home {served.home} --agent albert"

    browser.do("/page/undo/1?agent=albert")
    undone = unescape(browser.look("/page/changes?agent=albert").text)
    browser.do("/page/undo/2?agent=albert")
    refused = unescape(browser.look("/page/changes?agent=albert").text)
    browser.do("/page/note?agent=albert", {"text": "Anna has the spare key."})
    noted = unescape(browser.look("/?agent=albert").text)
    now = unescape(browser.look("/?agent=albert").text)

    assert "Revision 1 is undone. The section was taken out" in undone
    assert "<button>Undo</button>" not in undone
    assert "Nothing was undone." in refused
    assert "It stands in no section" in noted
    assert "It was removed by undo" in now
    assert "0 in the section" in now
    assert all(step in told for told in (undone, refused, noted, now))


def test_a_section_that_was_undone_comes_back_by_the_command_that_the_page_names(served: Served) -> None:
    served.memory().close()
    browser = Browser(served)
    browser.do("/page/note?agent=albert", {"text": "Anna has the spare key."})
    browser.do("/page/undo/1?agent=albert")
    told = re.search(r"scrimshaw (init [^<]+albert)", browser.look("/page/changes?agent=albert").text)
    assert told

    done = CliRunner(env=served.env).invoke(group, [*told[1].split(), "--yes"], standalone_mode=False)

    assert done.return_value in (0, None), done.output
    browser.do("/page/undo/2?agent=albert")
    assert "Anna has the spare key." in browser.look("/page/memory?agent=albert").text


@pytest.mark.parametrize("act", ["pin", "unpin", "reinforce", "delete", "forget"])
def test_each_act_on_a_line_is_done_and_told(browser: Browser, act: str) -> None:
    id_ = _id(browser.served, "rent")

    asked = browser.do(f"/page/line/{id_}/{act}?agent=albert")

    assert asked.status_code == 303
    told = browser.look("/page/memory?agent=albert")
    assert 'class="notice"' in told.text
    assert ("910" in told.text) is (act not in ("delete", "forget"))


def test_what_is_not_possible_is_told_on_the_next_page(browser: Browser) -> None:
    browser.do("/page/undo/999?agent=albert")

    assert "There is no revision 999" in unescape(browser.look("/page/changes?agent=albert").text)


@pytest.mark.parametrize("number", [0, -1, 2**53 + 1, 10**25])
@pytest.mark.parametrize("path", ["/page/review/{}/accept", "/page/undo/{}", "/page/changes/{}"])
def test_a_number_that_nothing_can_have_is_refused(browser: Browser, path: str, number: int) -> None:
    asked = browser.look if "changes" in path else browser.do

    answer = asked(f"{path.format(number)}?agent=albert")

    assert answer.status_code == 422
    assert "path.number" in answer.text


def test_a_line_is_reworded_in_place_and_brought_back(browser: Browser) -> None:
    asked = browser.do(
        f"/page/line/{_id(browser.served, 'rent')}/reword?agent=albert", {"text": "The rent is 920 euros."}
    )

    told = browser.look(asked.headers["location"]).text
    assert "Reworded." in told
    assert "The rent is 920 euros." in told
    undo = re.search(r'action="(/page/undo/\d+)', told)
    assert undo
    assert "910" not in browser.look("/page/memory?agent=albert").text
    browser.do(f"{undo[1]}?agent=albert")
    assert "910" in browser.look("/page/memory?agent=albert").text


def test_what_cannot_be_noted_is_not_put_in_the_place_of_a_line(browser: Browser) -> None:
    asked = browser.do(
        f"/page/line/{_id(browser.served, 'rent')}/reword?agent=albert", {"text": "<private>910</private>"}
    )

    told = unescape(browser.look(asked.headers["location"]).text)
    assert "All of it is private" in told
    assert "The rent is 910 euros." in told


def test_cleaning_tells_how_many_went_and_can_be_undone(served: Served) -> None:
    with served.memory() as memory:
        memory.add("The rent is 910 euros.", author="person", at_once=True)
        with memory_ledger(memory) as ledger:
            ledger.accept(Batch("bench", 1, observations=tuple(chatter(at) for at in range(2))))
        memory.add("The cat is Tom.", author="person", at_once=True)
    browser = Browser(served)

    browser.do("/page/clean?agent=albert")

    told = browser.look("/?agent=albert").text
    assert "Cleaned: 2 lines taken out." in told
    undo = re.search(r'action="(/page/undo/\d+)', told)
    assert undo
    assert "okay" not in browser.look("/page/memory?agent=albert").text
    browser.do(f"{undo[1]}?agent=albert")
    assert "okay" in browser.look("/page/memory?agent=albert").text


def memory_ledger(memory: Memory) -> Ledger:
    return open_ledger(memory.target.layout.ledger, create=False)


def chatter(number: int) -> Observation:
    """Return what says nothing."""
    said = "ok thanks", "okay, great"
    return line_said(number, said[number], datetime(2026, 11, 20, 12, tzinfo=UTC))


@pytest.mark.parametrize("count", [1, 49, 50, 51, 130])
def test_lines_of_the_same_moment_are_each_on_one_page(served: Served, count: int) -> None:
    at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    with served.memory() as memory:
        memory.add("The rent is 910 euros.", author="person", at_once=True)
        lines = tuple(
            line_said(number, f"Apple tree number {number} bears well", at) for number in range(count)
        )
        with memory_ledger(memory) as ledger:
            ledger.accept(Batch("bench", 1, observations=lines))
    browser = Browser(served)

    path, found = "/page/memory?agent=albert", []
    while path:
        told = browser.look(path).text
        found += re.findall(r"Apple tree number (\d+) ", told)
        older = re.search(r'rel="next" href="([^"]+)', told)
        path = unescape(older[1]) if older else ""

    assert sorted(map(int, found)) == list(range(count))


def line_said(number: int, text: str, at: datetime) -> Observation:
    return replace(observation(number, text, at), author=Author.MODEL, kind=Kind.FACT)


def test_a_contradiction_is_settled_from_the_queue(served: Served) -> None:
    with served.memory() as memory:
        memory.add("The rent is 850 euros a month.", author="person", at_once=True)
    served.now += timedelta(days=2)
    with served.memory() as memory:
        memory.add("The rent is 910 euros a month.", author="person", at_once=True)
    browser = Browser(served)
    path = re.search(
        r'action="(/page/conflict/\w+/\w+/delete-1)', browser.look("/page/conflicts?agent=albert").text
    )
    assert path

    browser.do(f"{path[1]}?agent=albert")

    left = browser.look("/page/conflicts?agent=albert").text
    assert "Contradictions (0)" in left
    assert "Settled" in left
    assert "850" not in browser.look("/page/memory?agent=albert").text


def test_a_way_back_leads_to_the_page_alone(browser: Browser) -> None:
    id_ = _id(browser.served, "rent")

    asked = browser.do(f"/page/line/{id_}/pin?agent=albert", {"back": "//evil.example"})

    assert asked.headers["location"].startswith("/?agent=")
