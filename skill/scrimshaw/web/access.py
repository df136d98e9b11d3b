"""Identify the caller and check access: a route takes a `Caller` checked for read, write or owner."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import Annotated, NamedTuple

from fastapi import Depends, Request
from fastapi.security import HTTPBearer

from scrimshaw.memory import Memory
from scrimshaw.web.agents import Agents
from scrimshaw.web.guard import AT_END
from scrimshaw.web.problems import Problem
from scrimshaw.web.tokens import EVERY, PERSON, Grant, Refused, TokenBook, TokenScope

_HOW = "Authorization: Bearer TOKEN, as printed by: scrimshaw token create --agent NAME --scope write"
_FAILURES_A_SECOND, _FAILURES_AT_ONCE = 5.0, 50.0
_MOST_PLACES = 10_000


class Buckets:
    """Rate limits by name: so many requests a second, twice as many in a burst. For one thread."""

    def __init__(self, a_second: float, at_once: float) -> None:
        self._a_second, self._at_once = a_second, at_once
        self._left: OrderedDict[str, tuple[float, float]] = (
            OrderedDict()
        )  # how many are left, and at what time

    def take(self, name: str) -> bool:
        """Take one request of *name*'s, and tell whether one was left."""
        at = time.monotonic()
        left, since = self._left.pop(name, (self._at_once, at))
        left = min(self._at_once, left + (at - since) * self._a_second)
        self._left[name] = (left - 1 if left >= 1 else left, at)
        if len(self._left) > _MOST_PLACES:
            self._left.popitem(last=False)
        return left >= 1


class Door:
    """Lends out memories to authenticated callers."""

    def __init__(self, agents: Agents, tokens: TokenBook, rate: int) -> None:
        self.agents, self.tokens = agents, tokens
        self._rate = Buckets(rate, 2 * rate)
        self._failures = Buckets(_FAILURES_A_SECOND, _FAILURES_AT_ONCE)

    def caller(self, request: Request, token: str | None) -> Caller:
        """Return the caller; raises Problem 401 and 429."""
        host = request.client.host if request.client else ""
        if token is None and host == "unix":
            return Caller(PERSON, self.agents, [])  # the socket lets in only the owner (serving)
        if token is None:
            raise self._unknown(host, "This needs a token.")
        try:
            grant = self.tokens.check(token)
        except Refused as why:
            raise self._unknown(host, f"The token is not valid: {why}.") from None
        request.scope["scrimshaw.by"] = grant.id
        if not self._rate.take(grant.id):
            raise _too_many("This token asks too often.")
        return Caller(grant, self.agents, [])

    def _unknown(self, host: str, detail: str) -> Problem:
        if not self._failures.take(host):
            return _too_many("Too many requests came from here without a valid token.")
        return Problem(401, detail, next_step=_HOW, headers={"WWW-Authenticate": "Bearer"})


def _too_many(detail: str) -> Problem:
    return Problem(429, detail, next_step="wait a second, and ask again", headers={"Retry-After": "1"})


class Caller(NamedTuple):
    """The caller: what they may do, and the memories lent out to them until `done`."""

    grant: Grant
    agents: Agents
    lent: list[Memory]

    def done(self) -> None:
        self.agents.give_back(self.lent)
        self.lent.clear()

    def memory(self, agent: str | None, *, makes: bool = False) -> Memory:
        """Return the memory of *agent*, or of the token's only agent; raises Problem 400 and 403.

        With *makes* a missing one is created, if the token may write.
        """
        name = agent or self._only()
        if not self.grant.sees(name):
            # Whether such an agent exists is not revealed.
            own = ", ".join(self.grant.agents)[:200]
            raise Problem(403, "The token is not for this agent.", next_step=f"name one of its own: {own}")
        is_named = name in self.grant.agents  # named by the person who made the token
        return self._lend(name, makes=is_named or (makes and self.grant.may(TokenScope.WRITE)))

    def memories(self, agent: str | None = None) -> list[Memory]:
        """Return the memory of *agent*, or all that the token may see."""
        if agent:
            return [self.memory(agent)]
        found = map(self._lend, self.names())
        return list({id(one): one for one in found if one.is_set_up}.values())

    def names(self) -> list[str]:
        """Return the names of the existing agents that the token allows, sorted."""
        return self.agents.names(None if EVERY in self.grant.agents else self.grant.agents)

    def _lend(self, name: str, *, makes: bool = False) -> Memory:
        found = self.agents.memory(name, makes=makes)
        self.lent.append(found)
        return found

    def _only(self) -> str:
        if len(self.grant.agents) == 1 and EVERY not in self.grant.agents:
            return self.grant.agents[0]
        raise Problem(400, "Which agent is meant? The token is for several.", next_step='name one: "agent"')


class _Needs(HTTPBearer):
    """The token in a request, as FastAPI describes it, and the `Caller` behind it, who needs *scope*."""

    def __init__(self, scope: TokenScope) -> None:
        super().__init__(
            scheme_name="HTTPBearer",
            auto_error=False,
            bearerFormat="JWT",
            description="A token of this server.",
        )
        self._scope = scope

    async def __call__(self, request: Request) -> Caller:  # type: ignore[override]  # one dependency, not two
        said = await super().__call__(request)
        asks: Caller = request.app.state.door.caller(request, said.credentials if said else None)
        if not asks.grant.may(self._scope):
            raise Problem(
                403,
                f"This needs a token of scope {self._scope.value}; this one has {asks.grant.scope.value}.",
                next_step=f"scrimshaw token create --agent NAME --scope {self._scope.value}",
            )
        request.scope[AT_END] = asks.done
        return asks


Reader = Annotated[Caller, Depends(_Needs(TokenScope.READ))]
Writer = Annotated[Caller, Depends(_Needs(TokenScope.WRITE))]
Owner = Annotated[Caller, Depends(_Needs(TokenScope.OWNER))]
