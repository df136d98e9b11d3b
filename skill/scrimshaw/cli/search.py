"""`scrimshaw search`: find what was noted, by words and by meaning, and where it stands."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from scrimshaw.cli.support.one_workspace import one_target
from scrimshaw.cli.support.options import as_json, wanted, which
from scrimshaw.cli.support.terminal import as_said, in_a_row, tell
from scrimshaw.clock import now
from scrimshaw.core.types import Closed, Kind, Line
from scrimshaw.errors import Exit, UserError
from scrimshaw.resources import adding
from scrimshaw.services.search.log import note_searched, was_told
from scrimshaw.services.search.search import Found, Hit, Mode, Recall, Wanted, places
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.workspace import Target, find_targets, is_set_up

if TYPE_CHECKING:
    from scrimshaw.core.text.moments import Span
    from scrimshaw.services.search.transcripts import Message, Read

_KINDS = click.Choice([kind.value for kind in Kind])
_MODES = click.Choice([mode.value for mode in Mode])
_MOST = 1_000
_FAR = datetime(9000, 1, 1, tzinfo=UTC)  # what was said by a clock that is ahead is found, too
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


class _Answer(NamedTuple):
    """What one workspace answered, with what of it is shown."""

    target: Target
    found: Found
    hits: tuple[tuple[Hit, tuple[str, ...]], ...]  # with where each stands
    messages: Read | None
    was_told: bool  # what this search lacks


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
    answers = [_answer(target, _wanted(said, asked, target, present), asked, present) for target in targets]
    shown = _best(answers, asked["limit"])
    notes = (*notes, *dict.fromkeys(note for one in answers for note in _notes(one, wants_json)))
    if wants_json:
        click.echo(json.dumps(_object(shown, notes)))
    else:
        for line in _lines(shown, notes):
            tell(line)
    for one in shown:
        told = "" if wants_json else one.found.lacks
        note_searched(one.target, [hit for hit, _ in one.hits], present, told=told)
    return int(Exit.OK)


def _notes(one: _Answer, is_whole: bool) -> Iterator[str]:
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


def _wanted(query: str, asked: dict[str, Any], target: Target, present: datetime) -> Wanted:
    return Wanted(
        query,
        Mode(asked["mode"]),
        asked["limit"],
        tuple(map(Kind, asked["kind"])),
        _span(asked["since"], asked["until"], present, target.zone),
        asked["min_score"],
        asked["is_all"],
        asked["deep"],
        has_floor=not asked["is_all"],
    )


def _span(since: str | None, until: str | None, present: datetime, zone: str) -> Span | None:
    """Return the stretch between the two options, either of which may be missing."""
    if since is None and until is None:
        return None
    from scrimshaw.core.text.moments import Span  # what reads dates: only when there is one

    first = _moment("--from", since or "1970-01-01", present, zone)
    last = _moment("--to", until, present, zone) if until else Span(present, _FAR)
    if last.end <= first.start:
        raise UserError(
            "--to is before --from. Nothing was searched.",
            next_step="change one of them",
            exit_code=Exit.USAGE,
        )
    return Span(first.start, last.end)


def _moment(option: str, said: str, present: datetime, zone: str) -> Span:
    from scrimshaw.core.text.moments import EXAMPLES, moment

    try:
        return moment(said, present, zone)
    except ValueError as error:
        raise UserError(f"{option}: {error}.", next_step=f"write {EXAMPLES}", exit_code=Exit.USAGE) from error


def _answer(target: Target, what: Wanted, asked: dict[str, Any], present: datetime) -> _Answer:
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        found = Recall(target.layout, ledger, target.config.settings, present, is_brief=True).search(what)
        shown = _in_section(ledger)
        hits = tuple((hit, places(hit, ledger, target.layout, shown)) for hit in found.hits)
        messages = None
        if asked["transcripts"]:
            from scrimshaw.services.search.transcripts import (
                search_messages,  # the readers of transcripts: only when asked
            )

            messages = search_messages(
                target, ledger, what.query, limit=what.limit, when=what.when, has_floor=what.has_floor
            )
        was_told_it = was_told(ledger, found.lacks)
    return _Answer(target, found, hits, messages, was_told_it)


def _in_section(ledger: Ledger) -> frozenset[str]:
    revision = ledger.latest_revision()
    return frozenset(revision.line_ids) if revision else frozenset()


def _best(answers: Sequence[_Answer], limit: int) -> list[_Answer]:
    """Return *answers* with no more than the best *limit* hits of all of them."""
    every = sorted(
        (-hit.score, where, at) for where, one in enumerate(answers) for at, (hit, _) in enumerate(one.hits)
    )
    kept = {
        (where, at) for _, where, at in every[:limit]
    }  # with equal scores, too, no more than were asked for
    return [
        one._replace(hits=tuple(pair for at, pair in enumerate(one.hits) if (where, at) in kept))
        for where, one in enumerate(answers)
    ]


# -- for a person ----------------------------------------------------------------------------------------


def _lines(answers: Sequence[_Answer], notes: Sequence[str]) -> list[str]:
    lines: list[str] = []
    for one in answers:
        lines.append(f"{one.target.agent_id}  {one.target.layout.workspace}")
        lines += [f"  {line}" for hit, where in one.hits for line in _hit_lines(hit, where)]
        if not one.hits:
            lines.append(f"  Nothing found. {_what_else(one)}")
        elif one.found.mode is Mode.HYBRID and all(hit.lexical is None for hit, _ in one.hits):
            lines.append("  None of these contains a word of the question; they are the nearest in meaning.")
        if one.messages:
            lines.append("  In the transcripts:")
            lines += [f"  {line}" for message in one.messages.messages for line in _message_lines(message)]
            if not one.messages.messages:
                lines.append("    Nothing found.")
            lines += [f"    {problem}" for problem in one.messages.problems]
    return [*lines, *notes]


def _what_else(one: _Answer) -> str:
    """Return what may find it all the same."""
    more = ["try other words"]
    if one.found.left_out:
        count = "1 line that is" if one.found.left_out == 1 else f"{one.found.left_out} lines that are"
        more.append(f"--all for {count} only near it")
    if one.messages is None:
        more.append("--transcripts for the messages themselves")
    told = ", or ".join((", ".join(more[:-1]), more[-1])) if len(more) > 1 else more[0]
    return f"{told[0].upper()}{told[1:]}."


def _hit_lines(hit: Hit, where: Sequence[str]) -> list[str]:
    line = hit.line.observation
    said = " ".join(filter(None, (line.local_date, line.local_time)))
    lines = [f"{said}  {line.kind.value}  {in_a_row(line.text)}{_state(hit)}"]
    if hit.successor and hit.line.standing.closed is Closed.SUPERSEDED:
        lines.append(f"    now: {in_a_row(hit.successor.observation.text)}")
    return [*lines, f"    {'; '.join((*where, f'score {hit.score:.2f}', f'id {line.id[:_ID_SHOWN]}'))}"]


def _state(hit: Hit) -> str:
    standing = hit.line.standing
    if standing.closed in _BECAME:
        return f" ({_BECAME[standing.closed]})"
    if standing.is_expired:
        return " (outcome unknown)"
    return ""


def _message_lines(message: Message) -> list[str]:
    entry = message.entry
    text = " ".join(entry.text.split())
    if len(text) > _MOST_SHOWN_CHARS:
        text = text[:_MOST_SHOWN_CHARS] + " …"
    when = datetime.fromtimestamp(entry.said_at_ms / 1000).astimezone()
    return [
        f"  {when:%Y-%m-%d %H:%M}  {entry.role.value}  {as_said(text)}",
        f"      session {message.session.session_id}",
    ]


# -- for programs ----------------------------------------------------------------------------------------


def _object(answers: Sequence[_Answer], notes: Sequence[str]) -> dict[str, Any]:
    return {
        "workspaces": [
            {
                "agent": one.target.agent_id,
                "workspace": str(one.target.layout.workspace),
                "mode": one.found.mode.value,
                "hits": [_hit_object(hit, where) for hit, where in one.hits],
                "left_out": one.found.left_out,
                "messages": [_message_object(m) for m in one.messages.messages] if one.messages else [],
                "problems": list(one.messages.problems) if one.messages else [],
            }
            for one in answers
        ],
        "notes": list(notes),
        "exit_code": int(Exit.OK),
    }


def _hit_object(hit: Hit, where: Sequence[str]) -> dict[str, Any]:
    line, standing = hit.line.observation, hit.line.standing
    return {
        "id": line.id,
        "text": line.text,
        "kind": line.kind.value,
        "level": "reflection" if line.level else "observation",
        "priority": line.priority,
        "date": line.local_date,
        "time": line.local_time,
        "zone": line.zone,
        "score": round(hit.score, 4),
        "lexical": None if hit.lexical is None else round(hit.lexical, 4),
        "semantic": None if hit.semantic is None else round(hit.semantic, 4),
        "where": list(where),
        "is_live": standing.is_live,
        "closed": standing.closed.value if standing.closed else None,
        "replaced_by": _short(hit.successor),
    }


def _short(line: Line | None) -> dict[str, str] | None:
    return {"id": line.observation.id, "text": line.observation.text} if line else None


def _message_object(message: Message) -> dict[str, Any]:
    entry = message.entry
    return {
        "session_id": message.session.session_id,
        "entry_id": entry.entry_id,
        "role": entry.role.value,
        "said_at_ms": entry.said_at_ms,
        "text": entry.text,
        "score": round(message.score, 4),
    }
