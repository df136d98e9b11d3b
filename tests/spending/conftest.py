"""What most of these tests begin with."""

from pathlib import Path

import pytest
from tests.spending.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A ledger, a clock and a model that is asked through the door of spending."""
    return Desk(tmp_path)
