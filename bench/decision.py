"""What rules and the trained judge of change would decide together: measured by bench/changes, used nowhere.

The observer closes by rule alone: of what the judge would close in real talk three in ten still hold (two
decisions of one form, two machines). Rules are hardly ever wrong.
"""

from __future__ import annotations

import re

from scrimshaw.core.extraction import change_judge
from scrimshaw.core.extraction.change_features import Setting, Statement
from scrimshaw.core.extraction.claim_changes import Update, is_called_off, leaves_alone, update_of
from scrimshaw.core.ledger.known_lines import content_words
from scrimshaw.core.text import entities
from scrimshaw.core.types import Kind, Place

_SURE = 1_000  # what a rule is, in the unit of the judge
_NAMED = re.compile(r"(?<=[^.!?:] )[A-Z][\w-]+")  # within a sentence: Frankfurt, Postgres
_CLAUSE_END = re.compile(r"[,;]|\. ")
_WORK = re.compile(r"\b[A-Za-z]{2,10}-\d+|#\d+|\b[A-Z]{2,4} \d{2,5}\b")  # a ticket, a flight


def judged_update(
    new: Statement, old: Statement, setting: Setting, *, is_grave: bool = False
) -> change_judge.Verdict | None:
    """Return what *new* makes of *old*, None when it leaves it alone. *is_grave*: losing *old* does harm.

    Done means called off, too.
    """
    verdict = change_judge.judged(new, old, setting)
    bound = change_judge._model().careful_bound if is_grave else change_judge._model().bound
    return verdict if verdict and verdict.sureness >= bound else None


def decided(
    now: Statement, before: Statement, setting: Setting, *, is_own: bool = True, is_grave: bool = False
) -> tuple[Update, int] | None:
    """Return what *now* makes of *before*, by rule or else by the trained judge, and how sure that is.

    *is_own*: *now* is the person's own word; *is_grave*: it does harm when *before* is lost.
    """
    is_open = before.place is Place.OPEN
    if is_own and before.kind not in (Kind.OUTCOME, Kind.ISSUE):
        update = update_of(now.text, before.text, is_open=is_open)
        if update is not None:
            return update, _SURE
    work = _work_of(now.text, before.text)
    if work is not None and work not in content_words(before.text):
        return None  # another piece of work
    if work is not None and is_open and (now.is_done or now.kind is Kind.OUTCOME):
        return Update.DONE, _SURE
    if work is not None and is_called_off(now.text):
        return Update.OFF, _SURE
    if leaves_alone(now.text, before.text) or _names_others(now.text, before.text):
        return None
    verdict = judged_update(now, before, setting, is_grave=is_grave)
    if verdict is None or not (is_own or (is_open and verdict.update is Update.DONE)):
        return None
    if verdict.update is Update.REPLACED and is_open and now.place is Place.LOG:
        return Update.OFF, verdict.sureness  # what tells how it went opens nothing
    is_part = verdict.update is Update.DONE and "%" in _CLAUSE_END.split(now.text, maxsplit=1)[0]
    return None if is_part else verdict


def _names_others(now: str, before: str) -> bool:
    """Tell whether both name something, and nothing of it alike: "node-1 runs …", "node-2 runs …"."""
    one, other = (
        {*map(str.lower, entities.identifiers(text)), *_NAMED.findall(entities.without_days(text))}
        for text in (now, before)
    )
    return bool(one and other) and one.isdisjoint(other)


def _work_of(now: str, before: str) -> str | None:
    """Return the first piece of work that *now* names of those that are numbered as one in *before* is."""
    told, named = ([hit.lower().replace(" ", "-") for hit in _WORK.findall(one)] for one in (now, before))
    sorts = {one.rstrip("0123456789") for one in named}
    return next((one for one in told if one.rstrip("0123456789") in sorts), None)
