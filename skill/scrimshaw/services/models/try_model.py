"""`scrimshaw models test`: a few invented lines go the whole way of a window, and it is told what came of it.

Nothing of the owner's is sent: no transcript, no line of the ledger, not the `instruction`. Otherwise it is
the real way: the same prompt, caps, redaction, client, reader and gate. Nothing of the answer is noted; what
it cost counts like any other call.
"""

from __future__ import annotations

import tempfile
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Any, Literal, NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.prompting.observe_reply import read_reply
from scrimshaw.core.prompting.observe_request import observe_question
from scrimshaw.core.section.render import visible
from scrimshaw.core.transcript.windows import entry_tokens
from scrimshaw.core.types import Entry, Rejected, Role, Session, SessionKind, Verified, Window
from scrimshaw.core.verification.verify import judge, prepare
from scrimshaw.errors import Exit
from scrimshaw.models.model import PASSING, Answer, Failure, Opens
from scrimshaw.resources import template
from scrimshaw.services.models.client import Consultant, Used, consultant
from scrimshaw.services.models.outages import note_answer, outage_of
from scrimshaw.services.runs import new_run_id
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Run
from scrimshaw.workspace import Target, is_set_up

_SHOWN_CHARS = 600
_MINUTE_MS = 60_000
# Invented, and rich enough for three lines: a date, a number, a wish.
_SAID = (
    (Role.USER, "We moved the spring fair from 12 May 2027 to 19 May 2027, the hall was taken."),
    (Role.ASSISTANT, "Understood: the spring fair is on 19 May 2027."),
    (Role.USER, "I still have to order 40 chairs. And please always answer me in short sentences."),
    (Role.ASSISTANT, "I will. The 40 chairs are still to be ordered."),
)


class Tried(NamedTuple):
    """What came of asking one model. *outcome*:

    works: closed, and lines that hold. nothing: closed, and not a line of it holds. unclosed: it answered,
    but not in the form that was asked for. failed: no answer, *failure* says why.
    """

    name: str
    outcome: Literal["works", "nothing", "unclosed", "failed"]
    place: str = ""
    answered_by: str = ""
    seconds: float = 0.0
    used: Used = Used()
    held: tuple[str, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()  # reason, text
    said: str = ""  # the beginning of the answer, when it was not what was asked for
    failure: Failure | None = None

    @property
    def exit_code(self) -> Exit:
        """What the command ends with: 3 when waiting may help or it answers half right."""
        match self.outcome:
            case "works":
                return Exit.OK
            case "failed" if self.failure is not None and self.failure.trouble not in PASSING:
                return Exit.MENDABLE
            case _:
                return Exit.PARTLY

    def to_dict(self) -> dict[str, Any]:
        """Return it as `scrimshaw models test --json` prints it."""
        return {
            "model": self.name,
            "outcome": self.outcome,
            "place": self.place,
            "answered_by": self.answered_by,
            "seconds": round(self.seconds, 2),
            "tokens_in": self.used.tokens_in,
            "tokens_out": self.used.tokens_out,
            "cost_microdollars": self.used.cost_microdollars,
            "held": list(self.held),
            "refused": [{"reason": reason, "text": text} for reason, text in self.refused],
            "said": self.said,
            "trouble": self.failure.trouble.value if self.failure else "",
            "detail": self.failure.detail if self.failure else "",
            "exit_code": int(self.exit_code),
        }


def ask_model(target: Target, name: str, *, now: datetime, opens: Opens) -> Tried:
    """Ask with the workspace's own ledger, whose caps hold; without one with a ledger for the moment."""
    if is_set_up(target.layout):
        with open_ledger(target.layout.ledger, create=False) as ledger:
            return try_model(target, ledger, name, now=now, opens=opens)
    with (
        tempfile.TemporaryDirectory(prefix="scrimshaw-test-") as folder,
        open_ledger(Path(folder) / "ledger.sqlite", create=True) as ledger,
    ):
        return try_model(target, ledger, name, now=now, opens=opens)


def try_model(target: Target, ledger: Ledger, name: str, *, now: datetime, opens: Opens) -> Tried:
    """Ask the model *name* about a few invented lines, as *target*'s settings would have it asked."""
    at_ms = milliseconds(now)
    run_id = new_run_id(now)
    ledger.begin_run(Run(run_id, "test", "command", name, at_ms))
    outcome = "killed"
    try:
        asked = consultant(target, ledger, job="test", run_id=run_id, now=now, opens=opens, name=name)
        tried = (
            _asked(asked, ledger, name, _window(target, at_ms))
            if isinstance(asked, Consultant)
            else Tried(name, "failed", failure=asked)
        )
        outcome = tried.outcome
        return tried
    finally:
        ledger.finish_run(run_id, outcome=outcome, at_ms=at_ms)


def _asked(asked: Consultant, ledger: Ledger, name: str, window: Window) -> Tried:
    question = observe_question(window, (), template=template("observer-prompt.md"))
    began = monotonic()
    answer = asked.ask(question.prompt)
    if isinstance(answer, Answer) and outage_of(ledger, name):
        note_answer(ledger)  # `status` would go on saying that it cannot be asked
    tried = Tried(name, "failed", asked.place, seconds=monotonic() - began, used=asked.used)
    if isinstance(answer, Failure):
        return tried._replace(failure=answer)
    reply = read_reply(answer.text, question, window, is_cut=answer.is_cut)
    evidence, known = prepare(window), KnownLines()
    verdicts = [judge(proposal, evidence, known) for proposal in reply.proposals]
    held = tuple(one.proposal.text for one in verdicts if isinstance(one, Verified))
    refused = [*reply.rejected, *(one for one in verdicts if isinstance(one, Rejected))]
    outcome: Literal["works", "nothing", "unclosed"] = (
        "unclosed" if not reply.is_closed else "works" if held else "nothing"
    )
    return tried._replace(
        outcome=outcome,
        answered_by=answer.model,
        held=held,
        refused=tuple((one.reason, one.proposal.text) for one in refused),
        said="" if outcome == "works" else _beginning(answer),
    )


def _beginning(answer: Answer) -> str:
    text = visible(answer.text.strip())
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]} …"


def _window(target: Target, at_ms: int) -> Window:
    session = Session("models-test", "", target.agent_id, SessionKind.DIRECT)
    began_ms = at_ms - len(_SAID) * _MINUTE_MS
    entries = tuple(
        Entry(session.session_id, f"test-{number}", number, began_ms + number * _MINUTE_MS, role, text)
        for number, (role, text) in enumerate(_SAID, start=1)
    )
    return Window(session, entries, sum(map(entry_tokens, entries)), target.zone)
