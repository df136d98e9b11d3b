"""How a line stands in the section, and how it is read back from there.

`shown` and `read` are inverse: what the fold writes is read back item for item, in order, whatever the
texts hold. Two forms: a machine's line is one list item with emoji, date and time put around its text;
a person's line is stored and shown exactly as typed (without its list mark), over several lines if they
wrote it so. This is the only place that makes a text safe to stand between the markers. Knows nothing of
budgets, files or the ledger.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import NamedTuple

from scrimshaw.core.section.markers import OPENING, swallows
from scrimshaw.core.types import FOLLOWED, Author, DateRef, Kind, Line, Observation, Place

PREAMBLE = (
    f'{OPENING} "I", or no subject, is the person; times are {{zone}}. Newer beats older. '
    "A plan whose date has passed has an unknown outcome. More: memory_search."
)
# A person's lines stand as typed, without a date: where there are several, this says which of two holds.
UNDATED = "Of lines in one part without a date the lower is the newer."
HEADINGS = {Place.STANDING: "### Standing", Place.OPEN: "### Open", Place.LOG: "### Log"}
MARKS = RED, YELLOW, GREEN, DONE = "🔴", "🟡", "🟢", "✅"

_PRIORITY = {RED: 4, YELLOW: 3, GREEN: 2, DONE: 3}
_OURS = re.compile(
    # Releases up to 0.6 put it in the first way.
    rf'{OPENING} (?:"I" is the person,|"I", or no subject, is the person;) times are \S+\. '
    r"Newer beats older\. A plan whose date has passed has an unknown outcome\. More: memory_search\."
    r"|\d+ more in memory/observations"
    rf"|{re.escape(UNDATED)}"
)
_HEADING = re.compile(r" {0,3}#{1,6}(?=[ \t]|$)")
_PART = re.compile(r" {0,3}#{1,6}[ \t]+(standing|open|log)[ \t:#]*$", re.IGNORECASE)
_MARK = re.compile(r"[-*+](?:[ \t]+|$)")
_MARKS = re.compile(r"\A(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)+")
_BULLET = re.compile(r" ?[-*+][ \t]+(?=\S)")
_RULE = re.compile(r"[-*_ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_OPENS = re.compile(r"`{3,}|~{3,}|<(?=[!?/a-zA-Z])")
_UNSAFE = r"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff<"
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
# What no reader sees and a model reads all the same, and what turns the order of letters around. The joiners
# of emoji and of some scripts, and the marks of direction that go with single words, stay.
_INVISIBLE = re.compile(
    "[\xad\u180e\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
# A terminal's colours and titles, as tools print them, in seven bits or eight; at last the escape alone.
_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]{0,500}(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[@-Z\\^_]?|[\x80-\x84\x86-\x9f]"
)
_ESCAPED = re.compile(r"[\x1b\x80-\x84\x86-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_PLAIN = re.compile(rf"[^{_UNSAFE}#*_-][^{_UNSAFE}]*")
_OPENING = re.compile(r"<!(?=--)")
# What makes a reader of markdown fetch or offer an address: an image's or link's, one in angle brackets, and
# HTML with an attribute, or whose content is more than text. Bare addresses are text already.
_LIVE = re.compile(
    r"(?<=\])(?=\()"
    r"|<(?=[a-z][a-z0-9+.-]{1,31}:[^\s<>]*>|[^\s<>@]{1,64}@[^\s<>]+>|[a-z][^<>]*=.*>|(?:script|style)\b)",
    re.IGNORECASE,
)
_DRESS = re.compile(
    rf"(?P<mark>{RED}|{YELLOW}|{GREEN}|{DONE})?\ufe0f?\s*(?P<date>\d{{4}}-\d\d-\d\d:\s)?(?P<time>\d\d:\d\d\s)?"
)
# A day or month that the text has itself tells more than when it was said.
_MONTH = re.compile(r"(?<!\d)\d{4}-\d\d(?!\d)")
_DAY = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
# With "outcome unknown", as releases up to 0.10 wrote it.
_TAIL = re.compile(r"\s*\((?:since \d{4}-\d\d(?:-\d\d)?|planned for [^()]*|outcome unknown)\)$")


def preamble(zone: str) -> str:
    """Return the first line of a section whose times are of *zone*."""
    return PREAMBLE.format(zone="".join(zone.split()) or "UTC")


class Item(NamedTuple):
    """One line (with what hangs on it) as it stands in a section's text.

    *parts* are the single lines under a person's own sub-heading, which is kept with them as one item.
    """

    text: str
    place: Place
    date: str  # of the log's date heading; "" elsewhere
    parts: tuple[Item, ...] = ()

    @property
    def key(self) -> tuple[Place, str, str]:
        """The line's identity: white space and list marks do not count, the date heading does."""
        return (self.place, self.date, normal(self.text))


class Dress(NamedTuple):
    """What a line's emoji, date and time say of it, and its text without them."""

    priority: int
    done: bool
    kind: Kind
    time: str
    text: str


def visible(text: str) -> str:
    """Return *text* without characters that are there and not to be seen."""
    if _is_escaped(text):
        text = _ESCAPE.sub("", text)
    return text if text.isascii() else _INVISIBLE.sub("", text)


def _is_escaped(text: str) -> bool:
    return "\x1b" in text if text.isascii() else _ESCAPED.search(text) is not None


def safe(text: str) -> str:
    """Return *text* as one line that cannot open a comment or a marker; safe text comes back as it is."""
    text = _SURROGATE.sub("\ufffd", _CONTROL.sub(" ", visible(text)))
    return " ".join(_OPENING.sub("‹!", text).split())


def shown_at(text: str) -> list[int]:
    """Return where in *text* each character that is no white space of `safe(text)` comes from, in order."""
    escapes = _ESCAPE.finditer(text) if _is_escaped(text) else ()
    dark = {at for found in escapes for at in range(*found.span())}
    return [
        at
        for at, char in enumerate(text)
        if not (char.isspace() or at in dark or _CONTROL.match(char) or _INVISIBLE.match(char))
    ]


def inert(text: str) -> str:
    """Return *text* with each image, link and address that markdown would make live shown as text.

    For what others may have said: whoever opens the file must fetch nothing of theirs. A text that is inert
    comes back as it is.
    """
    return _LIVE.sub(lambda found: "‹" if found[0] else " ", text)


def safe_note(text: str) -> str:
    """Return a person's *text*, lines and comments kept, what would break the section disarmed."""
    text = _SURROGATE.sub("\ufffd", re.sub(r"\r\n?", "\n", text))
    text = _CONTROL.sub(" ", re.sub(r"<!(?=--\s*scrimshaw:)", "‹!", text))
    last = text.rfind("<!--")
    while last >= 0 and "-->" not in text[last + 4 :]:
        text = text[:last] + "‹!--" + text[last + 4 :]
        last = text.rfind("<!--")
    lines = [line.rstrip() for line in text.split("\n")]
    lines = [line for number, line in enumerate(lines) if line or (number and lines[number - 1])]
    # Behind a list mark a rule would still be a rule, and what follows it no longer part of the item.
    while lines and _RULE.fullmatch(lines[0]):
        del lines[0]
    if lines and is_headed(lines[0].strip()):
        lines = _headed(lines)
    return "\n".join(lines).strip()


def _headed(lines: list[str]) -> list[str]:
    """Return the lines of a headed note with later headings indented and an open fence closed."""
    kept, fence = [lines[0].strip()], ""
    for line in lines[1:]:
        outside = not fence
        fence = fence_after(fence, line)
        kept.append("    " + line.lstrip() if outside and _HEADING.match(line) else line)
    closed = [*kept, fence] if fence else kept
    plain = [lines[0], *(_OPENS.sub(_disarmed, line) for line in lines[1:])]
    # A fence within a list, or raw HTML: what would close it, only a whole parser could say.
    return _headed(plain) if plain != lines and swallows("\n".join(closed)) else closed


def _disarmed(found: re.Match[str]) -> str:
    return "‹" if found[0] == "<" else "'''"


def mark_of(observation: Observation) -> str:
    """Return the sign before a line: done, or how important."""
    if observation.done:
        return DONE
    return RED if observation.priority >= 4 else YELLOW if observation.priority == 3 else GREEN


def shown(line: Line) -> str:
    """Return the text of *line* as it stands in its part of the section; "" when nothing is left of it."""
    observation, standing = line
    if observation.author is Author.PERSON:
        return as_item(safe_note(observation.text))
    text = inert(safe(observation.text))
    if not text:
        return ""
    mark = mark_of(observation)
    match standing.place:
        case Place.STANDING:
            month = observation.local_date[: len("2026-11")]
            return f"- {mark} {text}" + ("" if _MONTH.search(text) else f" (since {month})")
        case Place.OPEN:
            return f"- {mark} {text}" if _DAY.search(text) else f"- {mark} {observation.local_date}: {text}"
        case Place.LOG:
            time = f"{observation.local_time} " if observation.local_time else ""
            return f"- {mark} {time}{text}{_planned_day(observation) if standing.is_expired else ''}"


def shown_before(line: Line) -> str:
    """Return the text of *line* as releases up to 0.6 showed it, to know it again in a file of theirs."""
    observation, standing = line
    now = shown(line)
    if observation.author is Author.PERSON or standing.place is Place.LOG or not now:
        return now
    mark, text = now.split(" ", 2)[1], inert(safe(observation.text))
    if standing.place is Place.OPEN:
        return f"- {mark} {observation.local_date}: {text}"
    since = f" (since {observation.local_date})"
    return f"- {mark} {text}" + ("" if observation.local_date in text else since)


def _planned_day(observation: Observation) -> str:
    """Return the day of a plan that has passed, unless its text tells it; the preamble tells the rest."""
    refers_to = observation.refers_to
    if FOLLOWED in observation.text:
        return ""  # the newest word on it is told
    # A day that may be another one is left to the words.
    if refers_to is None or not refers_to.certain or _day(refers_to) in observation.text:
        return ""
    return f" (planned for {_day(refers_to)})"


def _day(ref: DateRef) -> str:
    """Return the day of *ref*, of a whole month the month alone, which is not its first day."""
    is_month = ref.start.day == 1 and ref.end == (ref.start + timedelta(31)).replace(day=1) - timedelta(1)
    return f"{ref.start:%Y-%m}" if is_month else ref.start.isoformat()


def as_item(note: str) -> str:
    """Return a note as a list item: what follows its first line is indented, the host's comments are not."""
    first, *rest = note.split("\n")
    if not first or is_headed(first):
        return note
    # Only comments at the very end: behind one the list item is over, and an indented fence would be a fence.
    last = len(rest)
    while last and rest[last - 1].startswith("<!--") and rest[last - 1].endswith("-->"):
        last -= 1
    return "\n".join([f"- {first}", *(f"  {line}" if line else "" for line in rest[:last]), *rest[last:]])


def is_headed(text: str) -> bool:
    """Return whether a line brings its own sub-heading (one of our parts' names is none)."""
    return bool(_HEADING.match(text)) and not _PART.match(text.partition("\n")[0])


def normal(text: str) -> str:
    """Return *text* without list marks, runs of white space and what editors add to emoji, for comparing."""
    lines = (
        _MARKS.sub("", " ".join(line.split()), count=1) for line in text.replace("\ufe0f", "").split("\n")
    )
    return "\n".join(line for line in lines if line)


def undress(text: str, place: Place = Place.STANDING) -> Dress:
    """Return what a typed line says of itself; without our emoji it is a fact of priority 4."""
    found = _DRESS.match(text)
    mark = found["mark"] if found else None
    done = mark == DONE
    kind = Kind.OUTCOME if done else Kind.NEXT_STEP if place is Place.OPEN else Kind.FACT
    rest = text[found.end() :] if found and mark else text
    time = (found["time"] or "").strip() if found and mark else ""
    return Dress(_PRIORITY.get(mark or "", 4), done, kind, time, _TAIL.sub("", rest))


def frame(text: str) -> str:
    """Return what we put around the words of *text*, where a date or time is in it; else ""."""
    around = text.replace(undress(text).text, "\n", 1)
    return around if any(map(str.isdigit, around)) else ""


def bullet_end(row: str) -> int:
    """Return where the text behind the list mark of a *row* at the margin begins, 0 for a row without one."""
    found = _BULLET.match(row)
    return found.end() if found else 0


def begins_something(row: str) -> bool:
    """Tell whether *row* is no more of the item above: a heading, an item, a comment, a fence, our own."""
    text = row.strip()
    return bool(
        not text
        or text.startswith(("<!--", "|", ">"))
        or _RULE.fullmatch(text)
        or _MARK.match(text)
        or _HEADING.match(text)
        or _FENCE.match(text)
        or _OURS.fullmatch(text)
    )


def is_part(row: str) -> bool:
    """Tell whether *row* is the heading of one of our parts."""
    return _PART.match(row.strip()) is not None


def is_ours(row: str) -> bool:
    """Tell whether *row* is of the text that we put around the lines."""
    return _OURS.fullmatch(row.strip()) is not None


def is_day(text: str) -> bool:
    """Tell whether *text* is a date and nothing else, as it stands above the lines of a day."""
    try:
        return len(text) == 10 and bool(date.fromisoformat(text))
    except ValueError:
        return False


def fence_after(fence: str, line: str) -> str:
    """Return the fence that is open after *line*, "" for none."""
    found = _FENCE.match(line)
    if not fence:
        return found[1] if found else ""
    closes = line.strip()
    return "" if closes and set(closes) == {fence[0]} and len(closes) >= len(fence) else fence


def read(body: str) -> tuple[Item, ...]:
    """Return the items of a section's *body*, in order; our preamble and the line that counts are none."""
    return _read(body).finish()


def spans(body: str) -> tuple[tuple[int, int], ...]:
    """Return for each item of `read(body)` its first row, counted from 0, and the row behind its last."""
    reader = _read(body)
    reader.finish()
    return tuple(reader.spans)


def _read(body: str) -> _Reader:
    reader = _Reader()
    for line in re.split(r"\r\n|\r|\n", body):
        reader.take(_SURROGATE.sub("\ufffd", line).rstrip())
    return reader


class _Reader:
    """The items of a body, taken line by line."""

    def __init__(self, place: Place = Place.STANDING) -> None:
        self._place = place
        self._date = ""
        self._items: list[Item] = []
        self._block: list[str] = []
        self._form = ""  # of the open block: "item", "paragraph", "fence", "comment", "headed"
        self._fence = ""
        self._row = -1  # the one that is taken
        self._first = 0  # of the open block
        self.spans: list[tuple[int, int]] = []

    def finish(self) -> tuple[Item, ...]:
        self._row += 1
        self._close()
        return tuple(self._items)

    def take(self, line: str) -> None:
        self._row += 1
        if not self._block:
            self._first = self._row
        if self._form == "headed" and (self._fence or not _HEADING.match(line)):
            self._fence = fence_after(self._fence, line)
            self._block.append(line)
        elif self._form == "fence":
            self._fence = fence_after(self._fence, line)
            self._block.append(line)
            if not self._fence:
                self._row += 1  # the fence's last row is its own
                self._close()
                self._row -= 1
        elif self._form == "comment":
            self._block.append(line)
            self._form = "item" if "-->" in line else "comment"
        elif not line:
            self._block.append("")
            self._form = "item" if self._block else ""
        elif self._block and line.startswith(("  ", "\t", " \t")):
            self._block.append(line[2:] if line.startswith("  ") else line.lstrip(" ")[1:])
        else:
            self._take_at_margin(line.strip())

    def _take_at_margin(self, line: str) -> None:
        part, mark = _PART.match(line), _MARK.match(line)
        if part:
            self._close()
            self._place, self._date = Place(part[1].lower()), ""
        elif _HEADING.match(line):
            self._open(line, "headed")
        elif self._place is Place.LOG and is_day(line):
            self._close()
            self._date = line
        elif _OURS.fullmatch(line):
            self._close()
        elif mark:
            self._open(line[mark.end() :], "item")
        elif line.startswith("<!--"):
            self._form = "item" if "-->" in line[4:] else "comment"
            self._block.append(line)
        elif _FENCE.match(line):
            self._open(line, "fence")
            self._fence = fence_after("", line)
        elif self._form == "paragraph":
            self._block.append(line)
        else:
            self._open(line, "paragraph")

    def _open(self, line: str, form: str) -> None:
        self._close()
        self._block, self._form, self._first = [line], form, self._row

    def _close(self) -> None:
        text = "\n".join(self._block).strip()
        if not _PLAIN.fullmatch(text):  # nearly every line is plain, and making it safe takes its time
            text = safe_note(text)
        if text and self._form == "headed":
            inner = _Reader(self._place)
            for line in self._block[1:]:
                inner.take(line)
            self._items.append(Item(text, Place.STANDING, "", inner.finish()))
            self.spans.append((self._first, self._row))
        elif text:
            self._items.append(Item(text, self._place, self._date))
            self.spans.append((self._first, self._row))
        self._block, self._form, self._fence = [], "", ""
