"""One suite of behaviour: random programs have the same results through `Memory`, `Client` and Node."""

import json
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.clients.conftest import NODE_CLIENT, Live

from scrimshaw import UserError
from scrimshaw.errors import NotFoundError

_PEOPLE = ("Anna", "Bert", "Cora", "Dirk", "Ella")
_THINGS = ("lamp", "kettle", "ladder", "violin", "carpet", "mirror")
_OPERATIONS = (
    "store", "store", "store", "search", "recall", "update", "delete", "add_message", "add_message",
    "get_context", "observe", "why",
)  # fmt: skip
Call = tuple[str, dict[str, Any]]


def program(seed: int) -> list[Call]:
    """Return the calls of a program; memories are named by the number of their store."""
    lot = random.Random(seed)
    calls: list[Call] = [("store", {"content": "Anna sells old things"})]  # or there would be no such agent
    stores = 1
    for _ in range(lot.randint(8, 16)):
        name, thing = lot.choice(_PEOPLE), lot.choice(_THINGS)
        text = f"{name} bought the {thing} for {lot.randint(100, 999)} euros"
        thread = f"t{lot.randint(1, 2)}"
        match lot.choice(_OPERATIONS):
            case "store":
                calls.append(
                    (
                        "store",
                        {
                            "content": text,
                            "importance": lot.choice((0.2, 0.5, 0.8)),
                            "pin": lot.random() < 0.2,
                        },
                    )
                )
                stores += 1
            case "search" | "recall" as what:
                calls.append(
                    (
                        what,
                        {
                            "query": lot.choice(
                                (f"what did {name} buy?", f"who bought the {thing}?", "the moon")
                            )
                        },
                    )
                )
            case "update":
                changes = lot.choice(({"content": text}, {"importance": 0.3}, {"pinned": True}))
                calls.append(("update", {"number": lot.randint(0, stores), "changes": changes}))
            case "delete":
                calls.append(("delete", {"number": lot.randint(0, stores)}))
            case "add_message":
                calls.append(
                    (
                        "add_message",
                        {"content": f"I told {text}.", "thread": thread, "id": f"m{lot.randint(1, 6)}"},
                    )
                )
            case "get_context":
                calls.append(("get_context", {"thread": thread}))
            case "observe":
                calls.append(("observe", {"thread": thread}))
            case "why":
                calls.append(("why", {"line": f"the {thing}"}))
    return calls


def _memory(one: Any) -> list[Any]:
    return [one[name] for name in ("content", "importance", "pinned", "access_count", "type")]


def _results(found: list[dict[str, Any]]) -> list[Any]:
    return [[one["content"], one["score"], one["source"], one["importance"]] for one in found]


def _context(told: dict[str, Any]) -> list[Any]:
    texts = [one["content"] for one in told["observations"]]
    return [told["messages"], texts, told["tokens"]["total"], told["should_observe"]]


class Door:
    """A way to ask; results come out without ids and names of agents."""

    def __init__(self, ask: Any) -> None:
        self._ask = ask
        self._ids: list[str] = []
        self.problems: list[str] = []  # why something was refused, for whoever reads a failure

    def run(self, calls: list[Call]) -> list[Any]:
        return [self._done(what, how) for what, how in calls]

    def _done(self, what: str, how: dict[str, Any]) -> Any:
        try:
            return getattr(self, f"_{what}")(**how)
        except NotFoundError:
            return "not found"
        except (UserError, ValueError) as error:
            self.problems.append(f"{what}: {error}")
            return "refused"

    def _id(self, number: int) -> str:
        return self._ids[number] if number < len(self._ids) else "none"

    def _store(self, **how: Any) -> Any:
        told = self._ask.store(how.pop("content"), **how).to_dict()
        self._ids.append(told["id"])
        return _memory(told)

    def _search(self, query: str) -> Any:
        return _results(self._ask.search(query).to_dict()["results"])

    def _recall(self, query: str) -> Any:
        return _results(self._ask.recall(query).to_dict()["results"])

    def _update(self, number: int, changes: dict[str, Any]) -> Any:
        return _memory(self._ask.update_memory(self._id(number), **changes).to_dict())

    def _delete(self, number: int) -> Any:
        self._ask.delete_memory(self._id(number))
        return "gone"

    def _add_message(self, content: str, thread: str, id: str) -> Any:  # noqa: A002
        told = self._ask.add_message(content, thread_id=thread, message_id=id).to_dict()
        return [told[name] for name in ("content", "role", "id", "is_new", "should_observe")]

    def _get_context(self, thread: str) -> Any:
        return _context(self._ask.get_context(thread, observations=20, reflections=10).to_dict())

    def _observe(self, thread: str) -> Any:
        return self._ask.force_observe(thread).to_dict()["accepted"]

    def _why(self, line: str) -> Any:
        return sorted(self._ask.why(line).to_dict())


class NodeDoor(Door):
    """The same by way of a Node program."""

    def __init__(self, ask: Callable[[str, list[Any]], Any], agent: str) -> None:
        super().__init__(ask)
        self._agent = agent

    def _store(self, **how: Any) -> Any:
        told = _snake(self._ask("store", [self._agent, how.pop("content"), how]))
        self._ids.append(told["id"])
        return _memory(told)

    def _search(self, query: str) -> Any:
        return _results(self._ask("searchMemory", [self._agent, query]))

    def _recall(self, query: str) -> Any:
        return _results(self._ask("recall", [self._agent, query]))

    def _update(self, number: int, changes: dict[str, Any]) -> Any:
        return _memory(_snake(self._ask("updateMemory", [self._agent, self._id(number), changes])))

    def _delete(self, number: int) -> Any:
        self._ask("deleteMemory", [self._agent, self._id(number)])
        return "gone"

    def _add_message(self, content: str, thread: str, id: str) -> Any:  # noqa: A002
        said = {"content": content, "role": "user", "threadId": thread, "resourceId": self._agent, "id": id}
        told = self._ask("addMessage", [said])
        return [told[name] for name in ("content", "role", "id", "isNew", "shouldObserve")]

    def _get_context(self, thread: str) -> Any:
        told = self._ask("getContext", [thread, self._agent])
        return _context({**_snake(told), "tokens": {"total": told["totalTokens"]}})

    def _observe(self, thread: str) -> Any:
        return self._ask("forceObserve", [thread, self._agent])["accepted"]

    def _why(self, line: str) -> Any:
        return sorted(_snake(self._ask("why", [self._agent, line])))


def _snake(told: dict[str, Any]) -> dict[str, Any]:
    return {"".join(f"_{c.lower()}" if c.isupper() else c for c in name): one for name, one in told.items()}


@pytest.fixture(scope="module")
def node(live: Live) -> Iterator[Callable[[str, list[Any]], Any] | None]:
    if shutil.which("node") is None:
        yield None
        return
    options = json.dumps({"url": live.url, "token": live.token})
    driver = Path(__file__).with_name("driver.mjs")
    process = subprocess.Popen(
        ["node", str(driver), str(NODE_CLIENT / "index.mjs"), options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin
    assert process.stdout
    stdin, stdout = process.stdin, process.stdout

    def ask(method: str, words: list[Any]) -> Any:
        print(json.dumps([method, words]), file=stdin, flush=True)
        said = json.loads(stdout.readline())
        if "error" in said:
            raise (NotFoundError if said["status"] == 404 else UserError)(said["error"])
        return said["told"]

    yield ask
    stdin.close()
    process.wait(30)
    stdout.close()


def _same(seeds: range, live: Live, node: Callable[[str, list[Any]], Any] | None) -> int:
    """Run the programs of *seeds* each way; return how many results were compared."""
    compared = 0
    for seed in seeds:
        calls = program(seed)
        with live.beside(f"p{seed}") as memory, live.client(f"p{seed}") as client:
            ours = Door(memory).run(calls)
            doors = [Door(client)]
            if node is not None:
                doors.append(NodeDoor(node, f"n{seed}"))
            for door in doors:
                assert door.run(calls) == ours, f"seed {seed}, {door.problems}: {calls}"
        compared += len(ours)
    return compared


def test_random_programs_have_the_same_results_every_way(live: Live, node: Any) -> None:
    assert _same(range(12), live, node) > 100


@pytest.mark.slow
def test_three_hundred_random_programs_do(live: Live, node: Any) -> None:
    assert _same(range(100, 400), live, node) > 2_400


def test_programs_do_something_of_everything() -> None:
    calls = {what for seed in range(12) for what, _ in program(seed)}

    assert calls == set(_OPERATIONS)


def test_a_result_that_differs_is_noticed(live: Live) -> None:
    class Forgetful:
        def __init__(self, one: Any) -> None:
            self._one = one

        def __getattr__(self, name: str) -> Any:
            return (lambda *_, **__: None) if name == "delete_memory" else getattr(self._one, name)

    calls: list[Call] = [
        ("store", {"content": "Anna bought the lamp"}),
        ("delete", {"number": 0}),
        ("search", {"query": "who bought the lamp?"}),
    ]
    with live.client("sound") as sound, live.client("forgetful") as other:
        assert Door(sound).run(calls) != Door(Forgetful(other)).run(calls)
