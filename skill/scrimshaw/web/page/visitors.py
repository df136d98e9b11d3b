"""Access to the page: for visitors with a link from `scrimshaw open`, as long as their cookie is valid.

A link is signed with the server's secret, valid for a minute and for one use. It is exchanged for a random
name that only this process knows: after a restart everybody needs a new link.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from hashlib import sha256
from typing import NamedTuple

from fastapi import Request

from scrimshaw.web.problems import Problem
from scrimshaw.web.tokens import Refused, TokenBook

COOKIE = "scrimshaw"  # and the server's port, as `cookie_name` says
LASTS_SECONDS = 12 * 3600
_MOST_VISITORS = 100
_MOST_TRIES = 20  # invalid links in a minute
NEXT_STEP = "scrimshaw open"


class Notice(NamedTuple):
    """Something shown once: a result, and the revision to undo it with (0: none)."""

    text: str
    undoes: int = 0
    at: str = ""  # the path of what was refused
    typed: str = ""  # what was typed there


class Visitors:
    """The visitors that were let in; for any thread."""

    def __init__(self, tokens: TokenBook) -> None:
        self._tokens = tokens
        self._lock = threading.Lock()
        self._used: dict[str, float] = {}  # used links, until they would have expired
        self._known: OrderedDict[str, float] = OrderedDict()  # hash of a cookie → end of its validity
        self._notices: dict[str, Notice] = {}
        self._failed: list[float] = []

    def let_in(self, ticket: str) -> str:
        """Exchange *ticket* for the value of a cookie; raises Problem if it is invalid."""
        at = time.monotonic()
        with self._lock:
            self._failed = [one for one in self._failed if at - one < 60]
            if len(self._failed) >= _MOST_TRIES:
                raise Problem(429, "Too many links that do not hold.", next_step="wait a minute")
            try:
                name, lasts = self._redeemed(ticket)
            except Refused as why:
                self._failed.append(at)
                raise Problem(401, f"This link does not hold: {why}.", next_step=NEXT_STEP) from None
            self._used = {one: until for one, until in self._used.items() if until > at} | {name: at + lasts}
            cookie = secrets.token_urlsafe(32)
            self._known[_hash(cookie)] = at + LASTS_SECONDS
            while len(self._known) > _MOST_VISITORS:
                self._notices.pop(self._known.popitem(last=False)[0], None)
            return cookie

    def _redeemed(self, ticket: str) -> tuple[str, float]:
        name, lasts = self._tokens.redeem(ticket)
        if name in self._used:
            raise Refused("it was used before")
        return name, lasts

    def check(self, request: Request) -> str:
        """Return the visitor, a name for `tell` and `told`; raises Problem 401."""
        who = _hash(request.cookies.get(cookie_name(request), ""))
        with self._lock:
            if self._known.get(who, 0.0) <= time.monotonic():
                self._known.pop(who, None)
                raise Problem(401, "Nobody is let in without a link.", next_step=NEXT_STEP)
        return who

    def tell(self, who: str, notice: Notice) -> None:
        """Store a notice that the next page shows *who* once."""
        with self._lock:
            self._notices[who] = notice

    def told(self, who: str) -> Notice | None:
        """Return the notice to be shown, None for none."""
        with self._lock:
            return self._notices.pop(who, None)


def cookie_name(request: Request) -> str:
    """Return the name of this server's cookie: a browser has one set of them for all ports of a host."""
    port = request.headers.get("host", "").rpartition(":")[2]
    return f"{COOKIE}-{port}" if port.isascii() and port.isdigit() else COOKIE


def _hash(cookie: str) -> str:
    return sha256(cookie.encode()).hexdigest()
