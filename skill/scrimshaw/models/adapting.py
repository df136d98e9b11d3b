"""What a model does not take is left out and asked again, within the same attempt, and remembered.

Servers and models of one protocol differ in what they take: the name of the output limit, a temperature, how
to think less. A refusal that names such a parameter is answered by the next way to say it, or by leaving it
out; what had to be left out is remembered while the process lives. Nothing else is ever asked twice here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from scrimshaw.models.correspondent import Told
from scrimshaw.models.failing import Said

Refused = Mapping[str, int]  # how many ways to say a parameter were refused so far
Send = Callable[[Refused], Told | Said]

# How a refusal names each parameter, in the words of the servers.
_NAMED = {
    "max_tokens": r"max_(?:completion_|output_)?tokens",
    "temperature": r"temperature|sampling parameter",
    "stream_options": r"stream_?options|include_usage",
    "thinking": r"thinking|reasoning|output_config|\beffort\b",
    "system": r"system[ _]?(?:role|message|prompt|instruction)|role.{0,20}system",
}
# The value is wrong then, not the parameter.
_TOO_MUCH = re.compile("too (?:large|many|long)|at most|exceed|less than|greater than|context length")
_REFUSING = (400, 422)
_learnt: dict[str, Refused] = {}


def adapted(send: Send, whose: str, ways: Mapping[str, int]) -> Told | Said:
    """Return what *send* gets, asked anew for each refused parameter while there is another way to say it.

    *ways* names the parameters that can be said otherwise, and how often; *whose* is what refusals are
    remembered by: a server and its model.
    """
    refused = _learnt.get(whose, {})
    while True:
        outcome = send(refused)
        if isinstance(outcome, Told):
            _learnt[whose] = refused
            return outcome
        name = _refused_by(outcome, {name: most - refused.get(name, 0) for name, most in ways.items()})
        if not name:
            return outcome
        refused = {**refused, name: refused.get(name, 0) + 1}


def forget() -> None:
    """Forget what was refused; for tests, which meet many servers in one process."""
    _learnt.clear()


def _refused_by(said: Said, left: Mapping[str, int]) -> str:
    if said.status not in _REFUSING:
        return ""
    message = said.message.lower()
    for name, most in left.items():
        named = re.compile(_NAMED[name])
        if most <= 0 or not (named.search(said.parameter.lower()) or named.search(message)):
            continue
        if name == "max_tokens" and _TOO_MUCH.search(message):
            continue
        return name
    return ""
