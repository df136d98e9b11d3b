"""The host's dreaming beside us in one MEMORY.md, on a real OpenClaw, with our plug-in loaded.

By day the host remembers what its memory search finds in `memory/YYYY-MM-DD.md`; a promotion appends the
best of it to MEMORY.md, and the nightly sweep may let a model merge an older line into a promoted one:
then it deletes that line, wherever it stands. Here it is one of ours.
"""

import json
from collections.abc import Iterator

import pytest
from tests.daemon.processes import until
from tests.host.conftest import CURRENT, install_of
from tests.host.gateway import TURN_SECONDS, Gateway, Scrimshaw
from tests.host.scripted_model import Reply, Say, ScriptedModel
from tests.host.test_plugin import plugged

from scrimshaw.core.section.markers import BEGIN, END
from scrimshaw.core.types import Closed
from scrimshaw.layout import Layout
from scrimshaw.store.ledger import open_ledger

OWN_TEXT = "# Memory\n\n- The person's dog is called Bruno.\n- The cat is called Mio.\n"
ROUTER = "- The router runs firmware 4.2.1 and sits in VLAN 12 behind the Lisbon switch."
PUMP = "- 🔴 10:00 The heat pump of the workshop was serviced in October."
PREFERS = "I prefer short answers with the command first."
PROMOTE = ("--min-score", "0", "--min-recall-count", "0", "--min-unique-queries", "0")
PROMOTED = "## Promoted From Short-Term Memory"
CONSOLIDATED = "## Consolidated Memory"
# The sweep's thresholds are for weeks of use.
EAGER = {"phases": {"deep": {"minScore": 0, "minRecallCount": 0, "minUniqueQueries": 0}}}
DREAMING = {"plugins": {"entries": {"memory-core": {"config": {"dreaming": EAGER}}}}}
OUR_TOOLS = {"scrimshaw_search", "scrimshaw_why", "scrimshaw_add"}


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    folder = tmp_path_factory.mktemp("dreaming")
    with ScriptedModel() as model:
        gateway = Gateway(install_of(CURRENT), folder, model, config=plugged())
        gateway.configure(DREAMING)
        with gateway:
            yield gateway


def observe(gateway: Gateway, scrimshaw: Scrimshaw) -> str:
    scrimshaw(gateway, "observe", "--workspace", str(gateway.workspace("main")), "--yes", "--now")
    return gateway.memory("main").read_text("utf-8")


def section_of(text: str) -> str:
    return text[text.index("## Observations") : text.index(END) + len(END)]


def test_what_the_host_promotes_and_our_section_stand_beside_each_other(
    gateway: Gateway, scrimshaw: Scrimshaw
) -> None:
    workspace = gateway.workspace("main")
    memory = gateway.memory("main")
    memory.write_text(OWN_TEXT, encoding="utf-8")
    for name, line in (("2026-11-20.md", ROUTER), ("observations/obs-2026-11-20.md", PUMP)):
        note = workspace / "memory" / name
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(line + "\n", encoding="utf-8")
    gateway.agent("We decided to use Postgres 17 for the billing service, because of the merge command.")
    assert set(gateway.say(PREFERS).tools) >= OUR_TOOLS
    before = observe(gateway, scrimshaw)
    assert "VLAN 12" in gateway.run_text("memory", "search", "router firmware VLAN")
    assert "heat pump" in gateway.run_text("memory", "search", "heat pump workshop")  # found, too

    gateway.run_text("memory", "promote", "--apply", *PROMOTE)
    promoted = memory.read_text("utf-8")
    gateway.agent("We decided to move the workshop to Porto next spring.")
    after = observe(gateway, scrimshaw)

    assert promoted.startswith(before)
    theirs = promoted[len(before) :]
    assert PROMOTED in theirs
    assert "VLAN 12" in theirs
    assert "heat pump" not in theirs  # a dated file of ours is searched, but not promoted
    assert after.startswith(OWN_TEXT)
    assert after.endswith(theirs)
    assert "Porto" in section_of(after)


def test_a_line_of_ours_that_the_sweep_deletes_is_taken_as_deleted_and_stays_out(
    gateway: Gateway, scrimshaw: Scrimshaw
) -> None:
    memory = gateway.memory("main")
    text = memory.read_text("utf-8")
    line = next(line for line in text.splitlines() if PREFERS in line)
    # The agent has written the same line into its daily note, so it is a candidate for promotion.
    daily = gateway.workspace("main") / "memory" / "2026-11-21.md"
    daily.write_text(line + "\n", encoding="utf-8")

    def merge(said: str) -> Reply:
        candidates = json.loads(said)["candidates"]
        operations = [
            {"candidateKey": found["key"], "action": action, "priorEntries": prior}
            for found in candidates
            for action, prior in [("merged", [line]) if PREFERS in found["text"] else ("added", [])]
        ]
        return Say(json.dumps({"operations": operations}))

    gateway.model.script['"currentMemory"'] = [merge]
    jobs = gateway.run("cron", "list", "--all", "--json")["jobs"]
    sweep = next(job["id"] for job in jobs if "Dreaming" in job["name"])
    gateway.run("cron", "run", sweep)
    until(lambda: CONSOLIDATED in memory.read_text("utf-8"), TURN_SECONDS)
    dreamt = memory.read_text("utf-8")
    assert line not in section_of(dreamt)

    after = observe(gateway, scrimshaw)

    assert after == dreamt  # not fought over, and theirs left as it is
    assert BEGIN in after
    with open_ledger(Layout(gateway.workspace("main")).ledger, create=False, read_only=True) as ledger:
        closed = {held.observation.text: held.standing.closed for held in ledger.all_lines()}
    assert closed[PREFERS] is Closed.DELETED
    dated = "\n".join(
        path.read_text("utf-8") for path in gateway.workspace("main").glob("memory/observations/obs-2*.md")
    )
    assert PREFERS in dated  # the line is in the dated file, which keeps everything
    gateway.agent("What do you know of the sea?")
    assert PREFERS not in section_of(observe(gateway, scrimshaw))
