"""Each view's main journey once, by a person with a browser: what they click, type and read."""

from __future__ import annotations

import re
import time
import urllib.request
from contextlib import ExitStack, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bench.browsing import Site, all_there, serving
from tests.page.conftest import Opens

from scrimshaw import Memory

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow


@pytest.fixture
def page(opens: Opens, site: Site) -> Page:
    return opens(site)


def _view(page: Page, name: str) -> None:
    page.get_by_role("navigation").get_by_role("link", name=name, exact=True).click()
    page.get_by_role("heading", name=name, exact=True).wait_for()


def _says(page: Page, words: str) -> None:
    from playwright.sync_api import expect

    expect(page.locator("body")).to_contain_text(words, timeout=20_000)


def _says_no_more(page: Page, words: str) -> None:
    from playwright.sync_api import expect

    expect(page.locator("main")).not_to_contain_text(words, timeout=20_000)


def _note(page: Page, text: str) -> None:
    page.goto(page.url.split("/page")[0])
    page.get_by_label("Note something").fill(text)
    page.get_by_role("button", name="Note it").click()
    page.locator(".notice", has_text="Noted.").wait_for()
    _says(page, text)


def test_a_link_opens_the_page_once(page: Page, site: Site, opens: Opens) -> None:
    link = site.link()
    page.goto(link)
    _says(page, "The section, as the agent sees it")

    assert page.context.new_page().goto(link).status == 401  # type: ignore[union-attr]


def test_now_scores_the_memory_and_leads_to_what_gives_points_back(page: Page) -> None:
    _says(page, "of 100")
    page.locator("#health article", has_text="Stale").get_by_role("link", name="Decide").click()

    page.wait_for_url("**#stale")
    _says(page, "Perhaps no longer so")


def test_a_note_stands_in_the_section_and_is_undone_by_its_notice(page: Page) -> None:
    _note(page, "The heron nests at the mill pond.")
    assert "heron" in page.locator("pre.section").inner_text()

    page.locator(".notice").get_by_role("button", name="Undo").click()
    _says(page, "is undone")
    _view(page, "Now")
    _says_no_more(page, "heron")


def test_a_search_answers_while_it_is_typed(page: Page) -> None:
    _view(page, "Memory")
    page.locator("#q").press_sequentially("gravity three decimals", delay=20)

    _says_no_more(page, "Dentist")
    _says(page, "Give me gravities as SG")
    page.wait_for_url("**q=gravity**decimals**")
    assert page.locator("#q").evaluate("one => one === document.activeElement")


def test_filters_narrow_what_is_listed(page: Page) -> None:
    _view(page, "Memory")
    page.get_by_label("Kind").select_option("decision")
    _says_no_more(page, "Dentist")
    _says(page, "750 ml champagne")

    page.get_by_label("Kind").select_option("")
    page.get_by_label("State").select_option("closed")
    _says(page, "replaced by a later word")
    page.get_by_label("State").select_option("live")
    page.get_by_label("Day").fill("2026-10-14")
    _says_no_more(page, "ZipPost")
    _says(page, "Dentist")


def test_a_line_shows_the_message_it_rests_on(page: Page) -> None:
    _view(page, "Memory")
    page.get_by_role("link", name=re.compile("^I was wrong about the orchard")).click()

    assert "12 acres, not 11" in page.locator("blockquote mark").first.inner_text()
    _says(page, "noted by the rules")


def test_a_line_is_pinned_and_let_go(page: Page) -> None:
    _view(page, "Memory")
    page.get_by_role("link", name=re.compile("^Harcourt want")).click()

    page.get_by_role("button", name="Pin", exact=True).click()
    _says(page, "Pinned: it stays in the section.")
    page.get_by_role("button", name="Unpin").click()
    _says(page, "No longer pinned.")


def test_a_line_is_edited_in_place_and_undone(page: Page) -> None:
    _view(page, "Memory")
    page.get_by_role("link", name=re.compile("^Harcourt want")).click()
    page.locator("summary", has_text="Edit").click()
    page.get_by_label("In your words").fill("Harcourt want £405 for the labels.")
    page.get_by_role("button", name="Save").click()

    _says(page, "Reworded.")
    assert page.locator("h1").inner_text() == "Harcourt want £405 for the labels."
    page.locator(".notice").get_by_role("button", name="Undo").click()
    _says(page, "is undone")
    _view(page, "Memory")
    _says(page, "Harcourt want £395")


def test_a_line_is_taken_out_and_another_forgotten(page: Page) -> None:
    _note(page, "The kettle is blue.")
    _note(page, "The safe is behind the clock.")
    _view(page, "Memory")
    page.get_by_role("link", name="The kettle is blue.").click()
    page.get_by_role("button", name="Take out").click()
    _says(page, "Taken out.")

    _view(page, "Memory")
    page.get_by_role("link", name="The safe is behind the clock.").click()
    page.locator("summary", has_text="Forget").click()
    page.get_by_role("button", name="Forget it for good").click()
    _says(page, "This cannot be undone.")
    page.get_by_label("State").select_option("any")
    _says(page, "The kettle is blue.")
    _says_no_more(page, "safe is behind")


def test_a_revision_shows_what_it_changed_and_is_undone(page: Page) -> None:
    _note(page, "The lambs come in March.")
    _view(page, "Changes")
    page.locator("tbody a").first.click()
    page.locator(".added", has_text="The lambs come in March.").wait_for()

    page.get_by_role("button", name="Undo this revision").click()
    _says(page, "is undone")
    page.locator(".notice").get_by_role("button", name="Undo").click()
    page.locator("tbody tr", has_text="was undone").nth(1).wait_for()
    _view(page, "Now")
    _says(page, "The lambs come in March.")


def test_the_queue_is_gone_through_by_keys(page: Page) -> None:
    _note(page, "The rent of the cottage is 500 pounds a month.")
    _note(page, "The rent of the cottage is 550 pounds a month.")
    _view(page, "To decide")
    settled = page.locator("#conflicts article", has_text="cottage")
    settled.wait_for()
    all_there(page)
    stale = page.locator("#stale article").count()
    focused = "document.activeElement.closest('.item')?.textContent ?? ''"

    while "cottage" not in page.evaluate(focused):
        page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("a")
    _says(page, "Settled.")
    all_there(page)
    assert settled.count() == 0
    while "said or confirmed" not in page.evaluate(focused):
        page.keyboard.press("j")
    page.keyboard.press("a")
    _says(page, "Noted that it still holds.")
    all_there(page)
    assert page.locator("#stale article").count() == stale - 1


def test_the_queue_goes_on_where_something_was_decided(page: Page) -> None:
    from playwright.sync_api import expect

    _view(page, "To decide")
    all_there(page)
    items = page.locator("#stale article")
    first, second, third = items.all_inner_texts()[:3]
    items.nth(1).focus()

    page.keyboard.press("a")
    _says(page, "Noted that it still holds.")
    all_there(page)
    assert items.all_inner_texts()[:2] == [first, third]
    expect(items.nth(1)).to_be_focused()
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    _says(page, "is undone")
    _view(page, "To decide")
    all_there(page)
    assert items.all_inner_texts()[:2] == [first, second]


def test_a_list_of_lines_changes_to_another_agents(opens: Opens, tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "SCRIMSHAW_EMBEDDINGS": "off", "XDG_STATE_HOME": str(tmp_path / "own")}
    for agent, text in (("albert", "The barn is red."), ("berta", "The boat is blue.")):
        with Memory.open(home=tmp_path / "agents", agent=agent, env=env) as memory:
            memory.add(text, author="person", at_once=True)
    with serving(env, tmp_path / "agents") as several:
        page = opens(several)
        _view(page, "Memory")
        _says(page, "The barn is red.")
        page.get_by_label("Agent").select_option("berta")
        _says(page, "The boat is blue.")
        _says_no_more(page, "barn")

        _view(page, "Now")
        _says(page, "The boat is blue.")
        with Memory.open(home=tmp_path / "agents", agent="berta", env=env) as memory:
            memory.add("The oar is broken.", author="person", at_once=True)
        _says(page, "The oar is broken.")
        page.get_by_label("Agent").select_option("albert")
        page.get_by_role("button", name="Show").click()
        _says(page, "The barn is red.")


def test_a_figure_is_shown_over_time(page: Page) -> None:
    _view(page, "Over time")
    page.get_by_label("Figure").select_option("avg_confidence")
    page.get_by_label("Days", exact=True).fill("7")
    page.get_by_role("button", name="Show").click()

    _says(page, "average confidence today")
    page.locator("#curve summary", has_text="As a table").click()
    assert page.locator("#curve tbody tr").count() == 7
    all_there(page)
    assert page.locator("#past polygon").count() == 8
    assert "main" in page.locator("#usage tbody").first.inner_text()


def test_all_agents_are_told_at_a_glance(page: Page) -> None:
    _view(page, "Agents")
    page.locator("tbody").get_by_role("link", name="main").click()

    _says(page, "The section, as the agent sees it")


def test_the_first_tab_leads_past_the_navigation(page: Page) -> None:
    page.keyboard.press("Tab")

    assert page.evaluate("document.activeElement.textContent") == "To the content"


def test_it_works_with_scripts_off(opens: Opens, site: Site) -> None:
    page = opens(site, java_script_enabled=False)
    page.get_by_role("link", name="Score the memory").click()
    _says(page, "of 100")
    _note(page, "The gate is green.")
    _view(page, "Memory")
    page.locator("#q").fill("gate")
    page.get_by_role("button", name="Find").click()
    # The list before the search shows the line, too: a click there would be lost with it.
    page.wait_for_url("**q=gate**")
    page.get_by_role("link", name="The gate is green.").click()
    page.get_by_role("button", name="Take out").click()
    _says(page, "Taken out.")
    page.get_by_role("button", name="Undo").click()
    _says(page, "is undone")
    _view(page, "To decide")
    page.get_by_role("link", name="Look for them").click()
    _says(page, "Contradictions (")
    _view(page, "Over time")
    page.get_by_role("link", name="Memories of the last 30 days").click()
    _says(page, "memories today")


def test_a_page_that_is_open_renews_itself(page: Page, opens: Opens, site: Site) -> None:
    _note(opens(site), "The owl is back in the barn.")

    page.locator("pre.section", has_text="The owl is back").wait_for()


def test_what_is_typed_outlives_a_change_and_a_server_that_was_gone(
    page: Page, opens: Opens, site: Site
) -> None:
    page.get_by_label("Note something").fill("The ladder is")
    _note(opens(site), "The wren is in the hedge.")
    _says(page, "The memory has changed.")

    site.stop()
    try:
        _says(page, "The server does not answer.")
        page.get_by_role("button", name="Note it").click()
        _says(page, "Not sent")
    finally:
        site.start()
    _says(page, "was started anew")
    page.context.new_page().goto(site.link())
    _says(page, "The server is back.")
    assert page.get_by_label("Note something").input_value() == "The ladder is"
    page.get_by_label("Note something").press("End")
    page.get_by_label("Note something").press_sequentially(" in the shed.")
    page.get_by_role("button", name="Note it").click()
    _says(page, "The ladder is in the shed.")


def test_tabs_that_are_not_looked_at_keep_no_connection(page: Page, site: Site) -> None:
    page.context.add_init_script(
        "window.isHidden = false; Object.defineProperty(document, 'hidden', {get: () => window.isHidden});"
    )
    hides = "window.isHidden = true; document.dispatchEvent(new Event('visibilitychange'))"
    for _ in range(8):  # more than the connections that a browser has to one server
        tab = page.context.new_page()
        tab.goto(f"{site.address}/page/memory")
        tab.evaluate(hides)


@pytest.mark.parametrize("was_seen", [True, False])
def test_a_tab_that_is_looked_at_again_shows_what_changed_meanwhile(
    page: Page, opens: Opens, site: Site, *, was_seen: bool
) -> None:
    page.context.add_init_script(
        f"window.isHidden = {str(not was_seen).lower()};"
        "Object.defineProperty(document, 'hidden', {get: () => window.isHidden});"
    )
    tab = page.context.new_page()
    with tab.expect_response("**/page/events**") if was_seen else nullcontext():
        tab.goto(site.address)
    tab.wait_for_timeout(500)  # until what it was told is heard
    tab.evaluate("window.isHidden = true; document.dispatchEvent(new Event('visibilitychange'))")
    said = f"The heron is {'back' if was_seen else 'gone'}."
    _note(opens(site), said)

    tab.evaluate("window.isHidden = false; document.dispatchEvent(new Event('visibilitychange'))")

    tab.locator("pre.section", has_text=said).wait_for()


def test_with_too_many_pages_open_another_says_so_and_works(page: Page, site: Site) -> None:
    cookies = "; ".join(f"{one['name']}={one['value']}" for one in page.context.cookies())
    page.goto("about:blank")
    asked = urllib.request.Request(  # our own
        f"{site.address}/page/events?agent=main", headers={"Cookie": cookies}
    )
    with ExitStack() as others:
        streams = 0
        until = time.monotonic() + 20
        while streams < 16 and time.monotonic() < until:  # those of pages that were closed end within seconds
            with suppress(OSError):
                others.enter_context(urllib.request.urlopen(asked))  # our own
                streams += 1
                continue
            time.sleep(0.5)
        page.goto(site.address)
        _says(page, "Too many pages are open")
        _note(page, "The stork is on the roof.")
        _says(page, "Too many pages are open")

    from playwright.sync_api import expect

    expect(page.locator("#state")).to_be_hidden(timeout=20_000)
