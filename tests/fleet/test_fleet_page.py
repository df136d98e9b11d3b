"""The page of a memory that has joined a fleet: every agent that its login may read, and none else."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from tests.fleet.machines import Fleet, Machine
from tests.portability.ledgers import line
from tests.web.conftest import Served
from tests.web.test_page import Browser
from tests.web.test_page_lists import _pages

from scrimshaw.fleet import rows

Made = Callable[..., Machine]
_HOSTILE = "the oven <b>is hot</b> \u202e\x1b[2J"


@pytest.fixture
def browser(fleet: Fleet, machine: Made, tmp_path: Path) -> Browser:
    """Albert's page; zoe is of his team, kim is not."""
    albert = fleet.admit("albert", team="red", reads_team=True)
    for agent, team, text in (("zoe", "red", _HOSTILE), ("kim", "blue", "the oven of kim")):
        other = machine(agent, login=fleet.admit(agent, team=team))
        other.note(replace(line(1, text), local_date="2026-11-19"))
        other.sync()
    served = Served(tmp_path / "agents", {"SCRIMSHAW_FLEET": fleet.address(albert)})
    with served.memory() as memory:
        memory.add("The oven stands in the hall", author="person", at_once=True)
        memory.join_fleet(memory.plan_fleet())
    return Browser(served)


def test_the_page_shows_every_agent_that_may_be_read(browser: Browser) -> None:
    newest = unescape(browser.look("/page/fleet").text)
    found = unescape(browser.look("/page/fleet?q=oven").text)
    of_zoe = unescape(browser.look("/page/fleet?q=oven&of=zoe").text)
    scored = unescape(browser.look("/page/fleet/health").text)

    for told in (newest, found):
        assert "The oven stands in the hall" in told
        assert "zoe on machine-" in told
        assert "kim" not in told
    assert ("stands in the hall" in of_zoe, "zoe on machine-" in of_zoe) == (False, True)
    assert "characters)" not in scored  # a moment is told to the minute, and not as text that was cut
    assert re.search(r'data-name="Last there">\d{4}-\d\d-\d\d \d\d:\d\d<', scored)
    assert ("of=zoe" in scored, "albert</a>" in scored, "kim" in scored) == (True, True, False)


def test_the_lists_of_the_fleet_go_on(browser: Browser, fleet: Fleet, machine: Made) -> None:
    yan = machine("yan", login=fleet.admit("yan", team="red"))
    day = browser.served.now.date().isoformat()
    yan.note(*(replace(line(at, f"the oven has rack {at}"), local_date=day) for at in range(1, 66)))
    yan.sync()

    newest = _pages(browser, "/page/fleet?agent=albert&of=yan", r"the oven has rack (\d+)")
    found = _pages(browser, "/page/fleet?agent=albert&of=yan&q=oven", r"the oven has rack (\d+)")

    for pages in (newest, found):
        assert [len(page) for page in pages] == [50, 15]
        assert sorted(int(one) for page in pages for one in page) == list(range(1, 66))


def test_what_another_agent_has_noted_stays_text(browser: Browser) -> None:
    told = browser.look("/page/fleet").text

    assert "&lt;b&gt;is hot" in told
    assert not set("\u202e\x1b") & set(told)


def test_only_a_memory_of_a_fleet_has_the_view_in_its_navigation(browser: Browser) -> None:
    assert ">Fleet</a>" in browser.look("/").text
    with browser.served.memory("berta") as memory:
        memory.add("Alone", author="person", at_once=True)

    assert ">Fleet</a>" not in browser.look("/?agent=berta").text
    assert "in no fleet" in browser.look("/page/fleet?agent=berta").text


def test_a_server_that_is_gone_is_told_on_the_page(browser: Browser, fleet: Fleet) -> None:
    gone = f"host={fleet.server.folder}/nowhere user=x password=hushhush dbname=y"
    served = Served(browser.served.home, {"SCRIMSHAW_FLEET": gone})

    told = Browser(served).look("/page/fleet")

    assert told.status_code == 200
    assert "cannot be reached" in told.text
    assert "hushhush" not in told.text


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("words", "record = 'x'"),
        ("line", """standing = '{"place": "log", "confirmed": 1' || repeat('0', 400) || '}'"""),
        ("line", "standing = repeat('[', 100000)"),
    ],
)
def test_a_record_that_cannot_be_read_keeps_nobody_elses_score_back(
    browser: Browser, fleet: Fleet, table: str, change: str
) -> None:
    with fleet.asked() as admin:
        its = "(select id from scrimshaw.words where text like '%%is hot%%')"
        admin.execute(f"update scrimshaw.{table} set {change} where id in {its}")
        row = admin.execute("select number from scrimshaw.agent where name = 'zoe'").fetchone()
        assert row
        held, unread = rows.live_lines(admin, row[0])

    scored = unescape(browser.look("/page/fleet/health").text)

    assert (held, unread) == ([], 1)
    assert ("0, 1 cannot be read" in scored, "albert</a>" in scored) == (True, True)
