"""A notebook of lines as a model is shown them, and plans for it in the words of an answer."""

import json
from collections.abc import Sequence
from datetime import date

from tests.core.lines_by_hand import a_line

from scrimshaw.core.consolidation.apply_plan import Consolidation, ConsolidationPlan, consolidate
from scrimshaw.core.prompting.fence import NumberedPrompt, Prompt
from scrimshaw.core.prompting.reflect_prompt import read_plan
from scrimshaw.core.types import Author, DateRef, Kind, Line, Place, Role

DAY_MS = 86_400_000
MONDAY_MS = 1_794_816_000_000  # 2026-11-16 08:00 UTC
ROOM = 100


def said(text: str, *, id: str = "", days: int = 0, minutes: int = 0, **parts: object) -> Line:  # noqa: A002
    """Return a line said *days* after Monday, 2026-11-16."""
    given = {
        "said_at_ms": MONDAY_MS + days * DAY_MS + minutes * 60_000,
        "day": f"2026-11-{16 + days}",
        "time": f"09:{minutes:02}",
        "priority": 3,
        **parts,
    }
    return a_line(text, id=id or text[:30], **given)


def notebook() -> list[Line]:
    """Return some lines of a working week."""
    issue, step = {"kind": Kind.ISSUE}, {"kind": Kind.NEXT_STEP, "place": Place.OPEN}
    tool = {"speaker": Role.TOOL}
    dana = DateRef(date(2026, 11, 24), None, None, "by Tuesday")
    return [
        said("Staging deploy of billing-api 2.4.1 failed: migration 0042 locks invoices", id="fail", **issue),
        said("Migration 0042 locks the invoices table for 9 minutes", id="lock", minutes=5, **issue),
        said("Prefers short answers with the command first", id="short", days=0, priority=4,
             kind=Kind.PREFERENCE, place=Place.STANDING),
        said("Wants the shell command before any explanation", id="shell", days=2, priority=4,
             kind=Kind.PREFERENCE, place=Place.STANDING),
        said("The staging limit is 5 seats", id="five", days=1),
        said("The staging limit is now 8 seats", id="eight", days=3),
        said("Asked whether the demo laptop has HDMI", id="hdmi", days=1, priority=2),
        said("Send the Q3 figures to Dana by Tuesday", id="dana", days=2, priority=4, refers_to=dana, **step),
        said("Send the Q3 figures of the north region to Dana", id="north", days=3, priority=4, **step),
        said("Lunch with Sam tomorrow at Brindle", id="lunch", days=2),
        said("Sam likes the soup at Brindle", id="soup", days=3),
        said("The person's own word on the harbour", id="own", days=3, author=Author.PERSON, priority=4),
        said("The mooring fee is 620 a quarter", id="fee", days=3, is_pinned=True),
        said("Backup of the ledger host took 41 minutes", id="backup-mon", days=0, kind=Kind.OUTCOME, **tool),
        said("Backup of the ledger host took 44 minutes", id="backup-thu", days=3, kind=Kind.OUTCOME, **tool),
        said("Asks for the diff before a commit", id="diff1", days=1, priority=4),
        said("Wants to see the diff before each commit of the docs", id="diff2", days=2, priority=4),
        said("Asked again to see the diff before the commit", id="diff3", days=3, priority=4),
        said("Do not restart the mail relay during office hours", id="relay", days=1, priority=5,
             kind=Kind.DECISION),
        said("The mail relay was patched to 3.1", id="patched", days=2),
    ]  # fmt: skip


def question(lines: Sequence[Line]) -> NumberedPrompt:
    """Return a question in which line n of *lines* has the number n."""
    return NumberedPrompt(Prompt("", "", 100), lines=tuple(line.observation.id for line in lines))


def answer(*steps: object, done: int | None = None) -> str:
    """Return an answer of those steps, closed as it should be unless *done* says another number."""
    rows = [json.dumps(step) for step in steps]
    return "\n".join([*rows, json.dumps({"done": len(rows) if done is None else done})])


def plan(text: str, lines: Sequence[Line]) -> ConsolidationPlan:
    """Return what *text* answers to a question about *lines*."""
    return read_plan(text, question(lines))


def numbers(lines: Sequence[Line], *ids: str) -> list[int]:
    """Return the numbers of lines in a question about *lines*."""
    order = [line.observation.id for line in lines]
    return [order.index(id_) + 1 for id_ in ids]


def merge(lines: Sequence[Line], text: str, *ids: str) -> dict[str, object]:
    """Return the step that merges *ids*."""
    return {"act": "merge", "lines": numbers(lines, *ids), "text": text}


def pattern(lines: Sequence[Line], text: str, label: str, *ids: str) -> dict[str, object]:
    """Return the step that says what *ids* have in common."""
    return {"act": "pattern", "lines": numbers(lines, *ids), "text": text, "pattern": label}


def supersede(lines: Sequence[Line], one: str, by: str) -> dict[str, object]:
    """Return the step that lets *by* take the place of *one*."""
    first, second = numbers(lines, one, by)
    return {"act": "supersede", "line": first, "by": second}


def drop(lines: Sequence[Line], one: str, reason: str = "trivial") -> dict[str, object]:
    """Return the step that drops *one*."""
    return {"act": "drop", "line": numbers(lines, one)[0], "reason": reason}


def done_with(*steps: object, lines: Sequence[Line], room: int = ROOM, **more: object) -> Consolidation:
    """Return what those steps do to *lines*."""
    return consolidate(plan(answer(*steps), lines), lines, room=room, run_id="r1", **more)  # type: ignore[arg-type]


def reasons(done: Consolidation) -> list[str]:
    """Return why steps were refused, in their order."""
    return [one.reason for one in done.refused]
