"""Whether a line tells as done what its entries only mean to do: "wisdom tooth pulled" of "wants to pull it".

A verb that the line has in the past is looked for in the entries. Where it stands there, each time behind
a word that has it to come ("to", "will", "can you"), never in the past, and nobody says "did that", the line
says too much. By form alone, in English; a plan in other words is not seen. Texts are made `normal`.
"""

from __future__ import annotations

import re

from scrimshaw.core.text.normalize import normal
from scrimshaw.core.verification.lookup import Witnesses

_IRREGULAR_TEXT = """
bought=buy paid=pay went=go sent=send took=take gave=give sold=sell spent=spend met=meet left=leave
made=make got=get came=come flew=fly saw=see began=begin ran=run drove=drive wrote=write spoke=speak
found=find lost=lose won=win built=build brought=bring held=hold ate=eat threw=throw taught=teach
caught=catch fought=fight kept=keep
"""
_IRREGULAR = dict(pair.split("=") for pair in _IRREGULAR_TEXT.split())
_VERB = re.compile(rf"\b(?:{'|'.join(_IRREGULAR)}|[a-z]{{3,}}ed)\b")
# "Wants it sent", "is to be pulled", "when sorted", "not paid": not told as done.
_NOT_DONE = re.compile(
    r"\b(?:is|are|be|being|been|get|gets|as|when|if|once|until|unless|not|never|no|still|un\w+|due|to|wants?|wanted|needs?"
    r"|asked|should|must|will|would|can|may|could)\b|n't\b|\bplan\w*"
)
# What somebody got to do, had to do or was able to do is done.
_DONE_SO = "".join(
    f"(?<!{word} )" for word in ("had", "got", "able", "managed", "chance", "used", "happened")
)
_AHEAD = (
    rf"(?:{_DONE_SO}\bto|\bwill|\bshall|'ll|\bmust|\bshould|\bcan|\bcould|\bwould|\bmight|\bplease|\blet's|\bgonna)"
    r"(?: (?:you|i|we|he|she|they|it|also|then|just|only|still|probably|maybe|please))*"
)
_DID = re.compile(r"\b(?:did|done|already|finished)\b")
_REACH_CHARS = 60


def told_as_done(text: str, cited: Witnesses) -> str:
    """Return the verb by which *text* tells as done what is only to come, "" when nothing is seen."""
    lower = normal(text)
    said = "\n".join(witness.lower for witness in cited)
    if _DID.search(said):
        return ""
    for match in _VERB.finditer(lower):
        past = match.group()
        before = re.split(r"[;:.,]\s", lower[max(0, match.start() - _REACH_CHARS) : match.start()])[-1]
        if _NOT_DONE.search(before) or re.search(rf"\b{past}\b", said):
            continue
        bases = _bases(past)
        stands = len(re.findall(rf"\b(?:{bases})(?:s|es|ing)?\b", said))
        ahead = len(re.findall(rf"{_AHEAD} (?:{bases})\b", said))
        if stands and ahead == stands:
            return past
    return ""


def _bases(past: str) -> str:
    """Return the forms that a verb may have when it is to come, as a pattern."""
    if past in _IRREGULAR:
        return _IRREGULAR[past]
    root = past[:-2]
    forms = {root, f"{root}e"}
    if root[-1] == "i":
        forms.add(f"{root[:-1]}y")
    if root[-1:] == root[-2:-1]:
        forms.add(root[:-1])
    return "|".join(sorted(forms))
