"""What is known and what to doubt, over HTTP: figures, stale facts, conflicts, cleaning; who may decide."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.insight.test_conflicts import _line
from tests.web.conftest import Served

from scrimshaw.core.types import Place
from scrimshaw.store.ledger import open_ledger
from scrimshaw.store.records import Batch

RENT, NEWER = "The rent of the flat is 900 euros.", "The rent of the flat is 960 euros."
PAIR = {"first": RENT, "second": NEWER}
LOOKS = ("/facts", "/stale", "/conflicts", "/trend")
ACTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/conflicts", {**PAIR, "settlement": "merge"}),
    ("/reinforce", {"line": RENT}),
    ("/delete", {"line": RENT}),
    ("/clean", {"dry_run": False}),
)


@pytest.fixture
def owner(served: Served) -> str:
    """The owner of two lines that cannot both hold, two days apart."""
    token = served.token(scope="owner")
    for text in (RENT, NEWER):
        assert served.post("/notes", {"text": text}, token=token).status_code == 200
        served.now += timedelta(days=2)
    return token


def overheard(served: Served, text: str, number: int = 99) -> None:
    """Put a line into the ledger as a run of the rules would have."""
    said = int(served.now.timestamp() * 1000)
    line = replace(
        _line(number, text, part=Place.LOG).observation,
        priority=1,
        said_at_ms=said,
        local_date=f"{served.now:%Y-%m-%d}",
    )
    with open_ledger(served.memory().target.layout.ledger, create=False) as ledger:
        ledger.accept(Batch(run_id="r", at_ms=said, observations=(line,)))


def conflicts(served: Served) -> int:
    return int(served.get("/conflicts/albert").json()["count"])


def in_pages(served: Served, path: str, rows: str, limit: int) -> list[list[Any]]:
    """Return the pages of a list, each asked for by the cursor of the one before."""
    pages, cursor = [], None
    while cursor is not None or not pages:
        told = served.get(path, params={"limit": limit, **({"cursor": cursor} if cursor else {})}).json()
        pages.append(told[rows])
        cursor = told["next_cursor"]
    return pages


def test_what_is_known_is_told_in_figures(served: Served, owner: str) -> None:
    told = served.get("/facts/albert").json()

    assert (told["memories"], told["facts"]) == (2, 2)
    assert sum(told["freshness"].values()) == 2
    assert told == served.memory().stats().to_dict()


def test_a_figure_is_told_of_each_past_day(served: Served, owner: str) -> None:
    told = served.get("/trend/albert", params={"figure": "facts", "days": 4}).json()

    assert [day["value"] for day in told["days"]] == [1, 2, 2, 2]
    assert served.get("/trend/albert", params={"figure": "mood"}).status_code == 400


def test_stale_facts_are_listed_and_one_that_is_reinforced_is_young_again(served: Served, owner: str) -> None:
    overheard(served, "The lamp in the hall is from Anna.")
    assert served.get("/stale/albert").json()["stale"] == []
    served.now += timedelta(days=400)
    [stale] = served.get("/stale/albert").json()["stale"]
    assert served.get("/stale/albert", params={"min_confidence": 0}).json()["found"] == 0

    done = served.post("/reinforce", {"line": stale["fact_id"]}, token=owner).json()

    assert (stale["fact"], done["outcome"]) == ("The lamp in the hall is from Anna.", "reinforced")
    assert served.get("/stale/albert").json()["stale"] == []
    assert served.get("/stale/albert", params={"min_confidence": "nan"}).status_code == 422


def test_stale_facts_come_in_pages_that_hold_each_once(served: Served, owner: str) -> None:
    for number, room in enumerate(("hall", "attic", "shed", "yard", "loft")):
        overheard(served, f"The lamp in the {room} is from Anna.", 90 + number)
    served.now += timedelta(days=400)

    pages = in_pages(served, "/stale/albert", "stale", 2)

    whole = served.get("/stale/albert").json()
    assert [len(page) for page in pages] == [2, 2, 1]
    assert [one for page in pages for one in page] == whole["stale"]
    assert whole["next_cursor"] is None
    assert served.get("/stale/albert?cursor=x").status_code == 400


def test_conflicts_come_in_pages_that_hold_each_once(served: Served, owner: str) -> None:
    for text in ("The fee of the gym is 30 euros.", "The fee of the gym is 45 euros."):
        assert served.post("/notes", {"text": text}, token=owner).status_code == 200
        served.now += timedelta(days=2)

    pages = in_pages(served, "/conflicts/albert", "conflicts", 1)

    whole = served.get("/conflicts/albert").json()
    assert len(pages) == whole["count"] == 2
    assert [one for page in pages for one in page] == whole["conflicts"]
    assert served.get("/conflicts/albert?cursor=x").status_code == 400


def test_a_deleted_line_is_found_no_more_until_that_is_undone(served: Served, owner: str) -> None:
    done = served.post("/delete", {"line": RENT}, token=owner).json()

    assert done["outcome"] == "deleted"
    assert RENT not in served.post("/search", {"query": "rent of the flat"}).text
    assert served.post("/undo", {}, token=owner).status_code == 200
    assert RENT in served.post("/search", {"query": "rent of the flat"}).text


@pytest.mark.parametrize(
    ("settlement", "kept", "gone"),
    [("merge", 1, True), ("keep-both", 2, False), ("delete-1", 1, True), ("delete-2", 1, True)],
)
def test_a_conflict_is_listed_and_settled(
    served: Served, owner: str, settlement: str, kept: int, gone: bool
) -> None:
    [one] = served.get("/conflicts/albert").json()["conflicts"]
    assert (one["fact1"]["fact"], one["fact2"]["fact"]) == (RENT, NEWER)
    asked = {"first": one["fact1"]["id"], "second": one["fact2"]["id"], "settlement": settlement}

    done = served.post("/conflicts", asked, token=owner).json()

    assert (done["outcome"], len(done["kept"]), done["gone"] is not None) == (settlement, kept, gone)
    assert conflicts(served) == 0


def test_two_lines_in_no_conflict_are_refused(served: Served, owner: str) -> None:
    served.post("/notes", {"text": "Our cat is called Minka."}, token=owner)

    asked = {"first": RENT, "second": "cat", "settlement": "merge"}
    told = served.post("/conflicts", asked, token=owner)

    assert told.status_code == 400
    assert told.json()["state"] == "Nothing was changed."


def test_cleaning_only_shows_what_would_go_unless_told_otherwise(served: Served, owner: str) -> None:
    overheard(served, "ok thanks")

    [shown] = served.post("/clean", {}, token=owner).json()["gone"]
    still = served.get("/facts/albert").json()["memories"]
    [gone] = served.post("/clean", {"dry_run": False, "only": ["junk"]}, token=owner).json()["gone"]

    assert (shown, still) == (gone, 3)
    assert served.get("/facts/albert").json()["memories"] == 2


def test_another_agents_token_sees_and_decides_nothing(served: Served, owner: str) -> None:
    berta = served.token("berta", scope="owner")

    for path in LOOKS:
        told = served.get(
            f"{path}/albert", token=berta, params={"figure": "facts"} if path == "/trend" else {}
        )
        assert told.status_code == 403, path
        assert "900" not in told.text
    for path, asked in ACTS:
        assert served.post(path, {**asked, "agent": "albert"}, token=berta).status_code == 403, path
    assert served.get("/health", params={"agent": "albert"}, token=berta).status_code == 403
    assert conflicts(served) == 1


def test_deciding_is_the_persons_and_looking_anybodys_of_the_agent(served: Served, owner: str) -> None:
    reader = served.token(scope="read")

    for path in LOOKS:
        words = {"figure": "facts"} if path == "/trend" else {}
        assert served.get(f"{path}/albert", token=reader, params=words).status_code == 200, path
    for path, asked in ACTS:
        assert served.post(path, asked, token=served.token(scope="write")).status_code == 403, path
    assert conflicts(served) == 1


def test_the_state_that_an_error_tells_is_whole_where_it_names_a_file(served: Served) -> None:
    served.post("/memories", {"content": "The press is in the barn"})

    told = served.post("/undo", {"revision": 99}, token=served.token(scope="owner"))

    assert told.json()["state"] == "Nothing was written to MEMORY.md yet, so there is nothing to undo."
