"""The page's lists go on past their first page; each lost point has its button; what is typed stays."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from tests.insight.test_conflicts import _line
from tests.web.conftest import Served
from tests.web.test_page import Browser, line_said, memory_ledger

from scrimshaw.core.ledger.observations import ReviewProposal
from scrimshaw.core.types import Event, EventType, Kind, Observation, Place, Proposal, Rejected, Role
from scrimshaw.store.records import Batch

_AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def browser(served: Served) -> Browser:
    with served.memory() as memory:
        memory.add("The rent is 910 euros.", author="person", at_once=True)
    return Browser(served)


def _put(served: Served, *lines: Observation, **more: object) -> None:
    with served.memory() as memory, memory_ledger(memory) as ledger:
        ledger.accept(Batch("bench", 1, observations=lines, **more))


def _refused(text: str) -> ReviewProposal:
    proposal = Proposal(text, Kind.FACT, 3, ("e1",), Role.USER)
    return ReviewProposal("s", Rejected(proposal, "number", "not there"))


def _pages(browser: Browser, path: str, found: str) -> list[list[str]]:
    """Return what the pattern *found* finds on each page, as the links lead on."""
    pages = []
    while path:
        told = unescape(browser.look(path).text)
        pages.append(re.findall(found, told))
        more = re.search(rf'rel="next" href="({re.escape(path.partition("?")[0])}[^"]*)', told)
        path = more[1] if more else ""
    return pages


def _buttons(page: str) -> set[str]:
    return set(re.findall(r"<button[^>]*>([^<]+?) ?<", page))


# -- lists ---------------------------------------------------------------------------------------------------


def test_every_contradiction_is_on_one_page(browser: Browser) -> None:
    made = []
    for number in range(60):
        for day, price in ((1, 900), (2, 960)):
            text = f"The rent of flat {chr(65 + number % 26)}{number} is {price} euros."
            made.append(_line(2 * number + day, text, day=day).observation)
    _put(browser.served, *made)

    pages = _pages(browser, "/page/conflicts?agent=albert", r"/page/conflict/(\w+/\w+)/delete-1")

    assert [len(page) for page in pages] == [50, 10]
    assert len({pair for page in pages for pair in page}) == 60


def test_every_fact_that_may_no_longer_hold_is_on_one_page(browser: Browser) -> None:
    old = (line_said(at, f"Call vendor number {at} about lot {at * 3}.", _AT) for at in range(120))
    _put(browser.served, *(replace(one, kind=Kind.NEXT_STEP, place=Place.LOG) for one in old))

    pages = _pages(browser, "/page/stale?agent=albert", r"Call vendor number (\d+) ")

    told = re.search(r"no longer so \((\d+)\)", browser.look("/page/stale?agent=albert").text)
    assert [len(page) for page in pages][:2] == [50, 46]
    assert told
    assert len({number for page in pages for number in page}) == int(told[1]) == 96


def test_every_proposal_is_on_one_page(browser: Browser) -> None:
    _put(browser.served, rejections=tuple(_refused(f"The vault holds {at} bars.") for at in range(70)))

    pages = _pages(browser, "/page/decide?agent=albert", r"<p>The vault holds (\d+) ")

    assert [len(page) for page in pages] == [50, 20]
    assert sorted(int(one) for page in pages for one in page) == list(range(70))


def test_what_a_search_finds_goes_on_and_filters_hide_none_of_it(browser: Browser) -> None:
    lines = [line_said(at, f"Apple tree number {at} bears well", _AT) for at in range(130)]
    _put(
        browser.served,
        *(replace(one, place=Place.LOG) for one in lines[:70]),
        *(replace(one, place=Place.STANDING) for one in lines[70:]),
    )

    both = _pages(browser, "/page/memory?agent=albert&q=apple", r"Apple tree number (\d+) ")
    log = _pages(browser, "/page/memory?agent=albert&q=apple&part=log", r"Apple tree number (\d+) ")

    assert sorted(int(one) for page in both for one in page) == list(range(130))
    assert sorted(int(one) for page in log for one in page) == list(range(70))


def test_a_search_finds_what_was_taken_out_where_that_is_asked_for(browser: Browser) -> None:
    with browser.served.memory() as memory:
        memory.delete_line("910", at_once=True)

    found = {
        state: "910" in browser.look(f"/page/memory?agent=albert&q=rent&state={state}").text
        for state in ("live", "closed", "any")
    }

    assert found == {"live": False, "closed": True, "any": True}


def test_every_agent_is_in_one_table_of_tokens(browser: Browser) -> None:
    for at in range(55):
        with browser.served.memory(f"a{at:02}") as memory:
            memory.add("The cat is Tom.", author="person", at_once=True)

    pages = _pages(browser, "/page/usage?agent=albert&days=14", r'data-name="Agent">(\w+)<')

    assert [len(page) for page in pages] == [50, 6]
    assert sorted(name for page in pages for name in page) == [f"a{at:02}" for at in range(55)] + ["albert"]


# -- several agents ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/page/memory", "/page/changes", "/page/decide", "/page/time"])
def test_of_several_agents_one_is_chosen_in_each_view(browser: Browser, path: str) -> None:
    assert "<select" not in browser.look("/page/changes").text
    with browser.served.memory("berta") as memory:
        memory.add("The cat is Tom.", author="person", at_once=True)

    told = browser.look(f"{path}?agent=berta").text

    assert re.search(r'<option value="albert">', told)
    assert re.search(r'<option value="berta" selected>', told)


def test_agents_are_told_with_their_health(browser: Browser) -> None:
    from scrimshaw.services.insight.alerts import keep_watch

    assert "not looked at yet" in browser.look("/page/agents").text
    with browser.served.memory() as memory:
        keep_watch(memory.target, browser.served.now)

    assert "100 of 100" in browser.look("/page/agents").text


def test_every_agent_is_on_one_page(served: Served) -> None:
    for number in range(53):
        with served.memory(f"agent{number}") as memory:
            memory.add("The cat is Tom.", author="person", at_once=True)

    pages = _pages(Browser(served), "/page/agents", r'data-name="Agent"><a href="/\?agent=(\w+)')

    assert [len(page) for page in pages] == [50, 3]
    assert len({name for page in pages for name in page}) == 53


def test_an_alert_stands_on_the_page(tmp_path) -> None:
    from scrimshaw.services.insight.alerts import keep_watch

    served = Served(tmp_path / "agents", config={"SCRIMSHAW_ALERT_CONFLICTS": "0"})
    for rent in ("850", "910"):
        with served.memory() as memory:
            memory.add(f"The rent is {rent} euros a month.", author="person", at_once=True)
        served.now += timedelta(days=2)
    with served.memory() as memory:
        keep_watch(memory.target, served.now)

    assert "1 conflict, and you want to know of more than 0" in Browser(served).look("/?agent=albert").text


# -- buttons -------------------------------------------------------------------------------------------------


def test_what_nobody_bears_out_is_taken_out_by_its_button(browser: Browser) -> None:
    line = line_said(1, "The shelf number of box 4 is 28.", _AT)
    _put(browser.served, line)
    with browser.served.memory() as memory, memory_ledger(memory) as ledger:
        ledger.append([Event(EventType.SOURCE_GONE, line.id, 1, "r")])
    assert "Take them out" in _buttons(browser.look("/page/health?agent=albert").text)

    browser.do("/page/clean?agent=albert", {"only": "unverifiable"})

    assert "1 line taken out" in browser.look("/?agent=albert").text
    assert "Take them out" not in _buttons(browser.look("/page/health?agent=albert").text)


def test_a_section_larger_than_its_room_is_written_anew_by_its_button(served: Served) -> None:
    with served.memory() as memory:
        for number in range(40):
            memory.add(f"The shelf number of box {number} in the long hall is {number * 7}.", author="person")
        memory.observe()
        (memory.target.layout.state / "config.yaml").write_text("observation_chars: 1000\n")
    browser = Browser(served)
    assert "Write it anew" in _buttons(browser.look("/page/health?agent=albert").text)

    browser.do("/page/observe?agent=albert")

    assert "Conversations were read: 0 lines noted." in browser.look("/?agent=albert").text
    assert "Write it anew" not in _buttons(browser.look("/page/health?agent=albert").text)


# -- what was typed ------------------------------------------------------------------------------------------


def test_a_note_that_is_refused_stands_in_its_field_again(browser: Browser) -> None:
    typed = "The rent is <private>920</private>\nand\nmore" * 20

    browser.do("/page/note?agent=albert", {"text": typed})

    told = unescape(browser.look("/?agent=albert").text)
    assert 'value="The rent is <private>920</private>' in told
    assert 'value="The rent is' not in unescape(browser.look("/?agent=albert").text), "told once"


def test_other_words_for_a_line_that_are_refused_stand_in_their_field_again(browser: Browser) -> None:
    with browser.served.memory() as memory:
        id_ = memory.search("rent", limit=1).hits[0][0].line.observation.id

    asked = browser.do(f"/page/line/{id_}/reword?agent=albert", {"text": "<private>920</private>"})

    told = unescape(browser.look(asked.headers["location"]).text)
    assert '<details open><summary class="button">Edit' in told
    assert 'value="<private>920</private>"' in told


def test_a_proposal_is_taken_in_other_words_and_words_that_are_refused_are_kept(browser: Browser) -> None:
    _put(browser.served, rejections=(_refused("The vault holds 40 bars."),))
    path = "/page/review/1/edit?agent=albert"

    browser.do(path, {"text": "<private>43</private>"})
    refused = unescape(browser.look("/page/decide?agent=albert").text)
    browser.do(path, {"text": "The vault holds 43 bars."})

    assert 'value="<private>43</private>"' in refused
    assert "Not possible" in refused
    assert "Noted." in browser.look("/page/decide?agent=albert").text
    assert "43 bars" in browser.look("/page/memory?agent=albert").text
