"""What a question asks for: its words without those that only make it a question.

People type whole questions ("When did I tell you about the pressing at Wenbury?"). Every word of it is
wanted by nobody: a search that demands all of them finds nothing, one that counts the small ones finds the
wrong lines. So question words, auxiliaries and pronouns are dropped, the rest is searched with OR; a
question of small words alone keeps them all. Dropping them is worth 6 points of any@10 on LoCoMo
(docs/benchmarks.md).

Texts and questions go through `levelled` alike: "bought" becomes "buy", because "When did I buy …?" asks for
it, and scripts without spaces are cut into pairs of characters, else a whole sentence would be one word.
Endings are the index's matter (index/words). Knows nothing of any index.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+")
_LATIN = re.compile(r"\b[a-zA-Z]{3,10}\b")
_APOSTROPHE = re.compile(r"(?<=\w)['’](?:s|ll|ve|re|d|m|t)\b", re.IGNORECASE)
_UNSPACED = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"
)
_MOST_WORDS = 48  # a pasted page is no question: its first words have to do
_SMALL_TEXT = """
    a about after all also am an and any are as at be because been before being but by can could did do
    does doing done for from had has have having he her hers him his how i if in into is it its itself just
    kind like may me might mine more most much my myself no nor not of off on once one only or other our ours
    out over own please remember said say says shall she should so some such tell than that the their theirs
    them then there
    these they thing things this those through to told too under until up upon us very was we were what when
    where whether which while who whom whose why will with would yes you your yours
    didn doesn don isn wasn weren hasn haven hadn couldn wouldn shouldn won ll ve re
"""
SMALL = frozenset(_SMALL_TEXT.split())
# A form, then what else stands for it. Endings are left to the index; these no rule finds.
_IRREGULAR_TEXT = """
    beat beaten; become became; begin began begun; bend bent; bite bit bitten; blow blew blown; break
    broke broken; bring brought; build built; buy bought; catch caught; choose chose chosen; come came;
    creep crept; deal dealt; draw drew drawn; drink drank drunk; drive drove driven; eat ate eaten;
    fall fell fallen; feed fed; feel felt; fight fought; find found; flee fled; fly flew flown; forget
    forgot forgotten; forgive forgave forgiven; freeze froze frozen; get got gotten; give gave given; go
    went gone goes; grow grew grown; hear heard; hide hid hidden; hold held; keep kept; kneel knelt;
    know knew known; lead led; leave left; lend lent; lose lost; make made; meet met; pay paid; ride
    rode ridden; ring rang rung; run ran; say said; see saw seen; seek sought; sell sold; send sent; sew
    sewn; shake shook shaken; shoot shot; show shown; shrink shrank shrunk; sing sang sung; sit sat;
    sleep slept; slide slid; speak spoke spoken; speed sped; spend spent; spin spun; stand stood; steal
    stole stolen; stick stuck; strike struck; swear swore sworn; sweep swept; swim swam swum; swing
    swung; take took taken; teach taught; tear tore torn; tell told; think thought; throw threw thrown;
    understand understood; wake woke woken; wear wore worn; weave wove woven; weep wept; win won; write
    wrote written; child children; man men; woman women; foot feet
"""
_IRREGULAR = {
    other: first for first, *others in map(str.split, _IRREGULAR_TEXT.split(";")) for other in others
}


def question_words(question: str) -> tuple[str, ...]:
    """Return the words of *question* to search for, lower case, each once, in their order."""
    every = tuple(dict.fromkeys(_WORD.findall(_APOSTROPHE.sub(" ", levelled(question)).lower())))
    asked = tuple(word for word in every if word not in SMALL)
    return (asked or every)[:_MOST_WORDS]


def levelled(text: str) -> str:
    """Return *text* with irregular forms in their first form, and scripts without spaces cut into pairs."""
    spaced = text if text.isascii() else _UNSPACED.sub(_pairs, text)
    return _LATIN.sub(_first_form, spaced)


def _first_form(word: re.Match[str]) -> str:
    return _IRREGULAR.get(word.group().lower(), word.group())


def _pairs(run: re.Match[str]) -> str:
    text = run.group()
    pairs = [text[at : at + 2] for at in range(len(text) - 1)] or [text]
    return f" {' '.join(pairs)} "
