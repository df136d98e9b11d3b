"""Here others write while we do."""

from collections.abc import Iterator

import pytest

from scrimshaw import files


@pytest.fixture(scope="package", autouse=True)
def _others_write(linger_seconds: float) -> Iterator[None]:
    """Wait for other writers as the program does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "_LINGER_SECONDS", linger_seconds)
        yield
