"""The samples' ground truth against what the offline observer writes (`python -m bench truth`).

For each sample: which statements are held by the section at a budget and by everything accepted (the
dated files), and which literals stand where they must not. Read the section, too: it is the product.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from bench.pipeline import Memory, section_lines
from bench.samples import conversations

DEFAULT_SAMPLES = Path.home() / ".cache/scrimshaw-evaluation/samples"


def main(arguments: list[str]) -> int:
    """Print the result for each sample."""
    parser = argparse.ArgumentParser(prog="bench truth", description=__doc__)
    parser.add_argument("--samples", type=Path, default=DEFAULT_SAMPLES)
    parser.add_argument("--budget", type=int, default=4500)
    parser.add_argument("--section", action="store_true", help="print the section")
    parser.add_argument("--all", action="store_true", help="print every line accepted")
    given = parser.parse_args(arguments)
    if not given.samples.is_dir():
        print(f"{given.samples}: no such folder; unpack the samples first. Nothing was measured.")
        return 0
    for folder in sorted(given.samples.iterdir()):
        if (folder / "truth.json").is_file():
            _report(folder, given.budget, show_section=given.section, show_all=given.all)
    return 0


def _report(folder: Path, budget: int, *, show_section: bool, show_all: bool) -> None:
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    memory = Memory(truth.get("timezone") or "UTC")
    for session, entries in conversations(folder):
        memory.feed(session, entries)
    section = section_lines(memory, budget)
    section_text, all_text = "\n".join(section).lower(), "\n".join([*section, *memory.texts()]).lower()
    wanted = [item for item in truth["items"] if item["priority"] >= 4 and not item["superseded_by"]]
    in_section = [item for item in wanted if _holds(section_text, item)]
    anywhere = [item for item in wanted if _holds(all_text, item)]
    print(
        f"{folder.name}: {len(memory.lines)} lines, {len(memory.live())} live, {len(memory.rejected)} rejected"
    )
    print(f"  section of {budget}: {len(in_section)}/{len(wanted)} = {len(in_section) / len(wanted):.0%}")
    print(f"  anywhere: {len(anywhere)}/{len(wanted)} = {len(anywhere) / len(wanted):.0%}")
    for item in wanted:
        if item not in in_section:
            place = "section" if item in anywhere else "ANYWHERE"
            print(
                f"  missed in {place}: {item['id']} p{item['priority']} {item['statement']} {item['must_contain']}"
            )
    for item in truth["items"]:
        if item["superseded_by"] and _holds(section_text, item):
            print(f"  superseded but perhaps shown: {item['id']} {item['must_contain']}")
    for forbidden in truth["must_not_contain"]:
        literal = forbidden["literal"].lower()
        if literal in all_text:
            place = "section" if literal in section_text else "dated"
            print(f"  FORBIDDEN in {place}: {forbidden['class']} {forbidden['literal']!r}")
    for reason, detail, text in memory.rejected:
        print(f"  rejected: {reason}: {detail} | {text}")
    if show_section:
        print("\n".join(section))
    if show_all:
        for line in memory.lines.values():
            one = line.observation
            print(
                f"{one.local_date} {one.local_time} {line.standing.place[0]}{one.priority} {one.kind:11} {one.salience:.2f} {'✅' if one.done else '  '} {line.standing.closed or ''} {one.text}"
            )


def _holds(text: str, item: dict[str, list[str]]) -> bool:
    return all(literal.lower() in text for literal in item["must_contain"])


if __name__ == "__main__":
    import sys

    sys.exit(main(sys.argv[1:]))
