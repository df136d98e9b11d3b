"""A Python that is killed by the kernel as soon as anything in it asks for a network socket.

Run as a program it refuses itself the sockets (a seccomp filter) and becomes the Python that is asked for.
"""

import ctypes
import os
import platform
import signal
import struct
import sys
from pathlib import Path

REFUSED = -signal.SIGSYS
# The number of the call `socket`, and of the machine, as the kernel names it.
_CALLS = {"x86_64": (41, 0xC000003E), "aarch64": (198, 0xC00000B7)}
SECCOMP = sys.platform == "linux" and platform.machine() in _CALLS


def refusing(*arguments: str) -> tuple[str, ...]:
    """Return the command of a Python that runs with *arguments* and has no network."""
    return (sys.executable, str(Path(__file__)), *arguments)


def _refuse() -> None:
    call, machine = _CALLS[platform.machine()]
    load, equal, end = 0x20, 0x15, 0x06
    program = [
        (load, 0, 0, 4),  # the machine
        (equal, 0, 5, machine),
        (load, 0, 0, 0),  # which call
        (equal, 0, 3, call),
        (load, 0, 0, 16),  # its first argument: the family
        (equal, 2, 0, 2),  # AF_INET
        (equal, 1, 0, 10),  # AF_INET6
        (end, 0, 0, 0x7FFF0000),  # let it
        (end, 0, 0, 0x80000000),  # kill the process
    ]
    code = b"".join(struct.pack("HBBI", *line) for line in program)
    kept = ctypes.create_string_buffer(code)
    filters = struct.pack("HxxxxxxP", len(program), ctypes.addressof(kept))
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, set_filter, mode = 38, 22, 2
    if libc.prctl(no_new_privileges, 1, 0, 0, 0) or libc.prctl(set_filter, mode, filters, 0, 0):
        sys.exit(f"no filter: {os.strerror(ctypes.get_errno())}")


if __name__ == "__main__":
    _refuse()
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
