"""Whether a configuration differs from what it was by our hook's selection alone.

The host writes the whole file anew when it changes one value, and stamps it (`meta`): its bytes say nothing.
So the two are compared as values, after what `openclaw hooks enable` did is taken out of the newer one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from scrimshaw.setup.changes import HOOK

Json = Any


def is_only_ours(before: bytes | None, now: bytes) -> bool:
    """Tell whether putting *before* back would undo nothing but our hook's entry and the host's stamp.

    *before* may have been written by hand, with comments; then the host has taken them out of *now*. False
    for what cannot be read. An empty *before* stands for no file.
    """
    try:
        was, found = _parsed(before or b"{}"), json.loads(now)
    except ValueError:
        return False
    if not isinstance(was, dict) or not isinstance(found, dict):
        return False
    return _plain(_without_ours(found, was)) == _plain(was)


def _parsed(raw: bytes) -> Json:
    try:
        return json.loads(raw)
    except json.JSONDecodeError:
        import pyjson5  # only for the few files that a person wrote with comments

        try:
            return pyjson5.decode_utf8(raw)
        except pyjson5.Json5DecoderException as error:
            raise ValueError(error.message) from error


def _without_ours(found: dict[str, Json], was: Mapping[str, Json]) -> dict[str, Json]:
    internal = dict(_table(_table(found, "hooks"), "internal"))
    internal_before = _table(_table(was, "hooks"), "internal")
    entries = {name: entry for name, entry in _table(internal, "entries").items() if name != HOOK}
    own_before = _table(internal_before, "entries").get(HOOK)
    internal["entries"] = entries if own_before is None else entries | {HOOK: own_before}
    if internal_before.get("enabled") is None:
        internal.pop("enabled", None)
    return {**found, "hooks": {**_table(found, "hooks"), "internal": internal}}


def _plain(values: Mapping[str, Json]) -> dict[str, Json]:
    """Return *values* without the stamp, and without tables of hooks that say nothing."""
    hooks = dict(_table(values, "hooks"))
    internal = {key: value for key, value in _table(hooks, "internal").items() if value != {}}
    hooks["internal"] = internal
    kept = {key: value for key, value in hooks.items() if value != {}}
    rest = {key: value for key, value in values.items() if key not in ("meta", "hooks")}
    return rest | ({"hooks": kept} if kept else {})


def _table(values: Mapping[str, Json], key: str) -> Mapping[str, Json]:
    found = values.get(key)
    return found if isinstance(found, Mapping) else {}
