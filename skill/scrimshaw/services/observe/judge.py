"""What a model is asked about its own reply, when that was good: to read its lines again, and to mend some.

The second reading (`second_reading`) is of all lines; once for an answer, those that do not hold are asked
for once more. Neither holds anything up: where the model cannot be asked, or its answer cannot be used, the
gate's own verdict stands, and the words said stand in for the rest. Both count for the run like every other
call, and the caps hold (services/models/client).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.prompting.fence import NumberedPrompt
from scrimshaw.core.prompting.judge_prompt import ask_to_mend, ask_to_read, read_judged
from scrimshaw.core.prompting.observe_reply import read_reply
from scrimshaw.core.transcript.windows import laid_together
from scrimshaw.core.types import UNREAD, Readings, Rejected, Reply, Window
from scrimshaw.core.verification.judge import Extent, ToRead, to_read
from scrimshaw.core.verification.verify import prepare
from scrimshaw.models.model import Answer, Failure
from scrimshaw.resources import template
from scrimshaw.services.models.client import Consultant

log = logging.getLogger(__name__)

READING_PROMPT = "second-reading-prompt.md"
MENDING_PROMPT = "mending-prompt.md"


def read_once_more(
    replies: Sequence[Reply],
    those: Sequence[Window],
    known: KnownLines,
    *,
    consultant: Consultant,
    extent: Extent,
    template_sha: str,
) -> Readings | None:
    """Return what *consultant* says of the lines of *replies* when it reads them again; None: nothing of use.

    Each reply is to the window of *those* at its place; they are read in one question.
    """
    wanted = ToRead((), ())
    for reply, window in zip(replies, those, strict=True):
        wanted = wanted.plus(to_read(reply.proposals, prepare(window), known, extent))
    if not wanted.noted:
        return UNREAD
    prompt = ask_to_read(
        laid_together(those), wanted.noted, wanted.closings, template=template(READING_PROMPT)
    )
    answer = consultant.ask(prompt, template_sha=template_sha, is_optional=True)
    trouble = answer.trouble.value if isinstance(answer, Failure) else "form"
    if isinstance(answer, Answer):
        judged = read_judged(answer.text, len(wanted.noted), len(wanted.closings), is_cut=answer.is_cut)
        if judged is not None:
            return wanted.readings(judged)
    log.info("event=no-second-reading model=%s trouble=%s", consultant.name, trouble)
    return None


def mend(
    window: Window,
    refused: Sequence[Rejected],
    asked: NumberedPrompt,
    known: KnownLines,
    *,
    consultant: Consultant,
    template_sha: str,
) -> Reply | None:
    """Return what *consultant* writes in place of *refused*, of its answer to *asked*; None: nothing."""
    question = ask_to_mend(window, refused, asked, known, template=template(MENDING_PROMPT))
    answer = consultant.ask(question.prompt, template_sha=template_sha, is_optional=True)
    if isinstance(answer, Failure):
        log.info("event=not-mended model=%s trouble=%s", consultant.name, answer.trouble.value)
        return None
    reply = read_reply(answer.text, question, window, is_cut=answer.is_cut)
    return reply if reply.is_closed and reply.proposals else None
