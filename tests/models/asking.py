"""How the tests of the models ask: one prompt, a server that says what it is told, one call."""

from collections.abc import Callable

from tests.model_server import Asked, Wire, WireServer

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.models.model import Answer, Failure, Model

PROMPT = Prompt("Take notes, in one line each.", "The crate of limes goes to Harbour Street on Monday.", 400)


def serving(*wires: Wire) -> WireServer:
    """A server that says *wires* in turn, and the last one for ever."""
    left = list(wires)

    def answers(_: Asked) -> Wire:
        return left.pop(0) if len(left) > 1 else left[0]

    return WireServer(answers)


def ask(
    model: Model,
    *,
    prompt: Prompt = PROMPT,
    seconds: float = 20,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Answer | Failure:
    return model.ask(prompt, timeout_seconds=seconds, is_stopped=is_stopped)
