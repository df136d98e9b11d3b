"""The second reading of a model's lines (`second_reading`): asked of the same model, when its reply was good.

It holds nothing up: where the model cannot be asked, or its answer cannot be used, the gate's own verdict
stands. It counts for the run like every other call, and the caps hold (services/models/client).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.prompting.judge_prompt import ask_to_read, read_judged
from scrimshaw.core.transcript.windows import laid_together
from scrimshaw.core.types import UNREAD, Readings, Reply, Window
from scrimshaw.core.verification.judge import Extent, ToRead, to_read
from scrimshaw.core.verification.verify import prepare
from scrimshaw.models.model import Answer, Failure
from scrimshaw.resources import template
from scrimshaw.services.models.client import Consultant

log = logging.getLogger(__name__)

PROMPT_FILE = "second-reading-prompt.md"


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
    prompt = ask_to_read(laid_together(those), wanted.noted, wanted.closings, template=template(PROMPT_FILE))
    answer = consultant.ask(prompt, template_sha=template_sha, is_optional=True)
    trouble = answer.trouble.value if isinstance(answer, Failure) else "form"
    if isinstance(answer, Answer):
        judged = read_judged(answer.text, len(wanted.noted), len(wanted.closings), is_cut=answer.is_cut)
        if judged is not None:
            return wanted.readings(judged)
    log.info("event=no-second-reading model=%s trouble=%s", consultant.name, trouble)
    return None
