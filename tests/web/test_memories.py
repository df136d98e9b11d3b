"""Memories over HTTP: what is stored is found, and each answer has the fields that programs know."""

from datetime import timedelta

import pytest
from tests.web.conftest import Served

SAID = "The dentist moved to Friday at 9."


def test_what_is_stored_is_found(served: Served) -> None:
    stored = served.post("/store", {"content": SAID, "metadata": {"source": "mail"}})
    found = served.post("/search", {"query": "dentist"})

    assert stored.status_code == 201
    assert {"id", "layer", "embedding_status", "created_at"} <= stored.json().keys()
    assert (stored.json()["layer"], stored.json()["embedding_status"]) == ("working", "pending")
    assert found.status_code == 200
    assert list(found.json()) == [
        "query",
        "mode",
        "results",
        "search_ms",
        "working_count",
        "episodic_count",
        "notes",
    ]
    (one,) = found.json()["results"]
    assert one["id"] == stored.json()["id"]
    assert one["metadata"] == {"source": "mail"}
    assert set(one) == {
        *("id", "content", "score", "source", "agent", "type", "importance", "created_at", "metadata"),
        *("closed", "is_set_aside"),
    }
    assert 0 < one["score"] <= 1


def test_a_search_without_a_model_says_that_it_went_by_words(served: Served) -> None:
    served.post("/store", {"content": SAID})

    told = served.post("/search", {"query": "dentist"}).json()

    assert told["mode"] == "lexical"
    assert "words alone" in told["notes"][0]


def test_recall_by_query_string_keeps_what_it_finds(served: Served) -> None:
    id_ = served.post("/store", {"content": SAID}).json()["id"]

    told = served.get("/recall?q=dentist").json()

    assert [one["id"] for one in told["results"]] == [id_]
    with served.memory() as memory:
        assert memory.recall("dentist").results[0].id == id_


def test_one_layer_alone_is_searched_where_asked(served: Served) -> None:
    served.post("/store", {"content": SAID})

    assert served.post("/search", {"query": "dentist", "layers": ["episodic"]}).json()["results"] == []
    assert served.post("/search", {"query": "dentist", "layers": ["working"]}).json()["working_count"] == 1


def test_a_consolidated_memory_is_found_in_the_ledger(served: Served) -> None:
    served.post("/store", {"content": SAID})
    served.now += timedelta(days=8)

    looked = served.post("/consolidate", {"dry_run": True}).json()
    done = served.post("/consolidate", {}).json()

    assert (looked["candidates"], looked["archived"]) == (1, 1)  # what would be
    assert {"candidates", "archived", "deduplicated", "skipped_pinned", "duration_ms"} <= done.keys()
    assert done["archived"] == 1
    told = served.post("/search", {"query": "dentist"}).json()
    assert (told["working_count"], told["episodic_count"]) == (0, 1)


def test_stats_have_the_parts_that_programs_read(served: Served) -> None:
    served.post("/store", {"content": SAID})

    told = served.get("/stats").json()

    assert told["working"]["total_memories"] == 1
    assert told["working"]["db_size_bytes"] > 0
    assert told["episodic"] == {
        "agents": {"albert": {"frames": 0, "file_size": 0}},
        "shared": {"frames": 0, "file_size": 0},
    }
    assert told["embedding"] == {"model": None, "dimensions": None, "source": None, "status": "unavailable"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"content": " "},
        {"content": "x" * 100_001},
        {"content": "x", "type": "gossip"},
        {"content": "x", "importance": 1.5},
        {"content": "x", "metadata": []},
        {"content": "x", "colour": "red"},
        {},
    ],
)
def test_what_is_no_memory_is_refused_and_not_repeated(served: Served, wrong: object) -> None:
    told = served.post("/store", wrong)

    assert told.status_code == 422
    assert told.headers["content-type"] == "application/problem+json"
    assert {"type", "title", "status", "detail", "instance", "state", "next"} <= told.json().keys()
    assert "gossip" not in told.text
    assert served.get("/stats").json()["working"]["total_memories"] == 0


def test_health_needs_no_token_and_tells_the_versions(served: Served) -> None:
    told = served.ask("GET", "/health", token=None)

    assert told.status_code == 200
    assert told.json()["api_versions"] == ["v1", "v2"]
    assert told.json()["version"]


def test_the_page_of_the_description_loads_nothing_from_elsewhere(served: Served) -> None:
    page = served.ask("GET", "/docs", token=None)

    assert page.status_code == 200
    assert "/api/v2/memory/store" in page.text
    assert "http://" not in page.text
    assert "https://" not in page.text
    assert served.ask("GET", "/openapi.json", token=None).json()["openapi"].startswith("3.1")
