"""The two renames that look before they leap, and that Python does not know: for `files` alone.

Linux has them as renameat2, macOS as renamex_np. Where there is neither, or the file system cannot do it
(NFS, some of FUSE), both answer False and have changed nothing.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

_HERE = -100  # AT_FDCWD: paths are taken as the process takes them
# Old sandboxes answer EPERM for a call that they do not know; where it is meant, an ordinary rename says so.
_UNKNOWN = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM)

_Rename = Callable[[bytes, bytes, int], int]


def exchange(one: Path, other: Path) -> bool:
    """Let *one* and *other*, both there and in one folder, change places in one step."""
    return _renamed(one, other, 2)  # RENAME_EXCHANGE, RENAME_SWAP


def rename_new(path: Path, new: Path) -> bool:
    """Rename *path* to *new*; raise FileExistsError when something is there."""
    return _renamed(path, new, 4 if sys.platform == "darwin" else 1)  # RENAME_EXCL, RENAME_NOREPLACE


def _renamed(one: Path, other: Path, flag: int) -> bool:
    call = _call()
    if call is None:
        return False
    if call(os.fsencode(one), os.fsencode(other), flag) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNKNOWN:
        return False
    raise OSError(number, os.strerror(number), str(one), None, str(other))


@cache
def _call() -> _Rename | None:
    try:
        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            exclusive = library.renamex_np
            exclusive.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint)
            return lambda one, other, flag: int(exclusive(one, other, flag))
        at = library.renameat2
    except (AttributeError, OSError, TypeError):
        return None  # an older C library, or a system that has none
    at.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    return lambda one, other, flag: int(at(_HERE, one, _HERE, other, flag))
