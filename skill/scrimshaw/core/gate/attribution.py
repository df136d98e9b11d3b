"""Who said it: whether what a line puts into somebody's mouth is theirs and not another's.

A line may cite the person and the assistant; then the words tell whose it is. What only the assistant
proposed is no decision of the person until they agree; what the person asked they did not state; what
the person wants the assistant does not propose. Each function returns "" or why the line is wrong, for
a person.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from scrimshaw.core.model import Role
from scrimshaw.core.spelling import normal
from scrimshaw.core.witness import Witness
from scrimshaw.core.wording import split_words

_VERBS = (
    r"said|say|stat\w+|ask\w*|want\w*|prefer\w*|decid\w*|plan\w*|need\w*|confirm\w*|agree\w*"
    r"|like\w*|dislike\w*|report\w*"
    r"|mention\w*|request\w*|suggest\w*|recommend\w*|propos\w*|will|has|is|was|chose|choose\w*|told"
    r"|approv\w*|reject\w*|fix\w*"
    r"|found|ran|notes?|noted|offer\w*|set|chang\w*|mov\w*|switch\w*|drop\w*|enabl\w*|disabl\w*"
    r"|remov\w*|add\w*|creat\w*|replac\w*"
    r"|updat\w*|merg\w*|deploy\w*|install\w*|complain\w*|demand\w*|insist\w*|would|wish\w*|hop\w*"
    r"|intend\w*|consider\w*|us(?:e|es|ed)"
    r"|made|makes|wrote|writes|built|measur\w*|compar\w*|calculat\w*|warn\w*|explain\w*|advis\w*"
    r"|point\w*|thinks?|thought|believ\w*"
    r"|expect\w*|accept\w*|declin\w*|refus\w*|forbid\w*|forbade|allow\w*|bans?|banned|turn\w*|went"
    r"|goes|took|takes|got|gets|gave"
    r"|checks?|checked|tested|tests|verif\w*|increas\w*|rais\w*|lower\w*|restart\w*|stop\w*"
    r"|start\w*|kept|keeps|sent|sends|book\w*"
    r"|bought|sold|paid|pays|does|did|cancel\w*|can|cannot|must|should"
)
_ATTRIBUTION = re.compile(
    rf"(?:^|[;.:]\s+|\b(?:and|but|,) )(?:the )?(?P<who>user|person|owner|human|assistant|agent|tool"
    rf"|bot)(?:'s)? (?P<verb>{_VERBS})\b"
    r"(?P<rest>[^;]*)",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"\b(?:ask\w*|wonder\w*|question\w*|consider\w*|unsure|whether|curious|thinking|request\w*"
    r"|weigh\w*|might|may|maybe|inquir\w*|enquir\w*"
    r"|wants? to know|think about|undecided|not (?:yet )?decided|explor\w*|look\w* into|open)\b|\?"
)
_REQUEST = re.compile(
    r"\b(?:(?:can|could|would|will) (?:you|we|i)|please|pls|mind|shall we|let's|how about"
    r"|what about|why (?:don't|not))\b"
)
_TAG = re.compile(
    r"(?:,\s*(?:right|ok|okay|no|yes|isn't it|correct|eh|deal|agreed)|\b(?:you know|remember|did you))\s*\?$"
)
_AGREES = re.compile(
    r"\b(?:yes|yep|yeah|yup|sure|ok|okay|k|agreed?|go ahead|go for|go with|do (?:it|that|so)"
    r"|sounds? (?:good|great|fine)|perfect|great"
    r"|good (?:idea|plan|point|call)|fine|works for me|let's|take (?:it|that|the|this|one|option)"
    r"|we take|i(?:'ll| will)? take|that one"
    r"|this one|the (?:first|second|third|last|former|latter|cheaper|other)|option|exactly|correct"
    r"|right|please do|love it|deal|approved?"
    r"|confirmed?|book (?:it|that|the)|makes sense|convinced|merge|ship it|apply|use (?:it|that"
    r"|the)|wins?|then|as you (?:say|suggest\w*)"
    r"|your suggestion|thanks|thank you|good|nice|cool)\b"
)
_SUGGESTS = re.compile(
    r"\b(?:suggest\w*|recommend\w*|propos\w*|could|consider|how about|what about|would|i'd"
    r"|option\w*|might|try|should|better|alternativ\w*"
    r"|advise|shall|may want|one way|instead|best|prefer|offer|either)\b|\?"
    r"|(?:^|[.!?:;] )(?!\w+ed\b|the\b|all\b|and\b|then\b)[a-z]{3,} (?:it|them|this|that|the|your)\b"
)
_PROPOSED = re.compile(r"\b(?:suggest\w*|recommend\w*|propos\w*|advis\w*|offer\w*)\b", re.IGNORECASE)
_WISHED = re.compile(
    r"\b(?:want\w*|prefer\w*|decid\w*|need\w*|demand\w*|insist\w*|wish\w*|complain\w*|request\w*"
    r"|like\w*|would rather|approv\w*|agree\w*|forb\w+)\b",
    re.IGNORECASE,
)
_DID = re.compile(
    r"\b(?:set|chang\w+|mov\w+|switched|dropped|enabled|disabled|removed|added|created|replaced"
    r"|updated|merged|deployed|installed|fixed"
    r"|found|ran|wrote|built|measured|compared|calculated|raised|lowered|restarted|stopped|started"
    r"|noted|noticed|stated|said"
    r"|reported|pointed out|explained|tested|checked|verified|sent|booked|rejected|will)\b",
    re.IGNORECASE,
)
_REFUSAL = re.compile(r"declin|reject|refus|oppos|forb|ban|does|did|want|turn")
_REFUSES = re.compile(
    r"^\W*(?:no|nope|not|don't|do not|never|rather|wait|stop|hold)\b|\b(?:no thanks|don't want|rather not)\b"
)
_FRAME_TEXT = """
user assistant agent tool person said stated asked wants want prefers decided plans planned outcome
unknown suggested recommended proposed noted reported approved agreed chose confirmed told offered states
notes requested rejected considers
"""
_FRAME = split_words(" ".join(_FRAME_TEXT.split()))
_MUCH = 0.5


def wrong_mouth(text: str, cited: Sequence[Witness]) -> str:
    """Return whose words are put into another's mouth by what *text* says of somebody."""
    if asked := _asked_only(text, cited):
        return asked
    for match in _ATTRIBUTION.finditer(text):
        role = _role(match["who"].lower())
        whole = f"{match['verb']}{match['rest']}"
        own = [w for w in cited if w.entry.role is role]
        others = [w for w in cited if w.entry.role is not role]
        words = split_words(normal(_without_others(match["rest"], role))) - _FRAME
        if not own or not words:
            continue
        is_taken_up = bool(others) and _agrees(own, others)
        if role is Role.USER and not is_taken_up and (asked := _only_asked(whole, words, own)):
            return asked
        if others and (wrong := _anothers(role, match["verb"].lower(), words, own, others)):
            return wrong
    return ""


def first_said(text: str) -> str:
    """Return what *text* says of the person, without what it says of the assistant or a tool after that."""
    return (
        re.split(r";\s|\b(?:the )?(?:assistant|agent|tool)\b", text, maxsplit=1, flags=re.IGNORECASE)[0]
        or text
    )


def _role(who: str) -> Role:
    return (
        Role(who)
        if who in ("assistant", "tool")
        else Role.ASSISTANT
        if who in ("agent", "bot")
        else Role.USER
    )


def _without_others(rest: str, role: Role) -> str:
    """Return the words said of this one: another's part of the line begins where another is named."""
    names = "assistant|agent|tool" if role is Role.USER else "user|person|owner"
    return re.split(rf"\b(?:{names})(?:'s)?\b", rest, flags=re.IGNORECASE)[0]


def _anothers(
    role: Role, verb: str, words: frozenset[str], own: Sequence[Witness], others: Sequence[Witness]
) -> str:
    """Return why *words* are not *role*'s, by which of them only they said and which only others did."""
    mine = frozenset().union(*(_told(w) for w in own))
    theirs = frozenset().union(*(w.spoken_words for w in others))
    only_mine, only_theirs = words & mine - theirs, words & theirs - mine
    if role is Role.USER:
        if _REFUSAL.match(verb) and any(_REFUSES.search(normal(w.spoken)) for w in own):
            return ""
        first = min(w.entry.position for w in others)
        picked = frozenset().union(*(w.spoken_words for w in own if w.entry.position >= first))
        if words & picked & theirs and not _DID.match(verb) and not _PROPOSED.match(verb):
            return ""  # they took up what was offered
        if _agrees(own, others) and not _DID.match(verb):
            return ""
        if _agrees(own, others) and not _PROPOSED.match(verb) and only_mine:
            return ""
    if len(only_theirs) > len(only_mine) and len(only_theirs) >= _MUCH:
        return f"the {role}'s own words do not say this, another's do"
    if _PROPOSED.match(verb) and role is not Role.TOOL and not any(_SUGGESTS.search(w.lower) for w in own):
        return f"the {role} proposed nothing"
    if role is Role.ASSISTANT and _WISHED.match(verb) and len(only_theirs) >= len(only_mine):
        return "this is the person's wish and not the assistant's"
    return ""


def _asked_only(text: str, cited: Sequence[Witness]) -> str:
    """Return that the one who is cited asked what the line states."""
    lower = normal(text)
    words = split_words(lower) - _FRAME
    if len(words) < 2 or _ASKED.search(lower) or not any("?" in w.lower for w in cited):
        return ""
    best = 0
    nearest: list[str] = []
    for witness in (w for w in cited if w.entry.role is not Role.TOOL):
        for line, line_words in zip(witness.lower_lines, witness.line_words, strict=True):
            shared = len(words & line_words)
            if shared > best:
                best, nearest = shared, []
            if shared and shared == best:
                nearest.append(line)
    if any(len(words & w.words) >= best for w in cited if w.entry.role is Role.TOOL):
        return ""
    if best * 3 >= len(words) * 2 and all(_IS_IT.match(line) and not _TAG.search(line) for line in nearest):
        return "this was asked and not said"
    return ""


def _told(witness: Witness) -> frozenset[str]:
    return witness.spoken_words


def _agrees(users: Sequence[Witness], others: Sequence[Witness]) -> bool:
    """Whether the person says yes to what stands before."""
    first = min(w.entry.position for w in others)
    return any(w.entry.position >= first and _AGREES.search(normal(w.spoken)) for w in users)


def _only_asked(whole: str, words: frozenset[str], users: Sequence[Witness]) -> str:
    """Return that the person asked what the line has them state."""
    if _ASKED.search(whole.lower()):
        return ""
    held = [
        (line, words & line_words)
        for w in users
        for line, line_words in zip(w.lower_lines, w.line_words, strict=True)
    ]
    most = max((len(shared) for _, shared in held), default=0)
    nearest = [line for line, shared in held if len(shared) == most]
    if most and all(line.endswith("?") and not _is_no_question(line, whole) for line in nearest):
        return "the person asked this and did not say so"
    if most and _IS_HEDGED.search(" ".join(nearest)) and _DECIDED.match(whole):
        return "the person only thought of it"
    return ""


_IS_IT = re.compile(
    r"\W*(?:(?:and|or|but|so|hey|btw|also)\W+)?(?:is|are|was|were|does|do|did|has|have|should|shall|will)\b.*\?$"
)
_IS_HEDGED = re.compile(
    r"\b(?:maybe|perhaps|might|thinking (?:of|about)|not sure|unsure|considering|wonder\w*"
    r"|think about|what do you think|possibly"
    r"|whether)\b"
)
_DECIDED = re.compile(
    r"(?:decid\w+|chose|chosen|will|switch\w*|mov\w+|drop\w*|stat\w+|approv\w+|confirm\w+)\b", re.IGNORECASE
)


def _is_no_question(line: str, whole: str) -> bool:
    """Whether a sentence with a question mark asks for something to be done, or for a nod."""
    if _TAG.search(line):
        return True
    return (
        _REQUEST.search(line) is not None
        and re.match(r"want|need|ask|request|would|prefer|like|plan", whole.lower()) is not None
    )
