"""Asking a model what could be merged, generalised or let go: before any lock, a few times at most.

What comes back is a plan, read and looked at once; whoever holds the lock looks at it again. Nothing here
writes a line. Asked is only about subjects with a line that it has not gone over yet, and not more often than
the owner's interval unless much is new: a model that is asked about the same lines again and again wears them
down to nothing. What one cycle has no room for, the next goes on with; while lines are hidden, so it does
with what an answer that used the cycle up left alone. Lines of private sessions are never part of a request.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.config import OFFLINE, Settings, seconds
from scrimshaw.core.consolidation.apply_plan import (
    Bars,
    Consolidation,
    ConsolidationPlan,
    Origins,
    RefusedStep,
    consolidate,
)
from scrimshaw.core.consolidation.coverage import MOST_RESTED_ON
from scrimshaw.core.consolidation.rules import room_for
from scrimshaw.core.prompting import reflect_prompt
from scrimshaw.core.section.budget import units
from scrimshaw.core.section.render import preamble
from scrimshaw.core.transcript.privacy import cut, read_patterns
from scrimshaw.core.types import EventType, Line, Observation
from scrimshaw.models.model import Failure, Opens, Trouble
from scrimshaw.resources import template
from scrimshaw.services.models.client import Consultant, Used, consultant
from scrimshaw.services.models.privacy_filter import leaves_out
from scrimshaw.services.publish.memory_file import read_document, section_budget
from scrimshaw.store.ledger import Ledger
from scrimshaw.workspace import Target

TEMPLATE = "reflector-prompt.md"
LAST_ASKED = "reflector-asked"  # the ledger's note of when a model was last asked, and about which lines
_PERSON = "person"
_MOST_TRIES = 3
_LEAST_LINES = 8  # of fewer, a quarter is no room for two to become one
_MOST_ORIGINS = 200  # looked at for one merge
_MUCH_NEW = 8  # lines: as many are worth a question before the interval is over


class Advice(NamedTuple):
    """What a model said, or why none did; *model* is "" when nobody was to be asked."""

    plan: ConsolidationPlan = ConsolidationPlan()
    model: str = ""
    place: str = ""
    tries: int = 0
    shown: int = 0  # lines in its requests
    left_out: int = 0  # new ones that wait for the next cycle
    used: Used = Used()
    trouble: str = ""  # why the rules go on alone, a sentence
    refused: tuple[RefusedStep, ...] = ()  # of the last answer, when nothing held
    is_stopped: bool = False
    mark: str = ""  # what to note, so that nobody is asked the same again; "" when nothing was answered
    gone_over: frozenset[str] = frozenset()  # the lines that it was asked about and has answered


NOBODY = Advice()


def advise(
    target: Target,
    ledger: Ledger,
    *,
    run_id: str,
    now: datetime,
    is_asked_for: bool,
    opens: Opens | None,
    is_stopped: Callable[[], bool],
) -> Advice:
    """Ask the reflector's model about the live lines and return its best plan; not under the write lock.

    *is_asked_for*: a person is waiting, so anything new is reason enough.
    """
    settings = target.config.settings
    if opens is None or settings.reflector_model == OFFLINE:
        return NOBODY
    prompt = template(TEMPLATE)
    mark = sha256(f"{settings.reflector_model}\n{prompt}\n{settings.instruction}".encode()).hexdigest()[:16]
    lines = _open_ones(ledger, settings)
    last = _last(ledger, mark)
    if len(lines) < _LEAST_LINES or not (
        is_asked_for or last is None or _is_time(ledger, last, now, seconds(settings.reflector_interval))
    ):
        return NOBODY
    chosen = reflect_prompt.choose_lines(lines, last.seen if last else frozenset())
    if not chosen.requests:
        return NOBODY
    asked = consultant(
        target, ledger, job="reflect", run_id=run_id, now=now, opens=opens, is_stopped=is_stopped
    )
    match asked:
        case None:
            return NOBODY
        case Failure():
            return Advice(model=settings.reflector_model, trouble=asked.detail)
        case _:
            terms = _terms(target, ledger, lines, prompt)
            return _Asking(asked, ledger, run_id, mark, terms).about(chosen, lines)


def note_asked(
    ledger: Ledger, advice: Advice, made: Iterable[Observation], waiting: Collection[str], now: datetime
) -> None:
    """Remember that a model has said what it has to say about the lines that it was asked about.

    *made* is what came of it. What it said of the lines *waiting* could not be done yet: of those it is asked
    again by the next run.
    """
    if not advice.mark:
        return
    last = _last(ledger, advice.mark)
    seen = (last.seen if last else frozenset()) | advice.gone_over | {one.id for one in made}
    live = (line.observation.id for line in ledger.live_lines())
    said = {
        "version": ledger.version(),
        "at_ms": 0 if waiting else milliseconds(now),
        "by": advice.mark,
        "seen": [id_ for id_ in live if id_ in seen and id_ not in waiting],
    }
    ledger.set_meta(LAST_ASKED, json.dumps(said))


def consolidated(
    ledger: Ledger,
    plan: ConsolidationPlan,
    lines: Sequence[Line],
    ids: Iterable[str],
    *,
    room: int,
    run_id: str,
) -> Consolidation:
    """Return what *plan*, which is about *ids*, makes of *lines* as the ledger and the person allow it."""
    return consolidate(
        plan,
        lines,
        room=room,
        run_id=run_id,
        is_barred=_bars(ledger),
        origins=_origins(ledger),
        kept=_kept_by_hand(ledger, ids),
    )


def _kept_by_hand(ledger: Ledger, ids: Iterable[str]) -> frozenset[str]:
    """Return those of *ids* that a person has brought back: what they want to read, nobody sums up."""
    return frozenset(
        id_
        for id_ in ids
        if any(
            stored.event.type is EventType.RESTORED and stored.event.by == _PERSON
            for stored in ledger.events_of(id_)
        )
    )


def _bars(ledger: Ledger) -> Bars:
    """Return what tells of a new line that it was there before, or that a person took it out (rule 8)."""

    def is_barred(made: Observation) -> bool:
        if ledger.line(made.id) is not None:
            return True  # made before of the same lines, and gone since: it is not to come back
        rests_on = [line.observation for line in ledger.lines(made.supports).values()]
        sourced = (replace(made, session_id=one.session_id, sources=one.sources) for one in rests_on)
        return any(ledger.tombstoned(one) is not None for one in (made, *sourced))

    return is_barred


def _origins(ledger: Ledger) -> Origins:
    """Return what tells what the lines of a new one were merged from, however often."""

    def found(made: Observation) -> Iterable[Observation]:
        known = ledger.lines(made.supports)
        ids = [id_ for line in known.values() for id_ in _merged_from(line.observation)]
        seen: dict[str, Observation] = {}
        while ids := [id_ for id_ in dict.fromkeys(ids) if id_ not in seen][: _MOST_ORIGINS - len(seen)]:
            earlier = {id_: line.observation for id_, line in ledger.lines(ids).items()}
            seen |= earlier
            ids = [id_ for one in earlier.values() for id_ in _merged_from(one)]
        return seen.values()

    return found


def _merged_from(line: Observation) -> tuple[str, ...]:
    return () if line.level else line.supports


class _Asking:
    """A cycle's questions, each asked again with what was wrong until an answer is good, or often enough."""

    def __init__(
        self, asked: Consultant, ledger: Ledger, run_id: str, mark: str, terms: reflect_prompt.ReflectTerms
    ) -> None:
        self._asked, self._ledger = asked, ledger
        self._run_id, self._mark, self._terms = run_id, mark, terms

    def about(self, chosen: reflect_prompt.ReflectRequests, lines: Collection[Line]) -> Advice:
        """Return one plan of the best answers to the questions *chosen*; no two ask about one line."""
        found = Advice(model=self._asked.name, place=self._asked.place, left_out=chosen.left_out)
        live, room = tuple(lines), room_for(len(lines))
        best: ConsolidationPlan | None = None
        for those in chosen.requests:
            if found.trouble or (found.tries and room < MOST_RESTED_ON):
                found = found._replace(left_out=found.left_out + len(those.lines))
                continue
            found, plan = self._asked_about(found, those, live, room)
            if plan is not None:
                done = self._done(plan, live, room, those)
                live, room = done.lines, room - done.removed
                best = plan if best is None else best.plus(plan)
        return self._concluded(found._replace(used=self._asked.used), best)

    def _asked_about(
        self, found: Advice, those: reflect_prompt.Shown, lines: Sequence[Line], room: int
    ) -> tuple[Advice, ConsolidationPlan | None]:
        """Return *found* with what became of the question about *those*, and the best answer to it."""
        terms = self._terms._replace(room=room)
        best: tuple[int, ConsolidationPlan] | None = None
        tries, refused = 0, found.refused
        while tries < _MOST_TRIES:
            question = reflect_prompt.reflect_question(those, terms)
            answer = self._asked.ask(question.prompt)
            if isinstance(answer, Failure):
                is_stopped = answer.trouble is Trouble.STOPPED
                found = found._replace(trouble=answer.detail, is_stopped=is_stopped)
                break
            tries += 1
            plan = reflect_prompt.read_plan(answer.text, question, is_cut=answer.is_cut)
            done = self._done(plan, lines, room, those)
            is_nothing = plan.is_closed and not plan.steps and not plan.refused
            if (is_nothing or done.removed) and (best is None or done.saved_units > best[0]):
                best = done.saved_units, plan
            if is_nothing or _is_good(plan, done):
                break
            refused = done.refused
            complaint = reflect_prompt.plan_complaint(done.refused, is_closed=plan.is_closed)
            terms = terms._replace(complaint=complaint)
        found = found._replace(tries=found.tries + tries, refused=refused if best is None else found.refused)
        if best is not None or not found.trouble:
            ids = frozenset(line.observation.id for line in those.lines)
            found = found._replace(shown=found.shown + len(ids), gone_over=found.gone_over | ids)
        return found, best and best[1]

    def _done(
        self, plan: ConsolidationPlan, lines: Sequence[Line], room: int, those: reflect_prompt.Shown
    ) -> Consolidation:
        ids = (line.observation.id for line in those.lines)
        return consolidated(self._ledger, plan, lines, ids, room=room, run_id=self._run_id)

    def _concluded(self, found: Advice, best: ConsolidationPlan | None) -> Advice:
        """Return what was found with the best plan; when there is one, a later failure is no trouble."""
        if found.is_stopped:
            return found
        if best is not None:
            return found._replace(plan=best, trouble="", refused=(), mark=self._mark)
        if found.trouble:
            return found  # nobody has answered these lines: another run asks again
        answers = "its answer" if found.tries == 1 else f"its {found.tries} answers"
        return found._replace(trouble=f"nothing in {answers} held", mark=self._mark)


def _is_good(plan: ConsolidationPlan, done: Consolidation) -> bool:
    """Tell whether an answer is worth no other one: whole, and most of it holds."""
    wrong = sum(one.reason != "room" for one in done.refused)
    return plan.is_closed and len(plan.steps) - wrong >= wrong and (done.removed > 0 or not wrong)


def _open_ones(ledger: Ledger, settings: Settings) -> list[Line]:
    """Return the live lines that may be told to a model."""
    leave_out = leaves_out(ledger, settings.private_sessions)
    patterns = read_patterns(settings.private_patterns).compiled
    # A pattern may be younger than the line, and a person may write anything into the section.
    return [
        line
        for line in ledger.live_lines()
        if not leave_out(line.observation) and not cut(line.observation.text, patterns)[1]
    ]


class _Last(NamedTuple):
    """When a model was last asked, at which version of the ledger, and the lines that it has gone over."""

    version: int
    at_ms: int
    seen: frozenset[str]


def _last(ledger: Ledger, mark: str) -> _Last | None:
    """Return the note of the last question; None when there is none of use, or it was another model's."""
    try:
        last = json.loads(ledger.meta().get(LAST_ASKED, "{}"))
        if last["by"] != mark:
            return None
        return _Last(int(last["version"]), int(last["at_ms"]), frozenset(map(str, last["seen"])))
    except (ValueError, KeyError, TypeError):
        return None


def _is_time(ledger: Ledger, last: _Last, now: datetime, interval_seconds: float) -> bool:
    """Tell whether the owner's interval is over, or much is new."""
    since = (milliseconds(now) - last.at_ms) / 1000
    # A time in the future was noted under a wrong clock.
    if not 0 <= since < interval_seconds:
        return True
    events = ledger.events_since(last.version)
    return sum(stored.event.type is EventType.OBSERVED for stored in events) >= _MUCH_NEW


def _terms(
    target: Target, ledger: Ledger, lines: Collection[Line], prompt: str
) -> reflect_prompt.ReflectTerms:
    document = read_document(target, ledger, target.layout.memory)[1]
    budget = section_budget(target, document).body_units - units(preamble(target.zone))
    settings = target.config.settings
    return reflect_prompt.ReflectTerms(
        room_for(len(lines)), max(0, budget), reflect_prompt.sizes(lines), prompt, settings.instruction
    )
