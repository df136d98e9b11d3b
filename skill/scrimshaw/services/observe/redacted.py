"""What is said, as anything of ours may see it: without secrets and without what is private."""

from __future__ import annotations

import re
from collections import Counter

from scrimshaw.core.section.render import visible
from scrimshaw.core.transcript.privacy import cut
from scrimshaw.core.types import Entry
from scrimshaw.redaction import redact


def redacted(entry: Entry, counts: Counter[str], patterns: tuple[re.Pattern[str], ...] = ()) -> Entry:
    """Return *entry* without its secrets and private parts, which are counted in *counts*."""
    text = cleaned(entry.text, counts, patterns)
    if not entry.calls:
        return entry if text is entry.text else entry._replace(text=text)
    calls = [call._replace(arguments=cleaned(call.arguments, counts, patterns)) for call in entry.calls]
    return entry._replace(text=text, calls=tuple(calls))


def cleaned(text: str, counts: Counter[str], patterns: tuple[re.Pattern[str], ...] = ()) -> str:
    """Return *text* without its secrets and private parts, which are counted in *counts*."""
    # Strip invisible characters first: one inside a secret would hide it from the patterns, not from a
    # reader.
    kept, private = cut(visible(text), patterns)
    if private:
        counts["private"] += private
    found = redact(kept)
    counts.update(found.counts)
    return found.text
