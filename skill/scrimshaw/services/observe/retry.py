"""One more try for lines that did not hold, asked of the model whose they are (core/prompting/judge_prompt).

Once for an answer, and it holds nothing up: where the model cannot be asked, or says nothing of use, what
stands is taken, and the words said stand in for the rest. It counts for the run like every other call, and
the caps hold (services/models/client).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.prompting.fence import NumberedPrompt
from scrimshaw.core.prompting.judge_prompt import ask_to_mend
from scrimshaw.core.prompting.observe_reply import read_reply
from scrimshaw.core.types import Rejected, Reply, Window
from scrimshaw.models.model import Failure
from scrimshaw.resources import template
from scrimshaw.services.models.client import Consultant

log = logging.getLogger(__name__)

PROMPT_FILE = "mending-prompt.md"


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
    question = ask_to_mend(window, refused, asked, known, template=template(PROMPT_FILE))
    answer = consultant.ask(question.prompt, template_sha=template_sha, is_optional=True)
    if isinstance(answer, Failure):
        log.info("event=not-mended model=%s trouble=%s", consultant.name, answer.trouble.value)
        return None
    reply = read_reply(answer.text, question, window, is_cut=answer.is_cut)
    return reply if reply.is_closed and reply.proposals else None
