"""Search by words as others do it: BM25Okapi as it is commonly used, SQLite's FTS5, bm25s.

"Our words" means that the question goes through core/search/query first, as ours does: it shows what dropping
question words is worth by itself.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from typing import Any

from scrimshaw.core.search.query import question_words

_WORD = re.compile(r"[^\W_]+")
_COMMON_TEXT = "the a an is are was were in on at to for of and or but not with by from"
_COMMON = frozenset(_COMMON_TEXT.split())


class Okapi:
    """rank_bm25's BM25Okapi over lower-case words, a few common ones left out: what many memories use."""

    def build(self, texts: Sequence[str]) -> None:
        """Make *texts* findable."""
        from rank_bm25 import BM25Okapi

        self._index: Any = BM25Okapi([_plain(text) for text in texts])

    def search(self, question: str, limit: int) -> list[int]:
        """Return the places of the best *limit*."""
        scores = self._index.get_scores(_plain(question))
        best = sorted(range(len(scores)), key=lambda at: -scores[at])
        return [at for at in best[:limit] if scores[at] > 0]


class Fts5:
    """SQLite's FTS5 with porter stems, the words of the question joined with OR."""

    def __init__(self, *, drops_small_words: bool) -> None:
        self._drops = drops_small_words

    def build(self, texts: Sequence[str]) -> None:
        """Make *texts* findable."""
        self._db = sqlite3.connect(":memory:")
        self._db.execute("create virtual table t using fts5(text, tokenize='porter unicode61')")
        self._db.executemany("insert into t (rowid, text) values (?, ?)", enumerate(texts, 1))
        self._db.commit()

    def search(self, question: str, limit: int) -> list[int]:
        """Return the places of the best *limit*."""
        words = question_words(question) if self._drops else _WORD.findall(question.lower())
        query = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
        asked = "select rowid from t where t match ? order by rank, rowid limit ?"
        return [row - 1 for (row,) in self._db.execute(asked, (query, limit))] if query else []


class Bm25s:
    """bm25s with k1 .9 and b .4, and the stems our own index uses."""

    def build(self, texts: Sequence[str]) -> None:
        """Make *texts* findable."""
        import bm25s

        from scrimshaw.index.words import _analyzer

        self._analyzer = _analyzer()
        self._index: Any = bm25s.BM25(k1=0.9, b=0.4, method="lucene")
        self._index.index([self._analyzer.analyze(text) for text in texts], show_progress=False)
        self._count = len(texts)

    def search(self, question: str, limit: int) -> list[int]:
        """Return the places of the best *limit*."""
        words = self._analyzer.analyze(" ".join(question_words(question)))
        words = [word for word in dict.fromkeys(words) if word in self._index.vocab_dict]
        if not words:
            return []
        scores = self._index.get_scores(words)
        best = sorted(range(self._count), key=lambda at: (-scores[at], at))
        return [at for at in best[:limit] if scores[at] > 0]


def _plain(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower()) if word not in _COMMON]
