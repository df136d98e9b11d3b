"""What every suite shares: the evaluation folders, fake secrets, a clock that stands still.

The evaluation material lies beside the repository, not in it; where it is absent, the tests that
need it are skipped with a line that says so. Everything else a test builds itself.

Hypothesis: the profiles `quick` (the default) and `ci` (three times as many examples, scripts/test-host) try
the same examples on every run; `thorough` is for scripts/test-long, many more examples and, outside CI, new
ones. SCRIMSHAW_HYPOTHESIS chooses another.
"""

import os
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from tests.support.prepared import Prepared

from scrimshaw import files
from scrimshaw.index import embedding, multilingual
from scrimshaw.services.observe import session

ROOT = Path(__file__).resolve().parent.parent

# A developer's own OpenClaw, settings or SCRIMSHAW_ variables must not decide a test. Done once, here, so
# that it holds for fixtures of every scope and for the programs that tests start.
_KEPT = ("SCRIMSHAW_TEST_", "SCRIMSHAW_HYPOTHESIS", "SCRIMSHAW_HOST_CACHE")
for _name in list(os.environ):
    if _name.startswith("OPENCLAW_") or (_name.startswith("SCRIMSHAW_") and not _name.startswith(_KEPT)):
        del os.environ[_name]
os.environ["XDG_CONFIG_HOME"] = str(ROOT / "tests" / "no-settings-here")
# By words alone the rules note the same on every machine; tests/core/test_by_meaning has the rest.
os.environ["SCRIMSHAW_WEIGH_BY_MEANING"] = "false"

_shared = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("quick", derandomize=True, max_examples=20, stateful_step_count=20, **_shared)
settings.register_profile("ci", derandomize=True, max_examples=60, stateful_step_count=30, **_shared)
settings.register_profile(
    "thorough",
    # New examples by hand, the same ones where a red run blocks others.
    derandomize=bool(os.environ.get("CI")),
    max_examples=400,
    stateful_step_count=60,
    print_blob=True,
    **_shared,
)
settings.load_profile(os.environ.get("SCRIMSHAW_HYPOTHESIS", "quick"))
if settings().derandomize and hasattr(providers, "_get_local_constants"):
    # It also draws the constants of all modules that are loaded: the same test would try other examples
    # when it runs beside other tests.
    providers._get_local_constants = lambda: providers._local_constants


@pytest.fixture(scope="session", autouse=True)
def _models_are_loaded_once() -> Iterator[None]:
    """Keep each sentence model that was loaded: every command in a test would load it anew, 0.3 to 1.4 s."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedding, "Local", cache(embedding.Local))
        patch.setattr(multilingual, "Multilingual", cache(multilingual.Multilingual))
        yield


@pytest.fixture(scope="session", autouse=True)
def _words_alone_decide() -> Iterator[None]:
    """Let no model weigh what this process observes, whatever its settings say."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "reads_of", lambda _settings, _is_stopped: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def linger_seconds() -> Iterator[float]:
    """Return how long a write waits for others: in tests not at all, but in tests/crash."""
    was = files._LINGER_SECONDS
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "_LINGER_SECONDS", 0.0)
        yield was


@pytest.fixture(scope="session")
def repo_root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def evaluation_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked evaluation material, or a skip that says what is missing."""
    unpack = ROOT.parent / "shared" / "unpack"
    if not unpack.is_file():
        pytest.skip("the evaluation material is not here (no shared/unpack beside the repository)")
    answer = subprocess.run(["bash", str(unpack)], capture_output=True, text=True, check=False, timeout=300)
    if answer.returncode:
        pytest.fail(f"shared/unpack failed: {answer.stderr.strip()}")
    return Path(answer.stdout.strip().splitlines()[-1])


@pytest.fixture(scope="session")
def samples_folder(evaluation_folder: Path) -> Path:
    """Transcripts that real hosts wrote, each folder with its truth.json."""
    return evaluation_folder / "samples"


def build_fake_secret(kind: str) -> str:
    """Return an invented secret of *kind*; put together here so that no scanner finds it in a file."""
    letters, digits = "QWERTZUIOPLKJHGF", "7391528460"
    mixed = "hT4kq9Zx2LmV8sRw3NbY6cJd5PfGa1Ue0Ki7"
    match kind:
        case "aws-key":
            return "AK" + "IA" + letters
        case "github-token":
            return "gh" + "p_" + mixed
        case "openai-key":
            return "sk" + "-proj-" + mixed
        case "slack-token":
            return "xo" + "xb-" + digits + "12-" + digits[::-1] + "34-" + mixed[:24]
        case "google-key":
            return "AI" + "za" + "Sy" + (mixed + mixed)[:33]
        case "bearer":
            return "Authorization: " + "Bearer " + mixed
        case "jwt":
            return "ey" + "JhbGciOiJIUzI1NiJ9" + ".ey" + "JzdWIiOiI0MiJ9" + "." + mixed
        case "private-key":
            edge = "-" * 5
            label = "PRIVATE " + "KEY"
            return f"{edge}BEGIN {label}{edge}\n{mixed}{mixed[:28]}\n{mixed[::-1]}==\n{edge}END {label}{edge}"
        case "url-password":
            return "postgres" + "://clerk:" + mixed[:16] + "@db.example:5432/ledger"
        case "assignment":
            return "LEDGER_" + "PASSWORD=" + mixed[:20]
        case "webhook":
            return (
                "https://hooks."
                + "slack.com/services/"
                + "T"
                + digits[:8]
                + "/B"
                + digits[2:]
                + "/"
                + mixed[:24]
            )
        case _:
            raise ValueError(f"no fake secret of the kind {kind!r}")


@pytest.fixture(scope="session")
def fake_secret() -> Callable[[str], str]:
    return build_fake_secret


class FakeClock:
    """A clock that moves only when told; call it for an aware datetime."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **parts: float) -> datetime:
        """Move on by timedelta(**parts) and return the new time."""
        self.now += timedelta(**parts)
        return self.now

    @property
    def now_ms(self) -> int:
        return int(self.now.timestamp() * 1000)


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """What many tests begin with is built once."""
    return Prepared(tmp_path_factory.mktemp("prepared"))


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(datetime(2026, 11, 20, 18, 0, tzinfo=UTC))
