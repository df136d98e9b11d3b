"""Who said it: whether what a line puts into somebody's mouth is theirs and not another's.

A line may cite the person and the assistant, and the person may tell what a third one says; then the
words tell whose it is: the entry, or the part of one, that holds them. What only the assistant proposed
is no decision of the person until they agree; what the person asked they did not state; what their
neighbour wants they need not want. Each function returns "" or why the line is wrong, for a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scrimshaw.core.text.normalize import normal
from scrimshaw.core.text.stems import split_words
from scrimshaw.core.types import Role
from scrimshaw.core.verification.negation import TURN
from scrimshaw.core.verification.source import Witness

_SAYS = (
    r"(?:says?|said|thinks?|thought|claim(?:s|ed)|insist(?:s|ed)|swears?|swore|reckon(?:s|ed)|state[sd]|note[sd]"
    r"|found|mention(?:s|ed)|explain(?:s|ed)|announce[sd]|warn(?:s|ed)|wr(?:ote|ites))"
)
# What somebody says, thinks or wants, in the forms in which it is told of another than the speaker.
_MINDS = (
    rf"(?:{_SAYS}|told|tells|believe[sd]?|holds?|held|finds?|feels?|felt|consider(?:s|ed)|promise[sd]?|admit(?:s|ted)|den(?:ies|ied)"
    r"|ask(?:s|ed)|want(?:s|ed)|wish(?:es|ed)|demand(?:s|ed)|request(?:s|ed)|require[sd]?|prefer(?:s|red)|favou?r(?:s|ed)"
    r"|like[sd]|love[sd]|hate[sd]|need(?:s|ed)|refuse[sd]|veto(?:es|ed)|forbids|forbade|suggest(?:s|ed)|propose[sd]"
    r"|recommend(?:s|ed)|advise[sd]|offer(?:s|ed)|expect(?:s|ed)|hope[sd]|plan(?:s|ned)|decide[sd]|desire[sd]"
    r"|complain(?:s|ed)|suspect(?:s|ed)|judge[sd])"
)
_WILL = (
    r"(?:ideas?|wish|demand|request|decision|choice|proposal|suggestion|rule|judge?ment|opinion|view|offer"
    r"|initiative|enquiry)"
)
# What one may do by a yes to what another said, and what says nothing of itself.
_TAKES = re.compile(
    rf"\b(?:{_MINDS}|{_WILL}|approv\w*|agree\w*|accept\w*|confirm\w*|cho\w*|opt\w*|settle\w*|pick\w*|welcom\w*"
    r"|report\w*|fix\w*|ran|will|would|is|are|was|has|does|do|takes?|keeps?|uses?|cannot"
    r"|authori[sz]\w*|intend\w*)\b"
)
_PROPOSED = re.compile(
    r"(?:\w+ )?(?:suggest\w*|recommend\w*|propos\w*|advis\w*|offer\w*|brought up|c[ao]me up|ideas?|initiative"
    r"|put forward)\b"
)
_WISHED = re.compile(
    r"want\w*|prefer\w*|decid\w*|need\w*|demand\w*|insist\w*|wish\w*|complain\w*|request\w*|like\w*|would"
    r"|approv\w*|forb\w+|cho\w+"
)
_WHO = re.compile(
    r"(?P<by>\bby )?(?:\bthe )?\b(?P<who>user|assistant)\b(?P<own>'s)?"
    r"|(?:^|(?<=[.,:;] ))(?:the )?(?P<role>person|owner|human|agent|tool|bot)"
    rf" (?=(?:{_MINDS}|report(?:s|ed)|approve[sd]|confirm(?:s|ed)|ran|fixed|will)\b)"
)
_WHO_WORDS = ("user", "assistant", "person", "owner", "human", "agent", "tool", "bot")
_CLAUSES = re.compile(r";\s|(?<=[.!?])\s")
_JOINT = re.compile(r",?\s(?:and|but|while|whereas)\s|,\s")
_OPENS = re.compile(
    r"(?:^|[,:.(]|\b(?:and|but|while|whereas|that|was|as|since|because|so|which|if|what))\s*$"
)
_LEADS = re.compile(r"^\W*(?:(?:who|first|also|only|now|still|then|already|had|has|have|was|is|\w+ly)\s)*")
_IS_OWN = re.compile(r"(?:^|\b(?:is|are|was|were|be|been|being|in|against|to))\s*(?:the )?$")
_OWN_WILL = re.compile(rf"\s(?:own |first )?({_WILL})\b")
_IS_HEDGED = re.compile(
    r"\b(?:maybe(?!,)|perhaps|might|thinking (?:of|about)|not sure|unsure|considering|wonder\w*|think about"
    r"|what do you think|possibly|whether)\b"
)
_SAYS_YES = re.compile(
    r"(?:^|[.!,] )\W*(?:\w+ )?(?:yes|yep|yeah|yup|sure|ok|okay|k|agreed?|perfect|great|fine|good|deal|right"
    r"|exactly|please|pls|do)\b"
)
# A yes, or a word that stands for what was said before.
_AGREES = re.compile(
    rf"{_SAYS_YES.pattern}|\b(?:it|that|this|both|them|one|option|then|did|done|try|let's"
    r"|go (?:ahead|for|with)|the (?:first|second|third|last|former|latter|other)|correct|approved?|confirmed?"
    r"|makes sense|convinced|wins?|as you (?:say|suggest\w*)|your suggestion|thanks|thank you|nice"
    r"|cool|sounds|works for me)\b"
)
_REFUSES = re.compile(
    r"^\W*(?:\w+ )?(?:no(?! worries| problem| doubt)|nope|nah|not|don't|do not|never|rather|wait|stop|hold)\b"
    r"|\b(?:no thanks|don't want|rather not|no need)\b"
)
_PUTS_OFF = re.compile(
    r"\b(?:(?:rul|tak|hold|turn|put|call|keep|leav)\w* (?:\w+ )?(?:out|off|down|away)|wait\w*"
    r"|postpon\w*|delay\w*|defer\w*)\b"
)
_SUGGESTS = re.compile(
    r"\b(?:suggest\w*|recommend\w*|propos\w*|could|consider|would|i'd|might|try|should|better|advise|shall"
    r"|may want|prefer|offer|your?)\b|\?"
)
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_FRAME_TEXT = """
user assistant agent tool person said stated asked wants want prefers decided plans planned outcome
unknown suggested recommended proposed noted reported approved agreed chose confirmed told offered states
notes requested rejected considers
"""
_FRAME = split_words(" ".join(_FRAME_TEXT.split()))


# What only a person does, at the beginning of a line: then the subject that is left out is the person.
_WILLS = re.compile(
    r"(?:(?:also|still|now|no longer|never|always) )*(?:want(?:s|ed)|wish(?:es|ed)|prefer(?:s|red)|like[sd]"
    r"|love[sd]|hate[sd]|hope[sd]|intend(?:s|ed)|decide[sd]|refuse[sd]|thinks|thought|means to"
    r"|plan(?:s|ned) (?:to|on)|feels|felt|enjoy(?:s|ed)|wonder(?:s|ed)|asked|asks)\b"
)


class _Saying(NamedTuple):
    """What a line says of one of those who talked."""

    role: Role
    head: str  # the two words beside the name, which tell what they do
    act: str  # that which they do, of these
    text: str
    words: frozenset[str]


def tells_of_person(text: str) -> bool:
    """Whether *text* leaves out its subject and tells what only a person does: wants, plans, asked …"""
    return _WILLS.match(normal(text)) is not None


def _with_subject(text: str) -> str:
    """Return *text*, made `normal`, with the person named where they are its subject and left out."""
    return f"user {normal(text)}" if tells_of_person(text) else normal(text)


def put_in_mouth(text: str, cited: Sequence[Witness]) -> str:
    """Return whose words are put into another's mouth by what *text* says of somebody."""
    for saying in _sayings(_with_subject(text)):
        own, others = _own_and_others(saying, cited)
        if not own and _TAKES.match(saying.head):
            return f"this is said of the {saying.role}, and no entry of theirs is cited"
        if own and others and saying.words and (wrong := _anothers(saying, own, others)):
            return wrong
    return ""


def _own_and_others(saying: _Saying, cited: Sequence[Witness]) -> tuple[list[Witness], list[Witness]]:
    own = [w for w in cited if w.entry.role is saying.role]
    others = [w for w in cited if w.entry.role is not saying.role]
    if saying.role is Role.ASSISTANT and own and not re.match(_SAYS, saying.act):
        # What the assistant did a tool's result tells.
        others = [w for w in others if w.entry.role is not Role.TOOL]
    return own, others


def first_said(text: str) -> str:
    """Return what *text* says of the person, without what it says of the assistant or a tool after that."""
    return (
        re.split(r";\s|\b(?:the )?(?:assistant|agent|tool)\b", text, maxsplit=1, flags=re.IGNORECASE)[0]
        or text
    )


def answers(text: str) -> bool:
    """Whether what a person said begins with a yes or no to what stands before."""
    lower = normal(text)
    return _SAYS_YES.match(lower) is not None or _REFUSES.match(lower) is not None


def _sayings(lower: str) -> Iterator[_Saying]:
    """Yield what *lower* says of each: "user wants it", "it was wanted by the user", "the user's wish"."""
    if not any(map(lower.__contains__, _WHO_WORDS)):
        return  # spares nearly every line that was said word for word
    for clause in _CLAUSES.split(lower):
        found = list(_WHO.finditer(clause))
        for number, match in enumerate(found):
            start = _bound(clause, found[number - 1], match) if number else 0
            end = _bound(clause, match, found[number + 1]) if number + 1 < len(found) else len(clause)
            before, after = clause[start : match.start()], clause[match.end() : end]
            if match["own"]:
                own = _OWN_WILL.match(after) if _IS_OWN.search(clause[: match.start()]) else None
                if own is None:
                    continue
                head, act, told = own[1], own[1], before + after
            elif match["by"]:
                head = act = " ".join(before.split()[-2:])
                told = before
            elif _OPENS.search(clause[: match.start()]):
                head = " ".join(_LEADS.sub("", after).split()[:2])
                act, told = head.partition(" ")[0], after
            else:
                continue
            yield _Saying(_role(match["who"] or match["role"]), head, act, told, split_words(told) - _FRAME)


def _bound(clause: str, one: re.Match[str], other: re.Match[str]) -> int:
    """Return where what is said of *one* ends and what is said of *other* begins."""
    joints = list(_JOINT.finditer(clause, one.end(), other.start()))
    return joints[-1].end() if joints else other.start()


def _role(who: str) -> Role:
    if who == "tool":
        return Role.TOOL
    return Role.ASSISTANT if who in ("assistant", "agent", "bot") else Role.USER


def _anothers(saying: _Saying, own: Sequence[Witness], others: Sequence[Witness]) -> str:
    """Return why the words are not theirs, by which of them only they said and which only others did."""
    mine = frozenset().union(*(w.spoken_words for w in own))
    theirs = frozenset().union(*(w.spoken_words for w in others))
    is_wish = saying.role is Role.ASSISTANT and _WISHED.match(saying.act) is not None
    if len(saying.words & theirs - mine) + is_wish <= len(saying.words & mine - theirs):
        return ""
    if _has_own_figure(saying.text, own, others):
        return ""
    wrong = f"the {saying.role}'s own words do not say this, another's do"
    if saying.role is not Role.USER or _PROPOSED.match(saying.head) or _does(saying, mine, others):
        return wrong
    first = min(w.entry.position for w in others)
    replies = [w for w in own if w.entry.position >= first]
    is_turned = _is_turned(saying, others)
    if any(_REFUSES.search(normal(w.spoken)) for w in replies):
        said = frozenset().union(*(w.spoken_words for w in replies))
        return "" if is_turned or saying.words & said - theirs else "the person refused this"
    is_taken = (is_turned and bool(replies)) or any(_takes(saying, w, theirs) for w in replies)
    return "" if is_taken else wrong


def _is_turned(saying: _Saying, others: Sequence[Witness]) -> bool:
    """Whether the line says no to what was proposed, in a word that is not the proposal's own."""
    turning = set(TURN.findall(saying.text)) - {word for w in others for word in TURN.findall(w.lower)}
    return bool(turning) or _PUTS_OFF.search(saying.text) is not None


def _takes(saying: _Saying, reply: Witness, theirs: frozenset[str]) -> bool:
    """Whether the person's reply takes up what was offered, and not another part of it."""
    lower = normal(reply.spoken)
    is_hedged = _IS_HEDGED.search(lower) is not None
    if _SAYS_YES.search(lower) and not is_hedged:
        return True
    if picked := reply.spoken_words & theirs:
        return not picked.isdisjoint(saying.words)
    return _AGREES.search(lower) is not None and not is_hedged


def _has_own_figure(text: str, own: Sequence[Witness], others: Sequence[Witness]) -> bool:
    """Whether a figure of *text* is theirs alone."""
    mine, theirs = (frozenset().union(*(w.numbers for w in witnesses)) for witnesses in (own, others))
    return not mine.isdisjoint(set(_FIGURE.findall(text)) - theirs)


def _does(saying: _Saying, mine: frozenset[str], others: Sequence[Witness]) -> bool:
    """Whether it is no wish, which a yes may make one's own, but what another says or has done."""
    if re.match(_SAYS, saying.act):
        return True
    done = frozenset().union(
        *(
            words
            for w in others
            for line, words in zip(w.lower_lines, w.line_words, strict=True)
            if not _SUGGESTS.search(line)
        )
    )
    return not (split_words(_TAKES.sub(" ", saying.act)) - _FRAME - mine).isdisjoint(done)
