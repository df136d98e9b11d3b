"""How what a search found is worded."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from scrimshaw.cli.render.working import hit_lines
from scrimshaw.cli.support.command import head
from scrimshaw.cli.support.terminal import as_said, in_a_row
from scrimshaw.core.ledger.program_lines import is_put_away
from scrimshaw.core.types import Closed
from scrimshaw.services.edit.find_line import ID_SHOWN, NOTING, PUT_AWAY, became_of

if TYPE_CHECKING:
    from scrimshaw.services.search.log import SearchResult
    from scrimshaw.services.search.search import SearchHit
    from scrimshaw.services.search.transcripts import FoundMessage

_MOST_SHOWN_CHARS = 400  # of a message


def answer_lines(answers: Sequence[SearchResult]) -> list[str]:
    lines: list[str] = []
    for one in answers:
        lines.append(head(one))
        by_id = {hit.line.observation.id: (hit, where) for hit, where in one.hits}
        for result in one.results if one.working_count or one.of_all else ():
            if result.id in by_id:
                rows = _hit_lines(*by_id.pop(result.id))
            else:
                rows = list(hit_lines(result, one.target.agent_id))
            lines += [f"  {row}" for row in rows]
        lines += [f"  {line}" for hit, where in by_id.values() for line in _hit_lines(hit, where)]
        if not one.results:
            lines += [f"  {line}" for line in _nothing_lines(one)]
        elif one.found.mode == "hybrid" and one.hits and all(hit.lexical is None for hit, _ in one.hits):
            lines.append("  None of these contains a word of the question; they are the nearest in meaning.")
        if one.messages:
            lines.append("  In the transcripts:")
            lines += [f"  {line}" for message in one.messages.messages for line in _message_lines(message)]
            if not one.messages.messages:
                lines.append("    Nothing found.")
            lines += [f"    {problem}" for problem in one.messages.problems]
    return lines


def _nothing_lines(one: SearchResult) -> list[str]:
    """Return that nothing was found; other words help only where something is noted."""
    if one.is_empty:
        return ["Nothing found: nothing is noted here yet.", f"Next: {NOTING}"]
    return [f"Nothing found. {_what_else(one)}"]


def _what_else(one: SearchResult) -> str:
    more = ["try other words"]
    if one.found.left_out:
        count = "1 line that is" if one.found.left_out == 1 else f"{one.found.left_out} lines that are"
        more.append(f"--all for {count} only near it")
    if one.messages is None:
        more.append("--transcripts for the messages themselves")
    told = ", or ".join((", ".join(more[:-1]), more[-1])) if len(more) > 1 else more[0]
    return f"{told[0].upper()}{told[1:]}."


def _hit_lines(hit: SearchHit, where: Sequence[str]) -> list[str]:
    line = hit.line.observation
    said = " ".join(filter(None, (line.local_date, line.local_time)))
    lines = [f"{said}  {line.kind.value}  {in_a_row(line.text)}{_state(hit)}"]
    if hit.successor and hit.line.standing.closed is Closed.SUPERSEDED:
        lines.append(f"    now: {in_a_row(hit.successor.observation.text)}")
    return [*lines, f"    {'; '.join((*where, f'score {hit.score:.2f}', f'id {line.id[:ID_SHOWN]}'))}"]


def _state(hit: SearchHit) -> str:
    standing = hit.line.standing
    if standing.closed and standing.closed is not Closed.FORGOTTEN:
        return f" ({became_of(standing.closed)})"
    if is_put_away(hit.line):
        return f" ({PUT_AWAY})"
    return " (outcome unknown)" if standing.is_expired else ""


def _message_lines(message: FoundMessage) -> list[str]:
    entry = message.entry
    text = " ".join(entry.text.split())
    if len(text) > _MOST_SHOWN_CHARS:
        text = text[:_MOST_SHOWN_CHARS] + " …"
    when = datetime.fromtimestamp(entry.said_at_ms / 1000).astimezone()
    return [
        f"  {when:%Y-%m-%d %H:%M}  {entry.role.value}  {as_said(text)}",
        f"      session {message.session.session_id}",
    ]
