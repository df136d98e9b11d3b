"""Words that turn what stands beside them without saying no: "refuses", "bar", "spared", "off limits".

Who rewords a denial uses one of them, so where one stands, what a sentence denies cannot be told by its
plain noes. Ordinary English, kept wide on purpose: a word too many lets a wrong line pass, a word too few
refuses a right one. Texts are made `normal`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from scrimshaw.core.ledger.known_lines import WORDS_KEPT

# Each stands for all of its forms: a final "e" or "y" gives way to an ending.
_VERBS = """
abandon abolish abort absent abstain avert avoid axe ban bar barricade block boycott bypass call+off cancel
cancelled cease circumvent clear+of close confine contradict curb curtail cut cut+out deactivate debunk
decline defer delay delete demote denied denies deny deprecate deprive deselect detach deter detest differ
disable disagree disallow disapprove discard discontinue discourage dislike dismiss dispel dispense disprove
dispute disregard dissuade distrust ditch do+away+with dodge doubt draw+the+line drop eject eliminate end
eradicate erase escape eschew evade exceed except exclude excuse exempt expel expire fail fall+short
fall+through falsify fend+off foil forbade forbid forbidden forego forfeit forget forgive forgo forgot
forgotten freeze froze frozen gave+up give+up given+up go+without goes+without halt hate head+off held+back
held+off hid hidden hide hinder hold+back hold+off hold+out holding+back holding+off idle ignore impede
invalidate keep+away keep+from keep+off keep+out keeps+out kept+away kept+from kept+off kept+out lack
laid+off lapse lay+off leave left let+go lift limit loathe lock lose lost mind miss mute negate neglect nix
object objection obviate omit oppose opt+out opted+out outlast outlaw outstanding overlook override overrule
overturn part+with pass+on pass+up passed+on passed+up pause persuaded+out postpone preclude prevent prohibit
protect pull+out pulled+out put+off put+on+hold quash quit rebut recall refrain refuse refute reject
relinquish remove renounce repeal replace rescind resist restrict retire retract revert revoke rid rule+out
ruled+out rules+out ruling+out save+for scrap scupper shelve shun shut silence skip spare stand+down
stay+away stay+clear stay+off stay+out stays+out steer+clear steering+clear stop strike+out struck+out
superfluous suppress suspend switch take+back take+off taken+off talk+out+of throw+away throw+out thrown+away
thrown+out thwart took+off turn+away turn+down turn+off turned+away turned+down turned+off turns+down undid
undo undone unlearn veto void wait waive walk+away want+out ward+off warn+against wean withdraw withdrawn
withdrew withheld withhold work+around
"""
_OTHERS = """
absence abstinent against all+but allergic allergy alone another any+but anything+but apart apart+from as+yet
aside at+earliest at+first at+most at+the+earliest at+the+latest aversion avoidance away bare barely barren
beyond blank by+no+means cancellation cannot cessation closed confidential confidentially dead deadline
dearth debarred deficit devoid different discontinuation dismissal dispensable done+with down+to dry earliest
elimination elsewhere empty everybody+but everyone+but everything+but exceeding except exception excess
exclusion exclusive exclusively exemption expiry failure fallow far+from few fewer first+thought forbidding
former formerly free freeze gone had+thought half hardly herself hesitant himself hold impossibility
impossible in+no+way in+place+of in+vain inability inaccessible inactive inactivity incapable initially
instead insufficient intolerance intolerant invalid irrelevant itself just lack last latest less lesser
little loath locked loss maybe merely minimal minus moot myself needless neither nil no+later nobody
non-acceptance none nonsmoker nothing nothing+but nowhere obsolete off off-limits omission on+hold on+pause
only open opposite opposition optional originally other+than otherwise ourselves out out+of outdated outside
over overdue pause pending perhaps pointless postponement prevention previously prior+to prohibition purely
rare rarely rather refusal rejection reluctant remiss removal restriction revocation save+for save+the scarce
scarcely scarcity secret seldom short+of shortage shortfall simply sole solely spotless sterile still+to
sugarless surplus suspension taboo teetotal teetotaller termination than themselves till to+the+exclusion too
trimmed undecided unless unsure until untold used+to+be useless vacant vain vegan vegetarian waiver wary
whether withdrawal without worthless wrong yet yet+to yourself zero
"""
_PREFIXED = (
    r"un(?!til|der|it|cle|ion|i[qv]|ix)\w{3,}|dis(?!h|c\b|k|trict|tan|play|cuss|cover)\w{4,}"
    r"|in(?:valid|correct|complete|tolerant|adequate|accurate|appropriate|admissible|comp\w+|sufficien\w+|effect\w+"
    r"|consisten\w+|conclusive|convenien\w+|visible|flexib\w+|secure|sensitive|significan\w+|frequen\w+)"
    r"|im(?:possib\w+|patien\w+|proper\w*|perfect\w*)|il(?:legal\w*|legib\w+)|ir(?:regular\w*|relevan\w+|reversib\w+)"
    r"|non-?\w{3,}|\w{3,}-free|\w+less|mis\w{4,}"
)


TURN = re.compile(
    r"\b(?:only|just|except|unless|instead|rather than|than|stop\w*|drop\w*|cancel\w*|remov\w+|delet\w+"
    r"|exclu\w+|skip\w*|lack\w*|miss\w*|reject\w*|refus\w+|declin\w+|forb[ia]d\w*|avoid\w*|ban|bans|banned"
    r"|prohibit\w*|retract\w*|wrong|freez\w+|frozen|block\w*|hat(?:e|es|ed)|against|too(?=\s\w)|fewer|few"
    r"|little|hardly|barely|rarely|gone|alone|nor|neither|without|no|not|never|none|nobody|nothing|cannot"
    r"|otherwise|zero|switch\w*|opposed|maybe|allerg\w+|intoleran\w+|quit\w*|left|replac\w+"
    r"|mov(?:e|ed|es|ing)|turned|former\w*|used to|den(?:y|ies|ied)|ignor\w+|mut(?:e|es|ed|ing)"
    rf"|{_PREFIXED})\b|n't\b|(?<![\d.,:\[-])0(?![\d.,:%\]]|\s?%)"
)
"""What says no, and what says it most plainly in a word of its own."""
_PREFIX = re.compile(_PREFIXED)
_ENDINGS = ("", "s", "es", "ed", "ing")
_CHANGED_ENDINGS = ("e", "es", "ed", "ing", "y", "ies", "ied", "ying", "s")
_WORD = re.compile(r"[a-z]+(?:['-][a-z]+)*")


def _forms(word: str) -> Iterator[str]:
    """Yield *word* with the endings that a verb takes; a final "e" or "y" gives way to them."""
    if word[-1] in "ey" and len(word) > 4:
        yield from (word[:-1] + ending for ending in ("", *_CHANGED_ENDINGS))
        return
    yield from (word + ending for ending in _ENDINGS)
    if word[-1] in "bdgmnprt":
        yield from (word + word[-1] + ending for ending in _ENDINGS)


def _split(text: str) -> tuple[frozenset[str], dict[str, list[tuple[str, ...]]]]:
    """Return the single words of a list in all their forms, and the phrases by their first words."""
    phrases: dict[str, list[tuple[str, ...]]] = {}
    singles: set[str] = set()
    for word in text.split():
        first, *rest = word.split("+")
        if rest:
            phrases.setdefault(first, []).append(tuple(rest))
        else:
            singles.update(_forms(word))
    return frozenset(singles), phrases


_ALL, _PHRASES = _split(f"{_VERBS} {_OTHERS}")


@lru_cache(maxsize=WORDS_KEPT)
def _is_turning(word: str) -> bool:
    return word in _ALL or word.endswith("n't") or _PREFIX.fullmatch(word) is not None


@lru_cache(maxsize=1024)
def turning_words(text: str) -> frozenset[str]:
    """Return the words and phrases of *text* that may turn what stands beside them."""
    words = _WORD.findall(text)
    found = {word for word in words if _is_turning(word)} | set(TURN.findall(text))
    found.update(
        " ".join((word, *rest))
        for at, word in enumerate(words)
        for rest in _PHRASES.get(word, ())
        if tuple(words[at + 1 : at + 1 + len(rest)]) == rest
    )
    return frozenset(found)
