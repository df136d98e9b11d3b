"""The ledger's lines over HTTP: noted, explained, taken back, forgotten; conversations; archives."""

from __future__ import annotations

import importlib.util
import io
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import Served

from scrimshaw.archive import frames, mv2

SAID = "The spare key is under the third pot."


@pytest.fixture
def owner(served: Served) -> str:
    return served.token(scope="owner")


def noted(served: Served, owner: str, text: str = SAID) -> str:
    told = served.post("/notes", {"text": text}, token=owner)
    assert told.status_code == 200
    return str(told.json()["id"])


def test_what_is_stored_is_explained_by_its_id(served: Served) -> None:
    stored = served.post("/store", {"content": SAID}).json()

    told = served.get("/why/albert", params={"line": stored["id"]}).json()

    assert (told["id"], told["layer"], told["content"]) == (stored["id"], "working", SAID)
    assert told["checked"].startswith("a program's word")


def test_what_is_noted_is_found_listed_and_explained(served: Served, owner: str) -> None:
    id_ = noted(served, owner)

    (entry,) = served.get("/timeline/albert", token=owner).json()["entries"]
    assert {"timestamp", "content", "type", "source"} <= entry.keys()
    assert (entry["content"], entry["source"]) == (SAID, "episodic")
    assert served.post("/search", {"query": "spare key"}).json()["episodic_count"] == 1
    assert served.get("/why/albert", params={"line": id_}).json()["id"] == id_
    assert served.get("/why/albert", params={"line": "no such words"}).status_code in (400, 404)
    assert SAID in served.get("/as-of/albert", params={"when": "now"}).json()["body"]


def test_the_health_of_a_memory_is_a_score(served: Served, owner: str) -> None:
    noted(served, owner)

    assert 0 <= served.get("/health").json()["score"] <= 100


def test_revisions_come_in_pages(served: Served, owner: str) -> None:
    for number in range(3):
        noted(served, owner, f"The crate {number} is under pot {number}.")
        served.now = served.now.replace(minute=number + 1)

    first = served.get("/log/albert?limit=2").json()
    second = served.get("/log/albert", params={"limit": 2, "cursor": first["next_cursor"]}).json()

    numbers = [one["number"] for one in (*first["revisions"], *second["revisions"])]
    assert numbers == sorted(set(numbers), reverse=True)
    assert second["next_cursor"] is None
    assert served.get("/diff/albert").status_code == 200


def test_a_timeline_comes_in_pages_that_hold_each_entry_once(served: Served, owner: str) -> None:
    for number in range(5):
        noted(served, owner, f"The crate {number} is under pot {number}.")

    pages, cursor = [], None
    while cursor is not None or not pages:
        params = {"limit": 2, **({"cursor": cursor} if cursor else {})}
        told = served.get("/timeline/albert", params=params).json()
        pages.append(told["entries"])
        cursor = told["next_cursor"]

    whole = served.get("/timeline/albert").json()
    assert [len(one) for one in pages] == [2, 2, 1]
    assert [entry for page in reversed(pages) for entry in page] == whole["entries"]
    assert whole["next_cursor"] is None
    assert served.get("/timeline/albert?cursor=x").status_code == 400


def test_the_persons_acts_want_an_owners_token(served: Served) -> None:
    for path, told in (
        ("/undo", {}),
        ("/forget/plan", {"words": "key"}),
        ("/forget", {"words": "key", "plan": "0"}),
        ("/review", {"id": 1, "decision": "accept"}),
        ("/pin", {"line": "key"}),
    ):
        assert served.post(path, told).status_code == 403, path


def test_an_agents_note_is_not_taken_for_the_persons_word(served: Served, owner: str) -> None:
    noted(served, owner)

    told = served.post("/notes", {"text": "The safe opens with 4711."})

    assert told.json().get("id") is None  # no conversation bears it out
    assert served.post("/search", {"query": "safe"}).json()["results"] == []


def test_undo_takes_back_what_a_note_brought(served: Served, owner: str) -> None:
    noted(served, owner)

    assert served.post("/undo", {"dry_run": True}, token=owner).status_code == 200
    assert served.post("/undo", {}, token=owner).status_code == 200
    assert SAID not in served.get("/as-of/albert", params={"when": "now"}).json()["body"]


def test_forgetting_takes_the_plan_that_was_shown(served: Served, owner: str) -> None:
    noted(served, owner)
    plan = served.post("/forget/plan", {"words": "third pot"}, token=owner).json()
    assert [one["text"] for one in plan["lines"]] == [SAID]

    wrong = served.post("/forget", {"words": "third pot", "plan": "0" * 32}, token=owner)
    done = served.post("/forget", {"words": "third pot", "plan": plan["plan"]}, token=owner)

    assert wrong.status_code == 409
    assert done.json()["outcome"] == "forgotten"
    assert served.post("/search", {"query": "spare key"}).json()["results"] == []


def test_a_plan_is_for_the_words_that_a_memory_had(served: Served, owner: str) -> None:
    id_ = served.post("/store", {"content": SAID}).json()["id"]
    plan = served.post("/forget/plan", {"words": id_}, token=owner).json()
    assert [one["text"] for one in plan["memories"]] == [SAID]
    with served.memory() as memory:
        memory.update_memory(id_, content="The will lies in the safe.")

    refused = served.post("/forget", {"words": id_, "plan": plan["plan"]}, token=owner)
    anew = served.post("/forget/plan", {"words": id_}, token=owner).json()["plan"]
    done = served.post("/forget", {"words": id_, "plan": anew}, token=owner)

    assert refused.status_code == 409
    assert done.json()["outcome"] == "forgotten"


def test_what_waits_is_listed_and_a_proposal_that_is_none_refused(served: Served, owner: str) -> None:
    noted(served, owner)

    assert served.get("/review/albert").json()["proposals"] == []
    told = served.post("/review", {"id": 99, "decision": "accept"}, token=owner)
    assert told.status_code in (400, 404)
    assert "Nothing was decided" in told.json()["state"]


def test_a_conversation_is_kept_shown_and_put_into_a_context(served: Served) -> None:
    path = "/conversations/support%2F17/messages"
    key = {"Idempotency-Key": "m-1"}
    first = served.post(path, {"content": "My flight is at 7."}, headers=key)
    again = served.post(path, {"content": "My flight is at 7."}, headers=key)

    assert first.status_code == 201
    assert (first.json()["is_new"], again.json()["is_new"]) == (True, False)
    memory = served.get("/conversations/support%2F17/memory").json()
    assert {"memoryState", "observationLog", "observationCount", "totalObservationTokens"} <= memory.keys()
    assert memory["observationLog"].keys() == {"version", "tokenCount", "textLength"}
    context = served.post("/conversations/support%2F17/context", {"shape": "openai"}).json()
    assert context["messages"][-1]["content"] == "My flight is at 7."
    listed = served.get("/conversations").json()["conversations"]
    assert [one["thread_id"] for one in listed] == ["support/17"]
    assert served.post("/conversations/support%2F17/observe", {}).status_code == 200
    closed = served.post("/conversations/support%2F17/close", {})
    assert (closed.status_code, closed.json()["thread_id"]) == (200, "support/17")


def test_conversations_come_in_pages(served: Served) -> None:
    for name in "abc":
        served.post(f"/conversations/{name}/messages", {"content": "Good morning."})

    first = served.get("/conversations?limit=2").json()
    second = served.get(f"/conversations?limit=2&cursor={first['next_cursor']}").json()

    assert [one["thread_id"] for page in (first, second) for one in page["conversations"]] == ["a", "b", "c"]
    assert second["next_cursor"] is None
    assert served.get("/conversations?cursor=nothing").status_code == 400


def test_a_conversation_that_is_none_is_told(served: Served) -> None:
    served.token()
    assert served.get("/conversations/nothing/memory").status_code == 404


@pytest.mark.skipif(importlib.util.find_spec("memvid_sdk") is None, reason="the extra `archives`")
def test_what_is_exported_can_be_imported_elsewhere_and_twice_is_once(served: Served, owner: str) -> None:
    noted(served, owner)
    archive = served.get("/export/albert", token=owner)
    assert archive.headers["content-type"] == "application/octet-stream"
    assert archive.headers["content-disposition"].startswith("attachment")

    every = served.token("*", scope="owner")
    for _ in range(2):
        told = served.post(
            "/import",
            None,
            token=every,
            data={"agent": "berta"},
            files={"file": ("../../albert.mv2", archive.content)},
        )
        assert told.status_code == 200, told.text
    assert told.json()["agent"] == "berta"
    assert told.json()["frames_imported"] >= 1
    assert told.json()["file_size"].split()[1] in ("B", "kB", "MB")
    assert told.json()["status"] == "imported"
    found = served.post("/search", {"query": "spare key", "agent": "berta"}, token=every).json()
    assert found["episodic_count"] == 1
    assert list((served.book.folder / "transfers").iterdir()) == []


@pytest.mark.skipif(importlib.util.find_spec("memvid_sdk") is None, reason="the extra `archives`")
def test_what_is_more_than_an_archive_holds_is_exported_as_one_file_and_imported(
    served: Served, owner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        served.post("/notes", {"text": f"The crate {number} is in hall {number}."}, token=owner)
    monkeypatch.setattr("scrimshaw.services.archive.export.MOST_OBSERVATIONS", 1)
    write = mv2.write

    def small(path: Path, packed: Sequence[frames.Packed], **how: Any) -> None:
        if len(packed) > 1:
            raise mv2.Full("no room")
        write(path, packed, **how)

    monkeypatch.setattr(mv2, "write", small)
    archive = served.get("/export/albert", token=owner)
    assert archive.headers["content-type"] == "application/octet-stream"
    assert 'filename="albert.mv2.tar"' in archive.headers["content-disposition"]
    with tarfile.open(fileobj=io.BytesIO(archive.content)) as held:
        assert held.getnames() == ["memory.mv2", "memory.002.mv2", "memory.003.mv2"]

    every = served.token("*", scope="owner")
    sent = {"file": ("albert.mv2.tar", archive.content)}
    told = served.post("/import", None, token=every, data={"agent": "berta"}, files=sent)

    assert told.json()["frames_imported"] == 3, told.text
    entries = served.get("/timeline/berta", token=every).json()["entries"]
    assert sorted(one["content"][:11] for one in entries) == [f"The crate {number}" for number in range(3)]
    assert list((served.book.folder / "transfers").iterdir()) == []


def _bundle(*entries: tuple[str, bytes, bytes], heads: dict[str, str] | None = None) -> bytes:
    """Return a tar of (name, type, content)."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as held:
        for name, kind, content in entries:
            entry = tarfile.TarInfo(name)
            entry.type, entry.size, entry.linkname = kind, len(content), "/etc/passwd"
            entry.pax_headers = heads or {}
            held.addfile(entry, io.BytesIO(content))
    return made.getvalue()


@pytest.mark.skipif(importlib.util.find_spec("memvid_sdk") is None, reason="the extra `archives`")
@pytest.mark.parametrize(
    "sent",
    [
        _bundle(("a.mv2", tarfile.SYMTYPE, b"")),
        _bundle(("a.mv2", tarfile.LNKTYPE, b"")),
        _bundle(("../../../a.mv2", tarfile.REGTYPE, b"no archive")),
        _bundle(*((f"{number}.mv2", tarfile.REGTYPE, b"") for number in range(101))),
        _bundle(("a.mv2", tarfile.REGTYPE, b"x" * 5_000))[:3_000],
        _bundle(("a.mv2", tarfile.REGTYPE, b"x"), ("b.mv2", tarfile.REGTYPE, b"x"))[:1_024],
        _bundle(("a.mv2", tarfile.REGTYPE, b"x"), heads={"GNU.sparse.map": "x"}),
        _bundle(),
    ],
)
def test_a_bundle_that_is_none_is_refused_and_leads_nowhere(served: Served, owner: str, sent: bytes) -> None:
    before = {path for path in served.home.parent.rglob("*") if "index" not in str(path)}

    told = served.post(
        "/import", None, token=owner, data={"agent": "albert"}, files={"file": ("a.mv2", sent)}
    )

    assert told.status_code == 409, told.text
    assert str(served.home) not in told.text
    left = set(served.home.parent.rglob("*.mv2")) - before
    assert left == set()
    assert list((served.book.folder / "transfers").iterdir()) == []


@pytest.mark.skipif(importlib.util.find_spec("memvid_sdk") is None, reason="the extra `archives`")
def test_an_upload_that_is_no_archive_is_refused_and_leaves_nothing(served: Served, owner: str) -> None:
    told = served.post(
        "/import", None, token=owner, data={"agent": "albert"}, files={"file": ("a.mv2", b"\0" * 5_000)}
    )

    assert told.status_code == 409
    assert "Nothing was imported" in told.json()["state"]
    assert str(served.home) not in told.text
    assert list((served.book.folder / "transfers").iterdir()) == []


def test_an_argument_is_called_what_the_request_calls_it(served: Served) -> None:
    served.post("/store", {"content": "The press is in the barn"})
    ranges = {"after": "rubbish"}

    listed = served.get("/timeline/albert?from=rubbish").json()
    found = served.post("/search", {"query": "press", "time_range": ranges}).json()

    assert listed["detail"].startswith("from: 'rubbish' is not a date that can be read")
    assert found["detail"].startswith("time_range.after: 'rubbish' is not a date that can be read")
    assert listed["state"] == "Nothing was shown."
    assert listed["next"].startswith("write 2026-11-03")
