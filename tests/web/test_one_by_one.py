"""Memories one by one: pages, changes against a version, and requests that are sent again."""

from datetime import date, timedelta
from typing import Any

import pytest
from tests.web.conftest import Served

from scrimshaw.working.usage import usage_since

SAID = "The dentist moved to Friday at 9."


def stored(served: Served, content: str = SAID) -> str:
    return str(served.post("/store", {"content": content}).json()["id"])


def test_pages_by_cursor_hold_every_memory_once(served: Served) -> None:
    made = [stored(served, f"The crate {number} is blue.") for number in range(7)]
    seen: list[str] = []
    cursor = ""
    while cursor is not None:
        page = served.get("/memories", params={"limit": 3, **({"cursor": cursor} if cursor else {})}).json()
        seen += [one["id"] for one in page["memories"]]
        cursor = page["next_cursor"]

    assert sorted(seen) == sorted(made)


def test_a_cursor_that_is_none_of_ours_is_refused(served: Served) -> None:
    stored(served)

    assert served.get("/memories", params={"cursor": "x"}).status_code == 400


def test_a_change_wants_the_version_that_was_read(served: Served) -> None:
    id_ = stored(served)
    etag = served.get(f"/memories/{id_}").headers["etag"]
    change = {"content": "The dentist moved to Monday."}

    def patch(**headers: str) -> int:
        return served.ask("PATCH", f"/api/v2/memory/memories/{id_}", change, headers=headers).status_code

    assert patch() == 428
    assert patch(**{"If-Match": '"99"'}) == 412
    assert patch(**{"If-Match": "nonsense"}) == 412
    assert patch(**{"If-Match": etag}) == 200
    assert patch(**{"If-Match": etag}) == 412
    assert served.get(f"/memories/{id_}").json()["content"] == change["content"]


def test_what_is_left_out_of_a_change_stays(served: Served) -> None:
    id_ = stored(served)

    changed = served.ask(
        "PATCH", f"/api/v2/memory/memories/{id_}", {"pinned": True}, headers={"If-Match": "*"}
    )

    assert changed.json()["content"] == SAID
    assert changed.json()["pinned"] is True


def test_a_deleted_memory_is_gone(served: Served) -> None:
    id_ = stored(served)
    path = f"/api/v2/memory/memories/{id_}"

    assert served.ask("DELETE", path).status_code == 428
    assert served.ask("DELETE", path, headers={"If-Match": '"2"'}).status_code == 412
    assert served.ask("DELETE", path, headers={"If-Match": '"1"'}).status_code == 204
    assert served.get(f"/memories/{id_}").status_code == 404
    assert served.post("/search", {"query": "dentist"}).json()["results"] == []


def test_the_same_key_twice_is_one_memory(served: Served) -> None:
    first, second = (
        served.post("/store", {"content": SAID}, headers={"Idempotency-Key": "a-1"}) for _ in range(2)
    )
    third = served.post("/store", {"content": SAID}, headers={"Idempotency-Key": "a-2"})

    assert first.json()["id"] == second.json()["id"] != third.json()["id"]
    assert served.get("/stats").json()["working"]["total_memories"] == 2


def test_the_same_key_twice_is_one_report_of_use_and_after_a_week_another(served: Served) -> None:
    used = {"input_tokens": 10, "output_tokens": 1, "model": "m"}

    def report(key: str) -> int:
        assert served.post("/usage", used, headers={"Idempotency-Key": key}).status_code == 204
        with served.memory() as memory:
            return usage_since(memory._working_layer(), date(2026, 1, 1))["m"].input_tokens

    served.post("/store", {"content": "A lamp"})
    assert [report("one"), report("one"), report("two")] == [10, 10, 20]
    served.now += timedelta(days=9)
    assert report("three") == 30
    with served.memory() as memory:
        marks = memory._working_layer().rows("select name from meta where name like 'usage:%'")
    assert len(marks) == 1


def test_a_key_for_something_else_is_refused(served: Served) -> None:
    served.post("/store", {"content": SAID}, headers={"Idempotency-Key": "a-1"})

    other = served.post("/store", {"content": "Another."}, headers={"Idempotency-Key": "a-1"})

    assert other.status_code == 409
    assert served.get("/stats").json()["working"]["total_memories"] == 1


def test_a_key_for_another_message_is_refused_and_the_same_with_a_secret_is_not(served: Served) -> None:
    said = {"content": "My flight is at 7. password: " + "hunter" + "2hunter2"}
    path, key = "/conversations/t/messages", {"Idempotency-Key": "m-1"}

    first, again = (served.post(path, said, headers=key) for _ in range(2))
    other = served.post(path, {"content": "My flight is at 8."}, headers=key)

    assert (first.status_code, again.status_code, other.status_code) == (201, 201, 409)
    assert first.json()["id"] == again.json()["id"]
    assert "hunter" not in first.text
    assert other.json()["state"] == "Nothing was stored."


@pytest.mark.parametrize(
    ("path", "first", "other"),
    [
        ("/store", {}, {"type": "system"}),
        ("/store", {"metadata": {"a": 1}}, {"metadata": {"a": 2}}),
        ("/knowledge", {}, {"category": "preference"}),
        ("/knowledge", {"confidence": 0.5}, {"confidence": 0.6}),
        ("/knowledge", {}, {"source": "mail"}),
        ("/knowledge", {}, {"metadata": {"a": 1}}),
        ("/conversations/t/messages", {}, {"role": "assistant"}),
        (
            "/conversations/t/messages",
            {"timestamp": "2026-11-20T07:00:00Z"},
            {"timestamp": "2026-11-20T08:00:00Z"},
        ),
    ],
)
def test_a_key_for_the_same_words_said_otherwise_is_refused(
    served: Served, path: str, first: dict[str, Any], other: dict[str, Any]
) -> None:
    key = {"Idempotency-Key": "a-1"}

    made, again = (served.post(path, {"content": SAID, **first}, headers=key) for _ in range(2))
    refused = served.post(path, {"content": SAID, **first, **other}, headers=key)

    assert (made.status_code, again.status_code, refused.status_code) == (201, 201, 409)
    assert made.json()["id"] == again.json()["id"]
    assert refused.json()["state"] == "Nothing was stored."


@pytest.mark.parametrize(
    ("path", "at", "change"),
    [
        ("/store", "memories", {"content": "Another.", "pinned": True, "importance": 0.7}),
        ("/knowledge", "knowledge", {"category": "preference", "confidence": 0.1, "metadata": {"a": 1}}),
    ],
)
def test_a_store_is_tried_again_after_a_change(
    served: Served, path: str, at: str, change: dict[str, Any]
) -> None:
    key = {"Idempotency-Key": "a-1"}
    first = served.post(path, {"content": SAID}, headers=key).json()["id"]
    changed = served.ask(
        "PATCH", f"/api/v2/memory/{at}/{first}", change, headers={"If-Match": "*"}
    ).status_code

    again = served.post(path, {"content": SAID}, headers=key)

    assert (changed, again.status_code, again.json()["id"]) == (200, 201, first)


def test_what_is_learnt_is_listed_and_replaced(served: Served) -> None:
    key = {"Idempotency-Key": "k"}
    old = served.post("/knowledge", {"content": "Prefers planes.", "category": "preference"}).json()["id"]
    new = served.post("/knowledge", {"content": "Prefers trains.", "supersedes": old}, headers=key)
    again = served.post("/knowledge", {"content": "Prefers trains.", "supersedes": old}, headers=key)

    listed = served.get("/knowledge").json()["knowledge"]

    assert new.json() == again.json()
    assert [one["content"] for one in listed] == ["Prefers trains."]


def test_another_agents_memory_cannot_be_read_changed_or_taken_out(served: Served) -> None:
    id_ = stored(served)
    path, berta = f"/api/v2/memory/memories/{id_}", served.token("berta")
    any_ = {"If-Match": "*"}

    for agent in ("", "?agent=albert"):
        assert served.ask("GET", path + agent, token=berta).status_code in (403, 404)
        assert served.ask("PATCH", path + agent, {"pinned": True}, token=berta, headers=any_).status_code in (
            403,
            404,
        )
        assert served.ask("DELETE", path + agent, token=berta, headers=any_).status_code in (403, 404)
    assert served.get(f"/memories/{id_}").json()["version"] == 1


@pytest.mark.parametrize("path", ["/memories", "/knowledge", "/conversations"])
def test_a_wrong_cursor_is_told_by_the_names_of_the_request(served: Served, path: str) -> None:
    stored(served)

    told = served.get(path, params={"cursor": "zzz"}).json()

    assert told["detail"].startswith("cursor: 'zzz' is ")
    assert told["next"] == "take `next_cursor` of the page before, or none for the first"
    assert "after" not in told["detail"]
