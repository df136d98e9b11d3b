"""The labelled set as a model reads it the second time: the requests, and the replies that were recorded.

A note and what was made of it by changing one thing never stand in one request, as they never would in use:
each request holds one of each family at most, the others of the same situation. More of them are wrong than
in use, and some the gate has refused already: their answers change nothing. The replies in
`verify_cases/second_reading.jsonl` were given by a large language model to exactly these requests, those of a
situation each in another conversation, under version 1 of the prompt, which is kept beside them: version 2
adds what a note without a subject means and what closes an earlier line, and no case here has either. A
smaller model will do worse; `--ask NAME` measures yours, under the prompt as it is.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from typing import NamedTuple

from bench.verify_changes import changed, turned_plainly
from bench.verify_set import FOLDER, Case, Situation, note, read
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.core.prompting.judge_prompt import ask_to_read, read_judged
from scrimshaw.core.prompting.observe_request import system_text
from scrimshaw.core.types import UNREAD, Readings, Session, SessionKind, Verdict, Window
from scrimshaw.core.verification.judge import judge_as_read, to_read
from scrimshaw.core.verification.verify import Evidence, prepare
from scrimshaw.models.model import Failure, ModelChoice
from scrimshaw.models.opening import opener
from scrimshaw.resources import template

RECORDED = FOLDER / "second_reading.jsonl"
AS_RECORDED = FOLDER / "second_reading_prompt_1.md"
SESSION = Session("s", "agent:main:main", "main", SessionKind.DIRECT)
_TIMEOUT_SECONDS = 120
READ = frozenset(("good", "polarity", "retold", "speaker", "merged", "swapped"))


class Batch(NamedTuple):
    """What one request asks about: notes of one situation, no two of them made of the same one."""

    key: str  # file, situation and number
    cases: tuple[Case, ...]


def batches(file: str, rng: random.Random) -> Iterator[Batch]:
    """Yield the requests for the situations of that file; each case of a class in READ stands in one."""
    for place, situation in enumerate(read(file)):
        families = [found for found in _families(situation, rng) if found]
        most = max(map(len, families), default=0)
        asked: list[list[Case]] = [[] for _ in range(most)]
        for at, family in enumerate(families):
            for number, case in enumerate(family):
                asked[(number + at) % most].append(case)
        for number, cases in enumerate(asked):
            yield Batch(f"{file} {place} {number}", tuple(cases))


def _families(situation: Situation, rng: random.Random) -> Iterator[list[Case]]:
    for entry in situation.entries:
        for text in turned_plainly(entry.text):
            yield [Case("retold", note(text, entry.role, (entry,)), (entry,), tuple(situation.entries))]
    family: list[Case] = []
    for case in situation.cases:
        if case.label == "good":
            yield family
            family = []
        family += [one for one in (case, *_changed(case, rng)) if one.label in READ]
    yield family


def _changed(case: Case, rng: random.Random) -> Iterator[Case]:
    if case.label == "good":
        yield from changed(case, rng)


def prompt_of(batch: Batch) -> Prompt:
    """Return the request of *batch*, as the product sent it when the replies were recorded."""
    window = Window(SESSION, batch.cases[0].window, 0, "UTC")
    notes = [case.proposal for case in batch.cases]
    return ask_to_read(window, notes, template=AS_RECORDED.read_text(encoding="utf-8"))


Answers = Callable[[Batch, Prompt], str | None]  # what was said to a request; None: nothing


class Reread(NamedTuple):
    """Cases in the light of a second reading."""

    cases: list[Case]
    readings: Mapping[int, Readings]  # by the identity of a case
    requests: int
    unanswered: int  # without an answer that counts: there the gate's own verdict stands

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """Return the verdict over *case*, as services/observe/verify would come to it."""
        return judge_as_read(case.proposal, evidence, KnownLines(), self.readings[id(case)])


def reread(found: Iterable[Batch], answers: Answers) -> Reread:
    """Return what comes of *found* when *answers* answers them."""
    cases: list[Case] = []
    readings: dict[int, Readings] = {}
    requests = unanswered = 0
    for batch in found:
        said = answers(batch, prompt_of(batch))
        judged = None if said is None else read_judged(said, len(batch.cases))
        requests += 1
        unanswered += judged is None
        for place, case in enumerate(batch.cases):
            cases.append(case)
            readings[id(case)] = UNREAD if judged is None else _alone(case, judged[place])
    return Reread(cases, readings, requests, unanswered)


def _alone(case: Case, why: str | None) -> Readings:
    evidence = prepare(Window(SESSION, case.window, 0, "UTC"))
    wanted = to_read([case.proposal], evidence, KnownLines(), "all")
    return wanted.readings((why,)) if wanted.noted else UNREAD


def recorded() -> Answers:
    """Return the replies that were recorded; none for a request that is no longer the same to the letter."""
    lines = map(json.loads, RECORDED.read_text(encoding="utf-8").splitlines())
    said = {line["request"]: str(line["reply"]) for line in lines}
    return lambda _batch, prompt: said.get(sha_of(prompt))


def vouching(batch: Batch, _prompt: Prompt) -> str:
    """Return what a model says that stands by everything it wrote."""
    return json.dumps({"holds": [*range(1, len(batch.cases) + 1)]})


def sha_of(prompt: Prompt) -> str:
    """Return what a recorded reply is found by."""
    return sha256(f"{prompt.system}\0{prompt.text}".encode()).hexdigest()[:16]


def asked_of(name: str) -> Answers:
    """Return the replies of the model of that name, asked now; its key is looked for as ever."""
    model = opener(os.environ)(ModelChoice(name))
    if isinstance(model, Failure):
        raise SystemExit(model.detail)

    def asks(_batch: Batch, prompt: Prompt) -> str | None:
        now = prompt._replace(system=system_text(template("second-reading-prompt.md")))
        said = model.ask(now, timeout_seconds=_TIMEOUT_SECONDS, is_stopped=lambda: False)
        return None if isinstance(said, Failure) else said.text

    return asks
