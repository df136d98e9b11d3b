"""Version 1: programs that were written for the one before are answered as ever."""

from __future__ import annotations

import logging

import pytest
from tests.web.conftest import Served

ROW = {
    *("id", "owner_id", "agent", "type", "content", "metadata", "importance", "access_count", "pinned"),
    *("embedding_status", "created_at", "updated_at", "last_accessed_at", "expires_at"),
}

KNOWLEDGE_ROW = {
    *("id", "owner_id", "category", "content", "metadata", "confidence", "source", "status"),
    *("created_at", "updated_at"),
}


def test_memories_are_stored_listed_and_found_by_substring(served: Served) -> None:
    made = served.ask("POST", "/api/memories", {"content": "The 3rd crate is blue.", "owner_id": "u1"})

    assert made.status_code == 201
    assert made.json().keys() == ROW
    assert [one.keys() for one in served.ask("GET", "/api/memories").json()] == [ROW]
    assert [one["id"] for one in served.ask("GET", "/api/memories").json()] == [made.json()["id"]]
    assert len(served.ask("GET", "/api/memories/search?q=RD%20CRA").json()) == 1
    assert served.ask("GET", "/api/memories/search?q=%25").json() == []


def test_knowledge_is_kept_and_listed(served: Served) -> None:
    made = served.ask("POST", "/api/knowledge", {"content": "Prefers trains.", "category": "preference"})

    assert made.status_code == 201
    assert made.json().keys() == KNOWLEDGE_ROW
    assert made.json()["source"] == "conversation"
    assert [one["id"] for one in served.ask("GET", "/api/knowledge").json()] == [made.json()["id"]]


def test_each_answer_and_the_log_say_that_the_version_is_an_old_one(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    served.token()
    with caplog.at_level(logging.INFO, "scrimshaw"):
        told = served.ask("GET", "/api/memories")

    assert told.headers["deprecation"] == "true"
    assert "version-1" in caplog.text


@pytest.mark.parametrize(("method", "path"), [("POST", "/api/memories"), ("GET", "/api/memories/none")])
def test_an_error_has_its_old_form(served: Served, method: str, path: str) -> None:
    told = served.ask(method, path, {"content": ""} if method == "POST" else None)

    assert told.status_code in (404, 405, 422)
    assert told.headers["content-type"] == "application/json"
    assert list(told.json()) == ["error"]


def test_a_field_that_is_not_known_is_left_alone(served: Served) -> None:
    told = served.ask("POST", "/api/memories", {"content": "x y", "session": "s1"})

    assert told.status_code == 201


def test_tokens_hold_here_too(served: Served) -> None:
    served.ask("POST", "/api/memories", {"content": "The third pot."})
    berta = served.token("berta")

    assert served.ask("GET", "/api/memories", token=None).status_code == 401
    assert served.ask("GET", "/api/memories?agent=albert", token=berta).status_code == 403
    assert served.ask("GET", "/api/memories", token=berta).json() == []
    assert served.ask("GET", "/api/memories/search?q=pot", token=berta).json() == []
    assert (
        served.ask("POST", "/api/memories", {"content": "x", "agent": "albert"}, token=berta).status_code
        == 403
    )
    reader = served.token(scope="read")
    assert served.ask("POST", "/api/memories", {"content": "x"}, token=reader).status_code == 403
