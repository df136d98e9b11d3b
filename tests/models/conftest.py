"""What the contract tests share: libraries imported once, each dialect both ways, nothing learnt."""

import importlib
from collections.abc import Iterator

import pytest
from tests.models.dialects import DIALECTS, Dialect

from scrimshaw.models import library


@pytest.fixture(scope="session", autouse=True)
def _client_libraries() -> None:
    """Their import takes seconds, which must not count against the time of the first call."""
    for name in ("openai", "anthropic", "google.genai"):
        importlib.import_module(name)


@pytest.fixture(autouse=True)
def _nothing_learnt() -> Iterator[None]:
    library._learnt.clear()
    yield
    library._learnt.clear()


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(params=DIALECTS, ids=lambda dialect: dialect.name)
def dialect(request: pytest.FixtureRequest) -> Dialect:
    return request.param


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def streaming(request: pytest.FixtureRequest) -> bool:
    return request.param
