"""The second reading of a model's lines (`second_reading`): asked of the same model, when its reply was good.

It holds nothing up: where the model cannot be asked, or its answer cannot be used, the gate's own verdict
stands. It counts for the run like every other call, and the caps hold (jobs/consulting).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from scrimshaw.core.claims import Known
from scrimshaw.core.dialogue.reading import ask_to_read, read_judged
from scrimshaw.core.model import Reply, Window
from scrimshaw.core.second_reading import UNREAD, Extent, Readings, to_read
from scrimshaw.core.verify import prepare
from scrimshaw.jobs.consulting import Consultant
from scrimshaw.jobs.task import Stopped
from scrimshaw.models.model import Failure, Trouble
from scrimshaw.resources import template

log = logging.getLogger(__name__)

PROMPT_FILE = "second-reading-prompt.md"


def read_once_more(
    replies: Sequence[Reply],
    window: Window,
    known: Known,
    *,
    consultant: Consultant,
    extent: Extent,
    template_sha: str,
) -> Readings:
    """Return what *consultant* says of the lines of *replies* when it reads them again; raises Stopped."""
    proposals = [proposal for reply in replies for proposal in reply.proposals]
    wanted = to_read(proposals, prepare(window), known, extent)
    if not wanted.noted:
        return UNREAD
    prompt = ask_to_read(window, wanted.noted, template=template(PROMPT_FILE))
    answer = consultant.ask(prompt, template_sha=template_sha)
    if isinstance(answer, Failure):
        if answer.trouble is Trouble.STOPPED:
            raise Stopped
        log.info("event=no-second-reading model=%s trouble=%s", consultant.name, answer.trouble)
        return UNREAD
    judged = read_judged(answer.text, len(wanted.noted), is_cut=answer.is_cut)
    if judged is None:
        log.info("event=no-second-reading model=%s trouble=form", consultant.name)
        return UNREAD
    return wanted.readings(judged)
