"""Whether a later line makes an earlier one untrue, as far as their words tell; when in doubt it does not.

Both stay otherwise, and a line too many only costs room. What is important gives way only to what is as
important and says that something has changed, or says it all again: what Dana prefers is not what Priya
prefers, nor are her meetings her tea. Knows the two lines only.
"""

from __future__ import annotations

import re

from scrimshaw.core.consolidation.coverage import IMPORTANT, Refusal, limit_lost
from scrimshaw.core.language import cues
from scrimshaw.core.ledger.known_lines import content_words, is_identifier
from scrimshaw.core.types import Line, Observation, Place, Role

_LEAST_SHARED = 0.4  # of the fewer words, of two lines about the same
_LEAST_SHARED_OF_IMPORTANT = 0.5
_SAID_AGAIN = 0.8  # of an important line's words
_NOBODYS = content_words("user person owner me we agent assistant") | {"user"}
_SAYING = _NOBODYS | content_words("says said states stated wants wanted prefers likes asked decided uses")
_ASKED = re.compile(
    r"(?:the )?(?:(?:user|person) )?(?:asked|asks|wonder(?:s|ed)|wants to know)\b", re.IGNORECASE
)
_CHANGED = re.compile(r"\bnow\b|\bno longer\b|\bnot any ?more\b|\bfrom .{1,60} to\b", re.IGNORECASE)


def not_replaced(line: Line, by: Line) -> Refusal | None:
    """Return why *by* does not take the place of *line*."""
    old, new = line.observation, by.observation
    if new.said_at_ms <= old.said_at_ms:
        return Refusal("older", "only a line that was said later supersedes another")
    if line.standing.is_shown and by.standing.is_set_aside:
        return Refusal("hidden", "a person has put the later line away: nothing would stand for the earlier")
    is_report = line.standing.place is Place.OPEN and new.done
    if old.speaker is Role.USER and new.speaker is not Role.USER and not is_report:
        return Refusal("speaker", "what the person said is superseded only by their own words")
    if old.priority >= IMPORTANT and new.priority < IMPORTANT and not is_report:
        return Refusal("important", "an important line is superseded only by one as important")
    if by.standing.is_expired or new.level > old.level:
        return Refusal("later", "the later line is a pattern, or of unknown outcome")
    return _about_another(old, new, is_report=is_report)


def _about_another(old: Observation, new: Observation, *, is_report: bool) -> Refusal | None:
    """Return that two lines are not about the same, as far as words tell."""
    if _ASKED.match(new.text):
        return Refusal("about", "who asks says nothing that could supersede anything")
    refusal = Refusal("about", "the two lines are not about the same")
    mine, theirs = (content_words(one.text) - _SAYING for one in (old, new))
    shared = mine & theirs
    if shared and _is_same_claim(old, new):
        return None
    is_important = old.priority >= IMPORTANT
    least = _LEAST_SHARED_OF_IMPORTANT if is_important else _LEAST_SHARED
    if not shared or len(shared) < least * min(len(mine), len(theirs)):
        return refusal
    if len(shared) == 1 and not any(map(is_identifier, shared)) and min(len(mine), len(theirs)) > 1:
        return refusal
    is_change = any(cue.search(new.text) for cue in (cues.CHANGE, cues.MOVES, _CHANGED))
    is_again = len(shared) >= _SAID_AGAIN * len(mine) and not limit_lost(old.text, new.text)
    return refusal if is_important and not (is_report or is_change or is_again) else None


def _is_same_claim(old: Observation, new: Observation) -> bool:
    """Whether both say something of one subject; "user wants" is said of nearly everything."""
    if old.claim is None or new.claim is None or old.claim[:2] != new.claim[:2]:
        return False
    return not content_words(old.claim.subject) <= _NOBODYS
