"""Access to the server: its address, connections, its schema, and messages for what is missing.

An address is a libpq connection string or URI, read from a file or a variable at each use; it is never stored
here, nor put into a message or a log. Connections to another machine use TLS with a verified certificate,
unless the address itself says otherwise. Connecting, statements and locks have time limits.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scrimshaw.errors import Exit, UserError
from scrimshaw.resources import adding

if TYPE_CHECKING:
    import psycopg
    from psycopg_pool import ConnectionPool

    Connection = psycopg.Connection[tuple[Any, ...]]

VARIABLE = "SCRIMSHAW_FLEET"  # the variable that is read when no other is named
FIRST, NEWEST = 2, 3  # the first migration that is required, and the last that this program knows
_MIGRATIONS = Path(__file__).parent / "migrations"
_CONNECT_SECONDS = 5
_STATEMENT_MS = 60_000
_LOCK_MS = 5_000
# The driver's messages quote the address, so only the type of failure is taken from them.
_SIGNS = {
    "password authentication failed": ": it knows no such login, or the password is wrong",
    "no pg_hba.conf entry": ": it lets nobody in from this machine in this way (pg_hba.conf)",
    "certificate": ": its certificate does not prove that it is the one in the address",
    "does not support SSL": ": it speaks no TLS",
    'role "': ": it knows no such login",
    'database "': ": it has no such database",
    "timeout": ": nothing answered in time",
    "too many clients": ": it has no connection left",
    "remaining connection slots": ": it has no connection left",
    "is starting up": ": it is just starting",
}
_ADDRESS = re.compile(r"\b(host|password|user|dbname)\s*=|postgres(ql)?:/")
_LOCAL = ("", "localhost", "127.0.0.1", "::1")
_OPEN_MODES = ("disable", "allow", "prefer")  # with these libpq may connect without TLS


class ServerAddress(NamedTuple):
    """Where the address is read from: a file or a variable."""

    file: str = ""
    variable: str = ""

    @property
    def told(self) -> str:
        """The source of the address, for a person."""
        return self.file or f"the variable {self.variable}"

    def read(self, env: Mapping[str, str]) -> str:
        """Return the connection string; raises UserError when there is none, or others may read the file."""
        if _ADDRESS.search(self.file or self.variable):
            # Not repeated: it may hold a password.
            raise UserError(
                "This is an address itself, not the name of a file or a variable that holds it.",
                "What you typed may stand in your shell's history: if it held a password, change that.",
                next_step="write it into a file that nobody else may read, then: --address-file FILE",
                exit_code=Exit.USAGE,
            )
        if self.file:
            return _from_file(Path(self.file))
        said = env.get(self.variable, "").strip()
        if not said:
            raise UserError(
                f"The variable {self.variable} holds no address of a server.",
                next_step=f"export {self.variable}='host=… dbname=… user=…', or: --address-file FILE",
            )
        return said


def _from_file(path: Path) -> str:
    try:
        told = path.stat()
        text = path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read as an address.", next_step=f"ls -l {path}") from error
    if stat.S_IMODE(told.st_mode) & 0o077:
        raise UserError(
            f"{path}: others on this machine may read it, and an address may hold a password.",
            next_step=f"chmod 600 {path}",
            exit_code=Exit.REFUSED,
        )
    if not text:
        raise UserError(
            f"{path}: it is empty.", next_step="write one line: host=… dbname=… user=… password=…"
        )
    return text


def require_driver() -> None:
    """Raise UserError where psycopg is not installed."""
    try:
        import psycopg  # noqa: F401
        import psycopg_pool  # noqa: F401
    except ImportError as error:
        raise UserError(
            "A fleet needs psycopg, which is not installed.", next_step=adding("fleet")
        ) from error


def conninfo(address: str) -> str:
    """Return *address* with defaults added: verified TLS to other machines, and time limits."""
    from psycopg.conninfo import make_conninfo

    told = _filled(address)
    told.setdefault("connect_timeout", str(_CONNECT_SECONDS))
    told.setdefault("application_name", "scrimshaw")
    ends = f"-c statement_timeout={_STATEMENT_MS} -c lock_timeout={_LOCK_MS} -c client_min_messages=warning"
    told["options"] = f"{ends} {told.get('options', '')}".strip()
    return make_conninfo("", **told)


def exposure(address: str) -> str:
    """Return a warning when *address* allows unencrypted traffic to another machine; else ""."""
    told = _filled(address)
    mode = told.get("sslmode") or os.environ.get("PGSSLMODE", "")
    if _is_local(told) or mode not in _OPEN_MODES:
        return ""
    where = told.get("host") or told.get("hostaddr") or "the server"
    return (
        f"sslmode={mode}: the way to {where} may be unencrypted. Whoever is on it reads every line that goes "
        "or comes, what is searched for, and maybe the password."
    )


def _is_local(told: Mapping[str, str]) -> bool:
    """Tell whether every host is this machine; unknown, so false, with a service file."""
    if "service" in told or "PGSERVICE" in os.environ:
        return False
    address = told.get("hostaddr") or os.environ.get("PGHOSTADDR")  # takes precedence over the host
    hosts = (address or told.get("host") or os.environ.get("PGHOST", "")).split(",")
    return all(host in _LOCAL or host.startswith(("/", "@")) for host in hosts)


def _filled(address: str) -> dict[str, str]:
    """Return the parts of *address*, with verified TLS to other machines by default."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    try:
        told = {name: str(value) for name, value in conninfo_to_dict(address).items() if value is not None}
    except psycopg.Error:
        # Neither in the message nor as the cause: the driver's text quotes the address.
        raise UserError(
            "The address is not a PostgreSQL connection string.",
            next_step="write it as: host=db.example dbname=memory user=machine_1 password=…",
        ) from None
    if not _is_local(told) and "sslmode" not in told and "PGSSLMODE" not in os.environ:
        told["sslmode"] = "verify-full"
        told.setdefault("sslrootcert", os.environ.get("PGSSLROOTCERT", "system"))
    return told


@contextmanager
def connected(address: str, *, keeps: bool = False) -> Iterator[Connection]:
    """Yield a connection that commits each statement by itself; with *keeps* it stays open afterwards."""
    import psycopg
    from psycopg_pool import PoolTimeout

    require_driver()
    info = conninfo(address)
    try:
        if keeps:
            with _pool(info).connection() as connection:
                yield connection
            return
        with psycopg.connect(info, autocommit=True) as connection:
            yield connection
    except (psycopg.Error, PoolTimeout) as error:
        raise told(error) from error


@lru_cache(maxsize=4)
def _pool(info: str) -> ConnectionPool[Connection]:
    from psycopg_pool import ConnectionPool

    return ConnectionPool(
        info,
        kwargs={"autocommit": True},
        min_size=0,
        max_size=2,
        timeout=_CONNECT_SECONDS,
        reconnect_timeout=_CONNECT_SECONDS,
        open=True,
    )


def not_admitted(name: str, login: str) -> UserError:
    """Return the error for a *login* that may not act for an agent."""
    return UserError(
        f"The server knows no agent {name} that this login may act for. Nothing was sent.",
        next_step=f"an administrator types in psql: select scrimshaw.admit('{name}', 'TEAM', '{login}');",
        exit_code=Exit.REFUSED,
    )


def told(error: Exception) -> UserError:
    """Return the message for a failure of the server: what happened, and what an administrator types."""
    import psycopg
    from psycopg import errors

    kept = "The ledger of this machine is whole and goes on; the next sync takes up where this one ended."
    match error:
        case errors.InsufficientPrivilege():
            return UserError(
                "The server does not give this login the right to do that.",
                kept,
                next_step="an administrator types in psql: select scrimshaw.admit('AGENT', 'TEAM', 'LOGIN');",
                exit_code=Exit.REFUSED,
            )
        case errors.InvalidSchemaName() | errors.UndefinedTable() | errors.UndefinedFunction():
            return UserError(
                "The server has no tables of Scrimshaw's.",
                kept,
                next_step="an administrator runs: scrimshaw fleet migrate --address-file FILE",
            )
        case errors.InvalidPassword() | errors.InvalidAuthorizationSpecification():
            return UserError(
                "The server knows no such login, or the password is wrong.",
                kept,
                next_step="look at the address; an administrator types: alter role LOGIN password '…';",
            )
        case errors.ReadOnlySqlTransaction():
            return UserError(
                "The server takes no changes: it is a standby, or was set to read only.",
                kept,
                next_step="name the primary in the address, or wait until it takes changes again",
            )
        case errors.DiskFull() | errors.OutOfMemory():
            return UserError("The server is full.", kept, next_step="make room on the server")
        case errors.LockNotAvailable() | errors.QueryCanceled():
            return UserError("The server took too long.", kept, next_step="scrimshaw fleet sync")
    if isinstance(error, psycopg.DataError | psycopg.IntegrityError | psycopg.ProgrammingError):
        return UserError(
            f"The server refused what was sent ({type(error).__name__}).",
            kept,
            next_step="scrimshaw fleet status; then the newest Scrimshaw on both sides",
        )
    why = next((why for sign, why in _SIGNS.items() if sign in str(error)), "")
    return UserError(
        f"The server cannot be reached{why}.",
        kept,
        next_step="look at the address and at the server, then: scrimshaw fleet sync",
    )


def schema(connection: Connection, agent: str = "") -> int:
    """Return the number of the server's newest migration; raises UserError when there is none.

    With *agent*, a login without any right is told how to get the right to act for it.
    """
    from psycopg import errors

    try:
        row = connection.execute("select max(number) from scrimshaw.migration").fetchone()
    except errors.InsufficientPrivilege as error:
        if not agent:
            raise
        raise not_admitted(agent, connection.info.user) from error
    found = int(row[0] or 0) if row else 0
    check_schema(found)
    return found


def check_schema(found: int) -> None:
    """Refuse a server that is older than the first usable form, or more than one form newer."""
    if found < FIRST:
        raise UserError(
            "The server has no tables of Scrimshaw's.",
            next_step="an administrator runs: scrimshaw fleet migrate --address-file FILE",
        )
    if found > NEWEST + 1:
        raise UserError(
            f"The server has form {found}, and this program knows {NEWEST}. Nothing was sent.",
            next_step="install the newest Scrimshaw on this machine",
            exit_code=Exit.REFUSED,
        )


def form_told(found: int) -> str:
    """Return a message when the server's form is one newer or older than this program's; else ""."""
    if found > NEWEST:
        return "The server's tables are newer than this program: install the newest Scrimshaw when you can."
    if found < NEWEST:
        return (
            "The server holds no meanings: search goes by words alone, until it has pgvector and an "
            "administrator runs: scrimshaw fleet migrate --address-file FILE"
        )
    return ""


def migrate(address: str) -> tuple[list[str], str]:
    """Bring the server's schema up to date, as an administrator; return the steps done, and those left out.

    Raises UserError when this login's rights do not suffice, with how to get them.
    """
    from psycopg import errors

    done: list[str] = []
    left = ""
    with connected(address) as connection:
        # Two administrators must not create it at the same time.
        connection.execute("select pg_advisory_lock(hashtext('scrimshaw migrations'))")
        there = connection.execute("select to_regclass('scrimshaw.migration')").fetchone()
        row = (
            connection.execute("select max(number) from scrimshaw.migration").fetchone()
            if there and there[0]
            else None
        )
        at = int(row[0] or 0) if row else 0
        for path in sorted(_MIGRATIONS.glob("*.sql")):
            number = int(path.name[:4])
            if number <= at:
                continue
            try:
                with connection.transaction():
                    connection.execute(path.read_bytes())
            except (errors.FeatureNotSupported, errors.UndefinedFile) as error:
                if number != NEWEST:
                    raise
                left = (
                    f"pgvector is not installed on the server ({type(error).__name__}): search goes by words "
                    "alone. Once it is, run this again."
                )
                break
            except errors.InsufficientPrivilege as error:
                if number != NEWEST:
                    raise _lacks_rights(connection, done) from error
                left = (
                    "This login may not create the extension pgvector: search goes by words alone. An "
                    "administrator types in psql, in this database: create extension vector; "
                    "then run this again."
                )
                break
            done.append(path.stem)
    return done, left


def _lacks_rights(connection: Connection, done: list[str]) -> UserError:
    name, database = connection.info.user, connection.info.dbname
    return UserError(
        f"{name} may not make the tables in {database}.",
        f"Done before: {', '.join(done)}." if done else "Nothing was changed.",
        next_step=f'an administrator types in psql: alter role "{name}" createrole; '
        f'grant create on database "{database}" to "{name}"; then the same again. '
        "Where another database of this server has Scrimshaw's roles: with the address of a superuser",
        exit_code=Exit.REFUSED,
    )
