"""The samples' ground truth against what the offline observer writes (`python -m bench truth`).

For each sample: which statements are held by the section at a budget and by everything accepted (the
dated files), and which literals stand where they must not. Read the section, too: it is the product.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from bench.pipeline import Memory, changes_told, reflected, section_lines
from bench.samples import conversations
from scrimshaw.core.types import Line

DEFAULT_SAMPLES = Path.home() / ".cache/scrimshaw-evaluation/samples"


def main(arguments: list[str]) -> int:
    """Print the result for each sample."""
    parser = argparse.ArgumentParser(prog="bench truth", description=__doc__)
    parser.add_argument("--samples", type=Path, default=DEFAULT_SAMPLES)
    parser.add_argument("--budget", type=int, default=4500)
    parser.add_argument("--section", action="store_true", help="print the section")
    parser.add_argument("--changes", action="store_true", help="print what the reflector changes")
    parser.add_argument("--all", action="store_true", help="print every line accepted")
    given = parser.parse_args(arguments)
    if not given.samples.is_dir():
        print(f"{given.samples}: no such folder; unpack the samples first. Nothing was measured.")
        return 0
    for folder in sorted(given.samples.iterdir()):
        if (folder / "truth.json").is_file():
            memory = _report(folder, given.budget, show_section=given.section, show_all=given.all)
            if given.changes:
                print(*changes_told(memory), sep="\n")
    return 0


def _report(folder: Path, budget: int, *, show_section: bool, show_all: bool) -> Memory:
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    memory = Memory(truth.get("timezone") or "UTC")
    for session, entries in conversations(folder):
        memory.feed(session, entries)
    section = "\n".join(section_lines(memory, budget))
    later = reflected(memory)
    after_reflecting = "\n".join(section_lines(later, budget))
    everything = "\n".join([section, *memory.texts()])
    wanted = [item for item in truth["items"] if item["priority"] >= 4 and not item["superseded_by"]]
    counted = f"{len(memory.lines)} lines, {len(memory.live())} live, {len(memory.rejected)} rejected"
    counted += f", {len(later.live())} live after reflecting"
    print(f"{folder.name}: {counted}")
    for name, text in (
        (f"section of {budget}", section),
        ("after reflecting", after_reflecting),
        ("anywhere", everything),
    ):
        missed = [item for item in wanted if not _holds(text, item)]
        print(f"  {name}: {len(wanted) - len(missed)}/{len(wanted)} = {1 - len(missed) / len(wanted):.0%}")
        for item in missed:
            print(f"    missed {item['id']} p{item['priority']} {item['statement'][:90]}")
    _report_harm(truth, memory, section, everything)
    if show_section:
        print(section)
    if show_all:
        for line in memory.lines.values():
            print(_shown(line))
    return memory


def _report_harm(truth: dict[str, Any], memory: Memory, section: str, everything: str) -> None:
    """Print what stands where it must not, and what the gate refused."""
    old = {item["id"] for item in truth["items"] if item["superseded_by"]}
    for item in truth["items"]:
        if item["id"] in old and any(_holds(line, item) for line in section.split("\n")):
            print(f"  a superseded statement may be shown: {item['id']} {item['must_contain']}")
    for forbidden in truth["must_not_contain"]:
        if forbidden["literal"].lower() in everything.lower():
            print(f"  FORBIDDEN: {forbidden['class']} {forbidden['literal']!r}")
    for reason, detail, text in memory.rejected:
        print(f"  rejected: {reason}: {detail} | {text}")


def _shown(line: Line) -> str:
    one = line.observation
    done = "✅" if one.done else "  "
    mark = f"{line.standing.place[0]}{one.priority} {one.kind:11} {one.salience:.2f} {done}"
    return f"{one.local_date} {one.local_time} {mark} {line.standing.closed or ''} {one.text}"


def _holds(text: str, item: dict[str, Any]) -> bool:
    return all(literal.lower() in text.lower() for literal in item["must_contain"])


if __name__ == "__main__":
    import sys

    sys.exit(main(sys.argv[1:]))
