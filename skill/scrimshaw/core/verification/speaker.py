"""Who said it: whether what a line says of the person, the assistant or a tool may be theirs.

What the person decided, wants or said needs an entry of theirs among those cited, and so does what is said of
the assistant. Whether the words of an entry that is cited are its speaker's own is core/verification/verify's
to look at, and whether they mean that, a second reader's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from scrimshaw.core.text.normalize import normal
from scrimshaw.core.types import Role
from scrimshaw.core.verification.source import Witness

# What somebody says, thinks, wants or does, in the forms in which it is told of another than the speaker.
_DOES = (
    r"(?:says?|said|thinks?|thought|claim(?:s|ed)|insist(?:s|ed)|swears?|swore|reckon(?:s|ed)|state[sd]|note[sd]"
    r"|found|mention(?:s|ed)|explain(?:s|ed)|announce[sd]|warn(?:s|ed)|wr(?:ote|ites)"
    r"|told|tells|believe[sd]?|holds?|held|finds?|feels?|felt|consider(?:s|ed)|promise[sd]?|admit(?:s|ted)|den(?:ies|ied)"
    r"|ask(?:s|ed)|want(?:s|ed)|wish(?:es|ed)|demand(?:s|ed)|request(?:s|ed)|require[sd]?|prefer(?:s|red)|favou?r(?:s|ed)"
    r"|like[sd]|love[sd]|hate[sd]|need(?:s|ed)|refuse[sd]|veto(?:es|ed)|forbids|forbade|suggest(?:s|ed)|propose[sd]"
    r"|recommend(?:s|ed)|advise[sd]|offer(?:s|ed)|expect(?:s|ed)|hope[sd]|plan(?:s|ned)|decide[sd]|desire[sd]"
    r"|complain(?:s|ed)|suspect(?:s|ed)|judge[sd]|approv\w*|agree\w*|accept\w*|confirm\w*|cho[os]\w*|opt\w*"
    r"|settle\w*|pick\w*|welcom\w*|report\w*|fix\w*|ran|will|would|is|are|was|has|does|do|takes?|keeps?|uses?"
    r"|cannot|authori[sz]\w*|intend\w*)"
)
_WILL = (
    r"(?:ideas?|wish|demand|request|decision|choice|proposal|suggestion|rule|judge?ment|opinion|view|offer"
    r"|initiative|enquiry)"
)
_WHO = r"(?:the )?(?P<{}>user|assistant|person|owner|human|agent|tool|bot)"
# "User wants it", "wanted by the user", "it was the user's wish".
_SAID_OF = re.compile(
    rf"(?:^|(?<=[,:.;(] )|(?<=\band )|(?<=\bbut )|(?<=\bthat )|(?<=\bwhile )|(?<=\bas )|(?<=\bsince )"
    rf"|(?<=\bbecause )|(?<=\bso )|(?<=\bwhich )|(?<=\bif ))"
    rf"{_WHO.format('subject')} (?:(?:who|first|also|only|now|still|then|already|had|\w+ly) )*{_DOES}\b"
    rf"|\b{_DOES} by {_WHO.format('agent')}\b"
    rf"|{_WHO.format('owner')}'s (?:own |first )?{_WILL}\b"
)
_ROLES = {"tool": Role.TOOL, **dict.fromkeys(("assistant", "agent", "bot"), Role.ASSISTANT)}
_SAYS_YES = re.compile(
    r"(?:^|[.!,] )\W*(?:\w+ )?(?:yes|yep|yeah|yup|sure|ok|okay|k|agreed?|perfect|great|fine|good|deal|right"
    r"|exactly|please|pls|do)\b"
)
_REFUSES = re.compile(
    r"^\W*(?:\w+ )?(?:no(?! worries| problem| doubt)|nope|nah|not|don't|do not|never|rather|wait|stop|hold)\b"
    r"|\b(?:no thanks|don't want|rather not|no need)\b"
)
# What only a person does, at the beginning of a line: then the subject that is left out is the person.
_WILLS = re.compile(
    r"(?:(?:also|still|now|no longer|never|always) )*(?:want(?:s|ed)|wish(?:es|ed)|prefer(?:s|red)|like[sd]"
    r"|love[sd]|hate[sd]|hope[sd]|intend(?:s|ed)|decide[sd]|refuse[sd]|thinks|thought|means to"
    r"|plan(?:s|ned) (?:to|on)|feels|felt|enjoy(?:s|ed)|wonder(?:s|ed)|asked|asks)\b"
)


def tells_of_person(text: str) -> bool:
    """Whether *text* leaves out its subject and tells what only a person does: wants, plans, asked …"""
    return _WILLS.match(normal(text)) is not None


def put_in_mouth(text: str, cited: Sequence[Witness]) -> str:
    """Return of whom *text* says something of whom no entry is cited; "" when all have one."""
    roles = {witness.entry.role for witness in cited}
    told = [normal(witness.entry.text) for witness in cited if witness.entry.role is Role.USER]
    lower = f"user {normal(text)}" if tells_of_person(text) else normal(text)
    for match in _SAID_OF.finditer(lower):
        role = _ROLES.get(match["subject"] or match["agent"] or match["owner"], Role.USER)
        # "Agent is called Linley's": a person's own words, of an agent of theirs.
        is_quoted = any(match.group() in text_of_theirs for text_of_theirs in told)
        if role not in roles and not is_quoted:
            return f"this is said of the {role}, and no entry of theirs is cited"
    return ""


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
