"""What most of these tests begin with."""

import pytest
from tests.doctor.cases import machine
from tests.places import Place
from tests.support.prepared import Prepared


@pytest.fixture
def place(prepared: Prepared) -> Place:
    """A machine whose agent was talked to a minute ago, set up and up to date."""
    return prepared.made(machine)
