"""What a program stores, checked and without secrets and private parts: names, texts, metadata, shares.

Each check raises an error that tells what is wrong, and never repeats what may be a secret.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from scrimshaw.config import Settings
from scrimshaw.core.transcript.privacy import CUT, cut, read_patterns
from scrimshaw.errors import ArgumentError, UserError, usage_error
from scrimshaw.redaction import holds_token, redact
from scrimshaw.redaction.keyed import clean_json

MOST_CHARS = 100_000  # of a memory
MOST_METADATA_CHARS = 16_000  # as JSON
MOST_NAME_CHARS = 200  # of an id, an owner, a source
_DEEPEST = 8


def check_name(name: str, text: str) -> str:
    """Return *text*, a name or ""; raises UserError if it cannot be a name, or holds a secret."""
    if not isinstance(text, str):
        raise _bad_name(name, f"should be text, not {type(text).__name__}")
    if len(text) > MOST_NAME_CHARS or not (text.isprintable() and _is_text(text)):
        raise _bad_name(name, f"should be at most {MOST_NAME_CHARS} printable characters")
    if holds_token(text):
        raise _bad_name(name, "holds what looks like a secret, and names are kept as they are")
    return text


def _bad_name(name: str, why: str) -> UserError:
    return usage_error(
        f"{name}: {why}. Nothing was stored.",
        next_step="name it shortly; what belongs to it goes into metadata",
    )


def check_share(name: str, value: float) -> float:
    """Return *value*; raises ArgumentError if it is not within 0..1."""
    if not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ArgumentError(f"{name}: {value!r:.80} is not within 0..1.")
    return float(value)


def clean_text(text: str, settings: Settings) -> str:
    """Return *text* without secrets and private parts; raises UserError if it is no text, or too large."""
    is_long = isinstance(text, str) and len(text) > MOST_CHARS
    if not isinstance(text, str) or is_long or not text.strip() or "\0" in text or not _is_text(text):
        what = f"more than {MOST_CHARS:,} characters" if is_long else "no text"
        raise usage_error(
            f"This cannot be stored: it is {what}. Nothing was stored.",
            next_step="store text, several things one by one",
        )
    kept = clean(text.strip(), settings)
    if any(map(str.isalnum, kept.replace(CUT, ""))):
        return kept
    if any(map(str.isalnum, text)):
        raise usage_error(
            "All of it is private, and what is private is never noted. Nothing was stored.",
            next_step="store what may be known, outside of <private>…</private> and your private_patterns",
        )
    raise usage_error(
        "This cannot be stored: it has no letter and no digit, so nothing would find it. Nothing was stored.",
        next_step="store it with words beside it",
    )


def clean(text: str, settings: Settings) -> str:
    """Return *text* without secrets and private parts."""
    patterns = read_patterns(settings.private_patterns).compiled if settings.private_patterns else ()
    return redact(cut(text, patterns)[0]).text


def clean_metadata(metadata: Mapping[str, Any] | None, settings: Settings) -> dict[str, Any]:
    """Return a small JSON object, cleaned like a text; raises UserError for anything else."""
    if metadata is None or metadata == {}:
        return {}
    if not isinstance(metadata, Mapping):
        raise _bad_metadata("it is no JSON object")
    try:
        told = json.dumps(dict(metadata), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise _bad_metadata("it is no JSON") from error
    if len(told) > MOST_METADATA_CHARS or not _is_text(told):
        raise _bad_metadata(f"as JSON it is no text of at most {MOST_METADATA_CHARS:,} characters")
    return clean_object(json.loads(told), settings)


def clean_object(found: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Return a JSON object with every text in it cleaned; raises UserError if it is nested too deeply."""
    if _is_deeper(found, _DEEPEST):
        raise _bad_metadata(f"it is nested deeper than {_DEEPEST}")
    cleaned = clean_json(found, lambda text: clean(text, settings))
    assert isinstance(cleaned, dict)
    return cleaned


def _is_deeper(value: object, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    if inner is None:
        return levels < 0
    return levels < 0 or any(_is_deeper(one, levels - 1) for one in inner)


def _bad_metadata(why: str) -> UserError:
    return usage_error(
        f"The metadata cannot be stored: {why}. Nothing was stored.",
        next_step="metadata is a small JSON object",
    )


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate: no file can hold it
        return False
    return True
