"""Several archives as one file: a plain tar, for an export that is more than one archive may hold.

What is read is somebody else's: only files are taken, under names of ours.
"""

from __future__ import annotations

import tarfile
from collections.abc import Sequence
from pathlib import Path

ENDING = ".tar"
MOST_PARTS = 100
_MAGIC = slice(257, 262)
_PIECE = 1024 * 1024


class BadBundle(ValueError):  # noqa: N818  # of what somebody else wrote, not a fault of ours
    """This is no bundle of archives; says why."""


def pack(paths: Sequence[Path], into: Path) -> None:
    """Write *paths* into the new file *into*, each gone as soon as it is in."""
    with into.open("xb") as made, tarfile.open(fileobj=made, mode="w", format=tarfile.USTAR_FORMAT) as bundle:
        for path in paths:
            entry = tarfile.TarInfo(path.name)
            entry.size, entry.mode = path.stat().st_size, 0o600
            with path.open("rb") as part:
                bundle.addfile(entry, part)
            path.unlink()


def is_bundle(path: Path) -> bool:
    """Tell whether the file at *path* begins as a bundle does."""
    with path.open("rb") as file:
        return file.read(_MAGIC.stop)[_MAGIC] == b"ustar"


def unpack(path: Path, folder: Path, most_bytes: int) -> list[Path]:
    """Return the archives of the bundle at *path*, as files in *folder*; raises BadBundle.

    A part of more than *most_bytes* is none.
    """
    try:
        with path.open("rb") as raw, tarfile.open(path, "r:") as bundle:
            parts = _parts(bundle, path.stem, folder, most_bytes)
            # tarfile takes a broken header behind the first part for the end.
            raw.seek(bundle.offset)
            is_whole = raw.read(tarfile.BLOCKSIZE) == tarfile.NUL * tarfile.BLOCKSIZE
    except BadBundle:
        raise
    # tarfile lets through what its parsing of hostile headers runs into.
    except (tarfile.TarError, ValueError, OverflowError, MemoryError, RecursionError) as error:
        raise BadBundle("it cannot be unpacked") from error
    if not is_whole:
        raise BadBundle("it is cut off or damaged")
    if not parts:
        raise BadBundle("it holds nothing")
    return parts


def _parts(bundle: tarfile.TarFile, stem: str, folder: Path, most_bytes: int) -> list[Path]:
    parts: list[Path] = []
    for entry in bundle:
        if not entry.isreg() or entry.issparse():
            raise BadBundle("it holds something else than files")
        if len(parts) == MOST_PARTS or entry.size > most_bytes:
            raise BadBundle(f"it holds more than {MOST_PARTS} files, or one that is too large")
        found = bundle.extractfile(entry)
        assert found
        parts.append(folder / f"{stem}.{len(parts) + 1:03}.mv2")
        with found, parts[-1].open("xb") as file:
            while piece := found.read(_PIECE):
                file.write(piece)
    return parts
