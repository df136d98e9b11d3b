"""A model that says what it was told to say: a queue of answers and failures, and what it was asked."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.models.model import Answer, Failure, Model, ModelChoice, Trouble, Usage

Said = str | Answer | Failure | Callable[[Prompt], "str | Answer | Failure"]


@dataclass
class FakeModel:
    """Answers with *replies*, one after the other; with the last one for ever when *repeats*."""

    replies: list[Said] = field(default_factory=list)
    repeats: bool = False
    name: str = "fake/model"
    place: str = "nowhere"
    prompts: list[Prompt] = field(default_factory=list)

    def ask(
        self, prompt: Prompt, *, timeout_seconds: float, is_stopped: Callable[[], bool]
    ) -> Answer | Failure:
        self.prompts.append(prompt)
        if not self.replies:
            return Failure(Trouble.CONNECTION, "the fake model has nothing more to say")
        said = self.replies[0] if self.repeats and len(self.replies) == 1 else self.replies.pop(0)
        said = said(prompt) if callable(said) else said
        if isinstance(said, str):
            sent = (len(prompt.system) + len(prompt.text)) // 4
            return Answer(said, Usage(sent, len(said) // 4), self.name)
        return said


@dataclass
class FakeOpener:
    """Opens the same model for everybody."""

    model: Model | Failure
    choices: list[ModelChoice] = field(default_factory=list)

    def __call__(self, choice: ModelChoice) -> Model | Failure:
        self.choices.append(choice)
        return self.model


def always(*replies: Said) -> FakeModel:
    """Return a model that says *replies*, the last one again and again."""
    return FakeModel(list(replies), repeats=True)


def in_turn(replies: Iterable[Said]) -> FakeModel:
    """Return a model that says each of *replies* once."""
    return FakeModel(list(replies))
