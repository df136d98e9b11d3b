"""Tokens, which control access to the server: created, listed and revoked on the command line.

A token is a JWT, signed only with HS256, by one secret for both versions. The secret is created on first use
(mode 0600), or is the older program's, whose variable the owner's configuration names. Our tokens are valid
only while their id is in `tokens.json`, so revoking works at once, even in a running server. Tokens signed by
another program may do what `server.claims` says, and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import secrets
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from scrimshaw import files
from scrimshaw.config import Settings
from scrimshaw.errors import Exit, NotFoundError, UserError

EVERY = "*"  # in place of an agent: all of them
_ISSUER = "scrimshaw"
_PAGE = "page"  # the name that a link is issued to
_TICKET_SECONDS = 60.0
_LEAST_SECRET_CHARS = 32
_LONGEST_TOKEN = 8_192
_LARGEST_BYTES = 4 * 1024 * 1024
_MOST_HELD = 1_000  # tokens whose signature is not verified again


class TokenScope(StrEnum):
    """What a token allows; each scope includes those before it."""

    READ = "read"  # search and look
    WRITE = "write"  # store, hand in, change what programs have stored
    OWNER = "owner"  # what only the person may do: forget, undo, review, import


_ORDER = tuple(TokenScope)


@dataclass(frozen=True, slots=True)
class Grant:
    """The record of an issued token; the token itself is not stored."""

    id: str
    agents: tuple[str, ...]  # EVERY for all
    scope: TokenScope
    created_at: str = ""  # ISO 8601
    expires_at: str | None = None
    note: str = ""

    def may(self, needed: TokenScope) -> bool:
        """Tell whether its scope includes *needed*."""
        return _ORDER.index(self.scope) >= _ORDER.index(needed)

    def sees(self, agent: str) -> bool:
        return EVERY in self.agents or agent in self.agents

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "agents": list(self.agents), "scope": self.scope.value}


PERSON = Grant("person", (EVERY,), TokenScope.OWNER)  # authenticated by the machine itself, on a socket


class Refused(Exception):  # noqa: N818  # an expected state, not a fault
    """The token is invalid, expired or revoked; the message says which, without quoting it."""


class _Seen(NamedTuple):
    """The files as last read, and the tokens that were verified against them."""

    stamp: tuple[int, ...]
    secret: bytes
    grants: dict[str, Grant]
    held: dict[bytes, tuple[Grant, float]]  # by the token's hash: what it allows, and when it expires


class TokenBook:
    """The secret and the tokens of one server, in *folder*; for any thread and several processes."""

    def __init__(self, folder: Path, settings: Settings, env: Mapping[str, str]) -> None:
        self.folder = folder
        self._settings, self._env = settings, env
        self._path, self._secret_path = folder / "tokens.json", folder / "secret"
        self._seen: _Seen | None = None

    def issue(
        self, agents: tuple[str, ...], scope: TokenScope, lasts: timedelta | None, note: str = ""
    ) -> tuple[str, Grant]:
        """Return a new token and its record."""
        import jwt

        at = datetime.now(UTC)
        until = at + lasts if lasts else None
        grant = Grant(
            *(secrets.token_hex(8), agents, scope, _iso(at), _iso(until) if until else None, note),
        )
        claims: dict[str, Any] = {
            "iss": _ISSUER,
            "sub": " ".join(agents),
            "jti": grant.id,
            "agents": list(agents),
            "scope": scope.value,
            "iat": int(at.timestamp()),
        }
        if until:
            claims["exp"] = int(until.timestamp())
        signed = jwt.encode(claims, self._secret(makes=True), algorithm="HS256")
        self._change(lambda grants: {**grants, grant.id: grant})
        return signed, grant

    def grants(self) -> list[Grant]:
        """Return the tokens that are not revoked, the oldest first, including expired ones."""
        return list(_read(self._path)[1].values())

    def revoke(self, id_: str) -> Grant:
        """Revoke a token by its id, or the first characters of it; raises UserError if there is none."""
        found = [one for one in self.grants() if id_ and one.id.startswith(id_)]
        if len(found) != 1:
            raise NotFoundError(
                f"{id_!r} names {'several tokens' if found else 'no token'}. Nothing was revoked.",
                next_step="scrimshaw token list",
                exit_code=Exit.USAGE,
            )
        self._change(lambda grants: {key: one for key, one in grants.items() if key != found[0].id})
        return found[0]

    def rotate(self) -> int:
        """Create a new secret, which ends all tokens; return their number."""
        if self._settings.server_jwt_secret:
            raise UserError(
                "The secret is the one that server.jwt_secret names, not ours to change. "
                "Nothing was changed.",
                next_step=f"change what {self._settings.server_jwt_secret} holds, or take that setting out",
            )
        ended = len(self.grants())
        self._make_folder()
        files.replace(self._secret_path, _new_secret(), expected=None, new_mode=0o600)
        self._change(lambda _grants: {})
        return ended

    def check(self, token: str) -> Grant:
        """Return what *token* allows; raises Refused."""
        if len(token) > _LONGEST_TOKEN:
            raise Refused("it is no token")
        seen = self._current()
        mark = hashlib.sha256(token.encode()).digest()
        if (held := seen.held.get(mark)) is not None and time.time() < held[1]:
            return held[0]
        grant, until = self._checked(token, seen)
        if len(seen.held) >= _MOST_HELD:
            seen.held.clear()
        seen.held[mark] = grant, until
        return grant

    def _checked(self, token: str, seen: _Seen) -> tuple[Grant, float]:
        """Verify *token*; return what it allows and when it expires (Unix time). Raises Refused."""
        claims = _claims(token, seen.secret, "its time is over", options={"verify_aud": False})
        until = float(claims.get("exp", math.inf))
        if claims.get("iss") != _ISSUER:
            return self._mapped(claims), until
        grant = seen.grants.get(str(claims.get("jti")))
        if grant is None:
            raise Refused("it was revoked")
        return grant, until

    def ticket(self) -> str:
        """Return a link's ticket, which proves that its holder can read the secret: valid for a minute."""
        import jwt

        until = datetime.now(UTC) + timedelta(seconds=_TICKET_SECONDS)
        claims = {"iss": _ISSUER, "aud": _PAGE, "jti": secrets.token_hex(16), "exp": int(until.timestamp())}
        return jwt.encode(claims, self._secret(makes=True), algorithm="HS256")

    def redeem(self, ticket: str) -> tuple[str, float]:
        """Return the name of *ticket*, and the seconds until it expires at the latest; raises Refused."""
        if len(ticket) > _LONGEST_TOKEN:
            raise Refused("it is none")
        wanted = {"audience": _PAGE, "issuer": _ISSUER, "options": {"require": ["exp", "jti", "aud", "iss"]}}
        claims = _claims(ticket, self._current().secret, "its minute is over", **wanted)
        return str(claims["jti"]), _TICKET_SECONDS

    def _mapped(self, claims: Mapping[str, Any]) -> Grant:
        """Return what another program's token allows, by the owner's settings; raises Refused."""
        for name, allowed in self._settings.server_claims.items():
            claim, _, value = name.partition("=")
            said = claims.get(claim)
            if isinstance(said, (str, int)) and not isinstance(said, bool) and str(said) == value:
                agent, scope = allowed.split(" ")
                return Grant(f"claim:{name}"[:80], (agent,), TokenScope(scope))
        raise Refused("nothing that it claims is in server.claims")

    def _current(self) -> _Seen:
        """Return the secret and the tokens, read again if a file has changed."""
        stamp = (*_stamp(self._path), *_stamp(self._secret_path))
        seen = self._seen
        if seen is None or seen.stamp != stamp:
            # Read after the stamp: a change in between is noticed at the next call.
            self._seen = seen = _Seen(stamp, self._secret(), _read(self._path)[1], {})
        return seen

    def _secret(self, *, makes: bool = False) -> bytes:
        if self._settings.server_jwt_secret:
            return self._named_secret(self._settings.server_jwt_secret.removeprefix("${").removesuffix("}"))
        found = files.read_bytes(self._secret_path, 4_096)
        if not isinstance(found, bytes):
            if not makes:
                return secrets.token_bytes(32)  # there are no tokens yet, so none is valid
            self._make_folder()
            files.replace(self._secret_path, _new_secret(), expected=files.ABSENT, new_mode=0o600)
            found = files.read_bytes(self._secret_path, 4_096)
        if not isinstance(found, bytes) or len(found) < _LEAST_SECRET_CHARS:
            raise UserError(
                f"{self._secret_path}: this is not a secret. No token was made or accepted.",
                next_step="scrimshaw token rotate",
            )
        _refuse_others(self._secret_path)
        return found

    def _named_secret(self, variable: str) -> bytes:
        from scrimshaw.models.keys import find_key
        from scrimshaw.models.model import Failure

        key = find_key([variable], self._env)
        if isinstance(key, Failure):
            raise UserError(f"server.jwt_secret: {key.detail}")
        if len(key.reveal()) < _LEAST_SECRET_CHARS:
            raise UserError(
                f"{variable}, which server.jwt_secret names, holds fewer than "
                f"{_LEAST_SECRET_CHARS} characters.",
                next_step="use a longer secret, or take that setting out and have one made",
            )
        return key.reveal().encode()

    def _change(self, made: Any) -> None:  # noqa: ANN401  # what makes new grants of the old
        self._make_folder()
        for _ in range(20):
            was, grants = _read(self._path)
            told = json.dumps([one.to_dict() for one in made(grants).values()], indent=1).encode()
            if not isinstance(files.replace(self._path, told, expected=was, new_mode=0o600), files.Changed):
                return
        raise UserError(f"{self._path}: others keep changing it. Nothing was changed.", next_step="try again")

    def _make_folder(self) -> None:
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                f"{self.folder}: cannot be made ({error.strerror}). Nothing was written.",
                next_step=f"ls -ld {self.folder.parent}",
            ) from error


def _claims(token: str, secret: bytes, if_over: str, **wanted: Any) -> dict[str, Any]:  # noqa: ANN401  # jwt's
    """Verify *token* and return what it claims; raises Refused, with *if_over* where it has expired."""
    import jwt

    try:
        claims: dict[str, Any] = jwt.decode(token, secret, algorithms=["HS256"], **wanted)
    except jwt.ExpiredSignatureError:
        raise Refused(if_over) from None
    except (jwt.InvalidTokenError, ValueError, RecursionError):
        raise Refused("it is not one of this server's") from None
    return claims


def _new_secret() -> bytes:
    return secrets.token_urlsafe(48).encode()


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


def _stamp(path: Path) -> tuple[int, int, int]:
    try:
        found = os.stat(path)  # noqa: PTH116  asked at each request: the least there is
    except OSError:
        return 0, 0, 0
    return found.st_mtime_ns, found.st_ino, found.st_size


def _refuse_others(path: Path) -> None:
    found = path.stat()
    if found.st_mode & 0o077 or found.st_uid not in (os.getuid(), 0):
        raise UserError(
            f"{path}: others can read or write it. No token was made or accepted.",
            next_step=f"chmod 600 {path}; scrimshaw token rotate, if somebody may have read it",
        )


def _read(path: Path) -> tuple[bytes | files.Absent, dict[str, Grant]]:
    raw = files.read_bytes(path, _LARGEST_BYTES)
    if not isinstance(raw, bytes):
        return raw, {}
    try:
        grants = msgspec.json.decode(raw, type=list[Grant])
    except ValueError as error:
        raise UserError(
            f"{path}: cannot be read as a list of tokens. No token was made or accepted.",
            next_step=f"mv {path} {path}.aside; then make tokens anew: scrimshaw token create",
        ) from error
    return raw, {one.id: one for one in grants}
