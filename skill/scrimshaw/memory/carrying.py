"""The part of `Memory` for archives, export and import, and the search index."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from scrimshaw.memory.arguments import When, check_one_of, check_path, typed_time
from scrimshaw.memory.base import OpenedMemory

if TYPE_CHECKING:
    from scrimshaw.services.archive.export import ExportResult
    from scrimshaw.services.archive.import_ import ImportResult
    from scrimshaw.services.archive.write import ArchiveResult
    from scrimshaw.services.search.index import ReindexResult


class MemoryCarrying(OpenedMemory):
    """Archives, and the index."""

    def export(
        self,
        path: str | Path,
        *,
        since: When | None = None,
        until: When | None = None,
        replace_file: bool = False,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> ExportResult:
        """Write the memory, or a range of days, to a portable `.mv2` file.

        *on_progress* is called with the number of parts written and in all.
        """
        from scrimshaw.services.archive.export import ExportRequest, export
        from scrimshaw.services.times import time_named

        self._require_set_up("Nothing was exported.")
        moment, zone = self.now(), self._target.zone
        said = {"since": typed_time(since), "until": typed_time(until)}
        begin, end = (
            time_named(name, one, moment, zone, "Nothing was exported.") if one is not None else None
            for name, one in said.items()
        )
        wish = ExportRequest(check_path(path), begin and begin.start, end and end.end, replace_file)
        with self._logging(is_needed=False):
            return export(self._target, wish, moment, on_frame=on_progress or (lambda _done, _of: None))

    def import_(self, *paths: str | Path, dry_run: bool = False, at_once: bool = False) -> ImportResult:
        """Import archives: exports, another machine's archive, or any program's memvid file."""
        from scrimshaw.services.archive.import_ import import_archives
        from scrimshaw.services.edit.author import check_may_import

        check_may_import(self._env)
        self._require_set_up("Nothing was imported.")
        named = tuple(map(check_path, paths))
        with self._logging():
            return import_archives(self._target, named, self.now(), writes=not dry_run, at_once=at_once)

    def archive(self, how: Literal["archive", "check", "rebuild"] = "archive") -> ArchiveResult:
        """Update the `.mv2` archives, only check that they are intact, or rebuild them."""
        from scrimshaw.services.archive.write import run

        check_one_of("archive", "check", "rebuild", how=how)
        self._require_set_up("Nothing was archived.")
        return run(self._target, self.now(), how)

    def reindex(
        self,
        *,
        keep_vectors: bool = False,
        on_words: Callable[[int], None] | None = None,
        on_vectors: Callable[[int, int], None] | None = None,
    ) -> ReindexResult:
        """Rebuild the search index from the ledger; the callbacks get the number of lines done."""
        from scrimshaw.services.search.index import reindex

        self._require_set_up("Nothing was indexed.")
        with self._recalling:
            if self._recall is not None:
                self._recall.ledger.close()
            self._recall = None  # of the index that is replaced
            return reindex(
                self._target,
                self.now(),
                keeps_vectors=keep_vectors,
                on_words=on_words or (lambda _words: None),
                on_vectors=on_vectors or (lambda _made, _of: None),
            )
