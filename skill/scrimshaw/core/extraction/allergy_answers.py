"""What somebody answers who is asked about an allergy: "yes, peanuts and latex" says too little alone."""

from __future__ import annotations

import re

from scrimshaw.core.extraction.endings import is_allergy
from scrimshaw.core.extraction.partly_done import is_negated
from scrimshaw.core.language import fillers
from scrimshaw.core.ledger.known_lines import content_words
from scrimshaw.core.text.sentences import split_sentences

_MOST_QUESTION_CHARS, _MOST_ANSWER_WORDS = 120, 7
# "Shall I leave the nuts out?"
_AN_OFFER = re.compile(
    r"\b(?:shall|should|can|could|may|soll|kann|darf|devo|posso|debo|puedo) (?:i|ich|io|eu|yo)\b|"
    r"\b(?:puis|dois)-je\b",
    re.IGNORECASE,
)


def allergy_told(asked: str, answered: str) -> str:
    """Return the question that ends *asked* and what begins *answered* as one statement; "" for none.

    Only for what plainly says yes and names something, in few words without a verb of its own.
    """
    question = next(reversed(split_sentences(asked)), "")
    if not is_allergy(question) or len(question) > _MOST_QUESTION_CHARS or _AN_OFFER.search(question):
        return ""
    answer = next(iter(split_sentences(answered)), "")
    begun = fillers.ANSWERS_YES.match(answer)
    rest = answer[begun.end() :] if begun else ""
    if not content_words(rest) or is_allergy(rest) or is_negated(rest) or answer.endswith(("?", "？")):
        return ""
    if len(rest.split()) > _MOST_ANSWER_WORDS or fillers.HAS_SUBJECT.match(rest):
        return ""
    return f"{question} {answer[:1].upper()}{answer[1:]}"
