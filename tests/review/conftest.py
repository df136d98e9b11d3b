"""What most of these tests begin with."""

from pathlib import Path

import pytest
from tests.proposing import Desk, desk_in


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A place with a list to decide on."""
    return desk_in(tmp_path)
