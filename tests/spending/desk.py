"""What the tests around money share: one agent's ledger, a clock that can be moved, and odd models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.fake_model import FakeModel, FakeOpener, Said

from scrimshaw.config import Config, Settings
from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.layout import Layout
from scrimshaw.models.keys import Key
from scrimshaw.models.model import Answer, Failure, Model, Usage
from scrimshaw.services.models.client import Consultant, Job, Waits, consultant
from scrimshaw.sources.discover import Agent
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Run
from scrimshaw.workspace import Target

MODEL = "fake/model"
START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
PROMPT = Prompt("Note what matters.", "Nora ordered bottles. " * 100, most_output_tokens=500)
PRICES = {MODEL: (1.0, 10.0)}  # dollars for a million


@dataclass
class Time:
    """A wall clock and a monotonic one; sleeping moves both."""

    now: datetime = START
    elapsed: float = 1_000.0
    slept: list[float] = field(default_factory=list)

    def monotonic(self) -> float:
        return self.elapsed

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.pass_by(seconds)

    def pass_by(self, seconds: float) -> None:
        self.elapsed += seconds
        self.now += timedelta(seconds=seconds)

    def waits(self, chance: float = 0.5) -> Waits:
        return Waits(self.monotonic, self.sleep, lambda: chance)


@dataclass
class Desk:
    """One agent's ledger, and everything that is needed to ask a model."""

    folder: Path
    settings: Mapping[str, object] = field(default_factory=dict)
    zone: str = "UTC"
    time: Time = field(default_factory=Time)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.ledger(create=True) as ledger:
            if ledger.last_run() is None:
                ledger.begin_run(Run("r1", "observe", "test", MODEL, 0))

    @property
    def path(self) -> Path:
        return self.folder / "ledger.sqlite"

    def ledger(self, *, create: bool = False) -> Ledger:
        return open_ledger(self.path, create=create)

    def target(self) -> Target:
        agent = Agent(
            "main", self.folder, self.folder, "", (), is_default=True, config_path=self.folder / "c"
        )
        said = {"observer_model": MODEL, "reflector_model": MODEL, "prices": PRICES, **self.settings}
        settings = Settings(**said)  # type: ignore[arg-type]  # as the test says them
        return Target(Layout(self.folder), (agent,), Config(settings, {}), self.zone)

    def consultant(
        self,
        ledger: Ledger,
        model: Model,
        *,
        job: Job = "observe",
        run_id: str = "r1",
        is_stopped: Callable[[], bool] = lambda: False,
        chance: float = 0.5,
    ) -> Consultant:
        made = consultant(
            self.target(),
            ledger,
            job=job,
            run_id=run_id,
            now=self.time.now,
            opens=FakeOpener(model),
            is_stopped=is_stopped,
            waits=self.time.waits(chance),
        )
        assert isinstance(made, Consultant)
        return made

    def ask(self, model: Model, prompt: Prompt = PROMPT, *, job: Job = "observe") -> Answer | Failure:
        """Ask once, as a process of its own would: with its own ledger and consultant."""
        with self.ledger() as ledger:
            return self.consultant(ledger, model, job=job).ask(prompt)


def answer(tokens_in: int = 600, tokens_out: int = 100, *, is_estimated: bool = False) -> Answer:
    """Return an answer that says what it used."""
    return Answer('{"done": 0}', Usage(tokens_in, tokens_out, is_estimated), "fake-model-1")


@dataclass
class KeyedModel(FakeModel):
    """A model that takes a key."""

    key: Key = field(default_factory=lambda: Key("FAKE_KEY", "one"))


def keyed(*replies: Said, key: str = "one") -> KeyedModel:
    """Return a model with *key* that says *replies*, the last one again and again."""
    return KeyedModel(list(replies), repeats=True, key=Key("FAKE_KEY", key))
