"""`scrimshaw search`: find what was noted, by words and by meaning, and where it stands."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from scrimshaw.cli.support.one_workspace import one_target
from scrimshaw.cli.support.options import as_json, wanted, which
from scrimshaw.cli.support.terminal import as_said, in_a_row, tell
from scrimshaw.clock import now
from scrimshaw.core.types import Closed, Kind
from scrimshaw.errors import Exit, UserError
from scrimshaw.resources import adding
from scrimshaw.services.search.log import SearchResult, best_of, note_searched, search, search_span
from scrimshaw.services.search.search import SearchHit, SearchMode, SearchQuery
from scrimshaw.workspace import Target, find_targets, is_set_up

if TYPE_CHECKING:
    from scrimshaw.services.search.transcripts import FoundMessage

_KINDS = click.Choice([kind.value for kind in Kind])
_MODES = click.Choice([mode.value for mode in SearchMode])
_MOST = 1_000
_ID_SHOWN = 10  # letters; `why`, `forget` and `pin` take six and more
_MOST_SHOWN_CHARS = 400  # of a message
_BECAME = {
    Closed.SUPERSEDED: "replaced",
    Closed.COMPLETED: "done",
    Closed.WITHDRAWN: "withdrawn",
    Closed.DELETED: "taken out by hand",
    Closed.EDITED: "reworded by hand",
    Closed.MERGED: "merged",
    Closed.DROPPED: "retired",
    Closed.UNDONE: "undone",
}


@click.command()
@click.argument("query", nargs=-1, required=True)
@which
@click.option("--all-agents", is_flag=True, help="Search every agent's memory.")
@click.option("--mode", type=_MODES, default="hybrid", help="By words, by meaning, or by both (hybrid).")
@click.option(
    "-n", "--limit", type=click.IntRange(1, _MOST), default=10, help="At most this many results (10)."
)
@click.option(
    "--from", "since", metavar="DATE", help='Only what was said from then on: 2026-11-03, "2 weeks ago", …'
)
@click.option("--to", "until", metavar="DATE", help="Only what was said up to then.")
@click.option("--kind", type=_KINDS, multiple=True, help="Only this kind; may be given several times.")
@click.option(
    "--min-score", type=click.FloatRange(0, 1), default=0.0, help="Leave out results that score less."
)
@click.option(
    "--all",
    "is_all",
    is_flag=True,
    help="Also show weak matches, and notes that were withdrawn, merged or removed by hand.",
)
@click.option("--deep", is_flag=True, help="Let a local model rerank the best results; slower, better.")
@click.option(
    "--transcripts", is_flag=True, help="Also search the messages themselves; their results are listed apart."
)
@as_json
def command(query: tuple[str, ...], wants_json: bool, **asked: Any) -> int:  # noqa: ANN401  # click's options
    """Find the notes that answer QUERY: keywords, or a whole question."""
    present, said = now(os.environ), " ".join(query)
    if not any(map(str.isalnum, said)):
        raise UserError(
            "The query holds no word to search for. Nothing was searched.",
            next_step='scrimshaw search "when is the dentist?"',
            exit_code=Exit.USAGE,
        )
    targets, notes = _targets(asked)
    answers = [
        search(target, _query(said, asked, target, present), present, transcripts=asked["transcripts"])
        for target in targets
    ]
    shown = best_of(answers, asked["limit"])
    notes = (*notes, *dict.fromkeys(note for one in answers for note in _notes(one, wants_json)))
    if wants_json:
        click.echo(
            json.dumps({"workspaces": [one.to_dict() for one in shown], "notes": list(notes), "exit_code": 0})
        )
    else:
        for line in _lines(shown, notes):
            tell(line)
    for one in shown:
        told = "" if wants_json else one.found.lacks
        note_searched(one.target, [hit for hit, _ in one.hits], present, told=told)
    return int(Exit.OK)


def _notes(one: SearchResult, is_whole: bool) -> Iterator[str]:
    """Yield what to say of a search; that there is no model a person hears once, and a program each time."""
    for note in one.found.notes:
        if note != one.found.lacks or is_whole:
            yield note
        elif not one.was_told:
            is_off = one.target.config.settings.embeddings == "off"
            yield note if is_off else f"{note} Next: {adding('semantic')}"


def _targets(asked: dict[str, Any]) -> tuple[list[Target], tuple[str, ...]]:
    named = wanted(asked["workspace"], asked["agent"], asked["state_dir"])
    if not asked["all_agents"]:
        return [one_target(named, os.environ, undone="Nothing was searched.")], ()
    targets, notes = find_targets(named, os.environ)
    there = [target for target in targets if is_set_up(target.layout)]
    if not there:
        raise UserError(
            "Scrimshaw is not set up for any agent yet, so there is nothing to search.",
            next_step="scrimshaw init",
        )
    return there, notes


def _query(query: str, asked: dict[str, Any], target: Target, present: datetime) -> SearchQuery:
    return SearchQuery(
        query,
        SearchMode(asked["mode"]),
        asked["limit"],
        tuple(map(Kind, asked["kind"])),
        search_span(asked["since"], asked["until"], present, target.zone),
        asked["min_score"],
        asked["is_all"],
        asked["deep"],
        has_floor=not asked["is_all"],
    )


# -- for a person ----------------------------------------------------------------------------------------


def _lines(answers: Sequence[SearchResult], notes: Sequence[str]) -> list[str]:
    lines: list[str] = []
    for one in answers:
        lines.append(f"{one.target.agent_id}  {one.target.layout.workspace}")
        lines += [f"  {line}" for hit, where in one.hits for line in _hit_lines(hit, where)]
        if not one.hits:
            lines.append(f"  Nothing found. {_what_else(one)}")
        elif one.found.mode is SearchMode.HYBRID and all(hit.lexical is None for hit, _ in one.hits):
            lines.append("  None of these contains a word of the question; they are the nearest in meaning.")
        if one.messages:
            lines.append("  In the transcripts:")
            lines += [f"  {line}" for message in one.messages.messages for line in _message_lines(message)]
            if not one.messages.messages:
                lines.append("    Nothing found.")
            lines += [f"    {problem}" for problem in one.messages.problems]
    return [*lines, *notes]


def _what_else(one: SearchResult) -> str:
    """Return what may find it all the same."""
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
    return [*lines, f"    {'; '.join((*where, f'score {hit.score:.2f}', f'id {line.id[:_ID_SHOWN]}'))}"]


def _state(hit: SearchHit) -> str:
    standing = hit.line.standing
    if standing.closed in _BECAME:
        return f" ({_BECAME[standing.closed]})"
    if standing.is_expired:
        return " (outcome unknown)"
    return ""


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
