"""TLS to a server that proves itself, and to one that does not: what is sent over a real handshake.

The wheels' PostgreSQL is built without TLS, so before its socket stands what speaks it: libpq's request for
TLS is answered, the handshake made, and the bytes handed on.
"""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.fleet.machines import NOW, Fleet, Machine
from tests.portability.ledgers import line

from scrimshaw.errors import UserError
from scrimshaw.fleet import server
from scrimshaw.services.fleet.sync import sync_with

Made = Callable[..., Machine]
_SSL_REQUEST = bytes.fromhex("00000008 04d2162f")


def certificate(folder: Path, name: str) -> Path:
    """Make a certificate that is its own authority, for the host *name*."""
    folder.mkdir()
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    named = ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "ca.pem")]
    subprocess.run(
        ["openssl", "req", "-x509", *curve, *named, *files],
        check=True,
        capture_output=True,
    )
    return folder / "ca.pem"


@contextmanager
def speaking(behind: str, proof: Path | None) -> Iterator[tuple[int, list[bytes]]]:
    """Yield a port that speaks TLS with *proof* (None: refuses to), and all bytes that came without it."""
    seen: list[bytes] = []
    listening = socket.create_server(("127.0.0.1", 0))
    context = None
    if proof:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(proof, proof.with_name("key.pem"))
        context.set_alpn_protocols(["postgresql"])

    def hand_on(one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while part := one.recv(65_536):
                other.sendall(part)
        with suppress(OSError):
            other.shutdown(socket.SHUT_RDWR)

    def answer(came: socket.socket) -> None:
        with suppress(OSError):
            first = came.recv(8)
            seen.append(first)
            if first != _SSL_REQUEST or context is None:
                came.sendall(b"N")
                seen.append(came.recv(65_536))
                came.close()
                return
            came.sendall(b"S")
            spoken = context.wrap_socket(came, server_side=True)
            there = socket.socket(socket.AF_UNIX)
            there.connect(behind)
            threading.Thread(target=hand_on, args=(there, spoken), daemon=True).start()
            hand_on(spoken, there)
            spoken.close()
            there.close()

    def listen() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=answer, args=(listening.accept()[0],), daemon=True).start()

    threading.Thread(target=listen, daemon=True).start()
    try:
        yield listening.getsockname()[1], seen
    finally:
        listening.close()


@pytest.fixture
def proof(tmp_path: Path) -> Path:
    if not shutil.which("openssl"):
        pytest.skip("there is no openssl here to make a certificate with")
    return certificate(tmp_path / "own", "db.example")


@pytest.fixture
def behind(fleet: Fleet) -> str:
    return str(next(fleet.server.folder.glob(".s.PGSQL.[0-9]*[0-9]")))


def address(machine: Machine, port: int, host: str = "db.example", rest: str = "") -> str:
    # hostaddr is what is connected to; host is whom the certificate has to name.
    return (
        f"host={host} hostaddr=127.0.0.1 port={port} user={machine.login} dbname={machine.fleet.name} {rest}"
    )


def test_lines_go_to_a_server_whose_certificate_an_authority_of_ones_own_proves(
    machine: Made, behind: str, proof: Path
) -> None:
    a = machine()
    a.note(line(1))
    with speaking(behind, proof) as (port, seen):
        told = address(a, port, rest=f"sslmode=verify-full sslrootcert={proof}")
        with a.ledger() as ledger, server.connected(told) as there:
            assert there.pgconn.ssl_in_use
            sync_with(a.place.target(), ledger, a.link, there, NOW)

    assert a.digest() == a.fleet.digest("anna")
    assert set(seen) == {_SSL_REQUEST}


@pytest.mark.parametrize(
    ("host", "rest"),
    [
        ("another.example", "sslmode=verify-full sslrootcert={proof}"),  # proven, and somebody else
        ("db.example", "sslmode=verify-full sslrootcert={other}"),
        ("db.example", "sslmode=verify-full sslrootcert=system"),
    ],
)
def test_a_server_that_does_not_prove_itself_gets_nothing(
    machine: Made, behind: str, proof: Path, tmp_path: Path, host: str, rest: str
) -> None:
    a = machine()
    other = certificate(tmp_path / "other", "db.example")
    with speaking(behind, proof) as (port, seen):
        told = address(a, port, host, rest.format(proof=proof, other=other))
        with pytest.raises(UserError, match="certificate does not prove"), server.connected(told):
            pass

    assert set(seen) == {_SSL_REQUEST}


def test_a_server_without_tls_gets_nothing_unless_the_address_says_so(
    machine: Made, behind: str, proof: Path
) -> None:
    a = machine()
    with speaking(behind, None) as (port, seen):
        told = address(a, port, rest=f"sslmode=verify-full sslrootcert={proof}")
        with pytest.raises(UserError, match="speaks no TLS"), server.connected(told):
            pass

    assert set(seen) <= {_SSL_REQUEST, b""}
