"""The agent's tools over HTTP, as a plug-in inside a host calls them."""

from __future__ import annotations

from tests.web.conftest import V2, Served

SAID = "The spare key is under the third pot."


def call(served: Served, name: str, *, scope: str = "write", **arguments: object) -> dict[str, object]:
    told = served.post(
        f"/tools/{name}", {"agent": "albert", "arguments": arguments}, token=served.token(scope=scope)
    )
    assert told.status_code == 200, told.text
    return dict(told.json())


def test_what_was_noted_is_found_and_explained(served: Served) -> None:
    id_ = served.memory().add(SAID).line.id  # type: ignore[union-attr]

    found = call(served, "memory_search", query="Where is the spare key?")
    why = call(served, "memory_why", id=id_)

    assert found["agent"] == "albert"
    assert [one["id"] for one in found["content"]["results"]] == [id_]  # type: ignore[index]
    assert why["content"]["line"]["text"] == SAID  # type: ignore[index]
    assert not found["is_error"]


def test_a_note_is_the_agents_and_checked_whoever_the_token_belongs_to(served: Served) -> None:
    served.memory().add_message("The safe is behind the pots.", thread_id="t")

    for scope in ("write", "owner"):
        told = call(served, "memory_write", scope=scope, text="The safe's number is 4711.")
        assert told["content"]["outcome"] == "refused"  # type: ignore[index]
    assert served.memory().search("safe number").hits == ()


def test_forgetting_is_only_proposed(served: Served) -> None:
    id_ = served.memory().add(SAID).line.id  # type: ignore[union-attr]

    told = call(served, "memory_forget", scope="owner", id=id_)

    assert told["content"]["outcome"] == "refused"  # type: ignore[index]
    assert len(served.memory().search("spare key").hits) == 1


def test_wrong_arguments_are_told_in_a_sentence(served: Served) -> None:
    told = call(served, "memory_search", words="key")

    assert told["is_error"]
    assert "memory_search" in str(told["text"])


def test_what_writes_wants_a_token_that_may(served: Served) -> None:
    asked = {"agent": "albert", "arguments": {"text": SAID}}

    refused = served.post("/tools/memory_write", asked, token=served.token(scope="read"))
    unknown = served.post("/tools/memory_burn", asked)

    assert refused.status_code == 403
    assert unknown.status_code == 422


def test_another_agents_memory_is_not_for_a_token(served: Served) -> None:
    asked = {"agent": "berta", "arguments": {"query": "key"}}

    assert served.post("/tools/memory_search", asked).status_code == 403


def test_a_section_that_the_host_shows_is_not_shown_twice(served: Served) -> None:
    served.memory().add(SAID)

    told = served.ask("GET", f"{V2}/unshown/albert").json()

    assert told == {"agent": "albert", "section": ""}
