"""Requests made at random from the server's own description: no defect, and each answer as described.

Each answer is also followed: what was made is asked for by the ids in the answer.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.config import SchemathesisConfig
from starlette.routing import Route
from tests.web.conftest import V2, Served

from scrimshaw.web.access import Buckets
from scrimshaw.web.v2.replies import PREFIX

_THOROUGH = 20_000
# What is random there is no archive; tests of their own send real ones.
_LEFT_OUT = (f"{V2}/export/{{agent}}", f"{V2}/import")
# Every check is on. What a schema cannot say, a route says by one of 400 (two fields that exclude each other,
# a time that is none), 412 and 428; a 422 for what the schema allows is a failure.
_MAY = ["2xx", "400", "401", "403", "404", "409", "412", "428", "429", "503"]
_IDS = {"id", "thread_id"}


def _ask_each(served: Served, cases: int) -> tuple[int, list[str]]:
    """Ask every operation some of *cases* requests; return how many were asked, and what was wrong."""
    config = SchemathesisConfig.from_dict(
        {"checks": {"positive_data_acceptance": {"expected-statuses": _MAY}}}
    )
    schema = schemathesis.openapi.from_asgi(
        "/openapi.json", served.app, headers={"Host": "localhost"}, config=config
    )
    operations = [one.ok() for one in schema.get_all_operations()]
    operations = [one for one in operations if one.path not in _LEFT_OUT]
    token = served.token("albert", scope="owner")
    headers = {"Authorization": f"Bearer {token}", "Host": "localhost"}
    made = {
        "id": served.post("/store", {"content": "The dentist moved."}, token=token).json()["id"],
        "thread_id": "support/17",
    }
    # Its own test says that guessing is slowed down; here each check asks without a token, too.
    served.app._app.state.door._failures = Buckets(1e6, 1e6)
    served.post("/conversations/support%2F17/messages", {"content": "My flight is at 7."}, token=token)
    asked, wrong = 0, []
    # What takes little first: some operations can be asked in few ways, and the others are asked more then.
    operations.sort(key=lambda one: len(list(one.iter_parameters())) + 100 * len(one.body))
    for left, operation in zip(range(len(operations), 0, -1), operations, strict=True):
        count, problem = _ask(operation, max(1, -(-(cases - asked) // left)), headers, made)
        asked += count
        wrong += [f"{operation.method} {operation.path}: {problem}"] if problem else []
    return asked, wrong


def _ask(operation: Any, each: int, headers: dict[str, str], made: dict[str, str]) -> tuple[int, str]:
    asked = 0

    @settings(
        max_examples=each,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data())
    def ask(data: st.DataObject) -> None:
        nonlocal asked
        case = data.draw(operation.as_strategy())
        if case.path_parameters and data.draw(st.booleans()):  # a link: what an earlier answer has named
            case.path_parameters.update({name: made[name] for name in _IDS & set(case.path_parameters)})
        asked += 1
        case.call_and_validate(base_url="http://localhost", headers=headers)

    try:
        ask()
    except Exception as error:  # noqa: BLE001  # told with the operation, and the others are asked
        return asked, _told(error)
    return asked, ""


def _told(error: BaseException) -> str:
    parts: Iterable[BaseException] = getattr(error, "exceptions", [error])
    return "; ".join(f"{type(one).__name__}: {one}"[:700] for one in parts)


def test_what_is_asked_at_random_is_answered_as_described(tmp_path: Path) -> None:
    served = Served(tmp_path / "agents", {"SCRIMSHAW_SERVER_RATE": "1000000"})

    asked, wrong = _ask_each(served, 80)

    assert wrong == []
    assert asked >= 40


@pytest.mark.slow
def test_two_thousand_at_random_are_answered_as_described(tmp_path: Path) -> None:
    cases = _THOROUGH if os.environ.get("SCRIMSHAW_HYPOTHESIS") == "thorough" else 2_000
    served = Served(tmp_path / "agents", {"SCRIMSHAW_SERVER_RATE": "1000000"})

    asked, wrong = _ask_each(served, cases)

    assert wrong == []
    assert asked >= cases


def test_no_route_stands_in_a_router_of_its_own(served: Served) -> None:
    # FastAPI matches what is included again at each level: more than a store takes.
    routes = served.app._app.routes  # type: ignore[attr-defined]

    assert [one for one in routes if not isinstance(one, Route)] == []
    assert sum(one.path.startswith(PREFIX) for one in routes) > 40
