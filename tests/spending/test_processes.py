"""Real processes on one ledger: a cap that two reach for at once, and a kill between reserve and settle."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

from tests.fake_model import always
from tests.spending.desk import PROMPT, START, Desk, answer

from scrimshaw.core.policy.spending import Amount, Caps, Spent, most, refusal
from scrimshaw.models.model import Failure, Trouble
from scrimshaw.services.models.spending import caps_of
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import ModelCall

ROOT = Path(__file__).resolve().parents[2]
NEEDED = most(PROMPT, (1.0, 10.0))
CALLS = 7
CAP = CALLS * NEEDED.tokens

# Each call uses all that it could, so the cap leaves room for exactly seven; both try twenty times.
_GREEDY = """
    import sys
    from pathlib import Path
    from tests.fake_model import always
    from tests.spending.desk import Desk, answer
    desk = Desk(Path(sys.argv[1]), {"max_tokens_per_day": int(sys.argv[2])})
    sys.stdout.write("ready\\n"); sys.stdout.flush(); sys.stdin.readline()
    said = [desk.ask(always(answer(int(sys.argv[3]), int(sys.argv[4])))) for _ in range(20)]
    print(sum(hasattr(one, "text") for one in said))
"""
_DYING = """
    import os, sys
    from pathlib import Path
    from tests.fake_model import always
    from tests.spending.desk import Desk
    Desk(Path(sys.argv[1])).ask(always(lambda _prompt: os._exit(9)))
"""
_FAILING = """
    import sys
    from pathlib import Path
    from tests.fake_model import always
    from tests.spending.desk import Desk
    from scrimshaw.models.model import Failure, Trouble
    Desk(Path(sys.argv[1])).ask(always(Failure(Trouble.SERVER, "503")))
"""


def start(program: str, *args: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program), *map(str, args)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def test_two_processes_never_pass_a_cap_together(tmp_path: Path):
    desk = Desk(tmp_path)
    greedy = [start(_GREEDY, tmp_path, CAP, NEEDED.tokens_in, NEEDED.tokens_out) for _ in range(2)]
    for process in greedy:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in greedy:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    answered = [int(process.communicate(timeout=60)[0]) for process in greedy]
    with desk.ledger() as ledger:
        spent = ledger.spent("day", START.date())

    assert sum(answered) == CALLS
    assert spent.tokens == CAP


def test_looking_before_reserving_would_pass_it(tmp_path: Path):
    """The control: who looks and reserves in two steps lets two through where one fits."""

    def looks(ledger: Ledger) -> bool:
        today = ledger.spent("day", START.date())
        return refusal(Caps(tokens_a_day=NEEDED.tokens), today, today, NEEDED) is None

    desk = Desk(tmp_path)
    with desk.ledger() as one, desk.ledger() as other:
        found = looks(one), looks(other)
        for ledger, fits in zip((one, other), found, strict=True):
            if fits:
                ledger.reserve(_call(), Caps())

        assert one.spent("day", START.date()).tokens == 2 * NEEDED.tokens


def test_reserving_in_turn_does_not(tmp_path: Path):
    desk = Desk(tmp_path)
    with desk.ledger() as one, desk.ledger() as other:
        given = [ledger.reserve(_call(), Caps(tokens_a_day=NEEDED.tokens)) for ledger in (one, other)]

    assert [isinstance(number, int) for number in given] == [True, False]


def _call() -> ModelCall:
    return ModelCall(0, START.date(), "r1", "observe", "fake/model", NEEDED)


def test_a_call_killed_in_the_middle_counts_with_the_most_it_can_have_cost(tmp_path: Path):
    desk = Desk(tmp_path, {"max_tokens_per_day": 2 * NEEDED.tokens - 1})
    process = start(_DYING, tmp_path)
    process.communicate(timeout=60)
    with desk.ledger() as ledger:
        spent, rows = ledger.spent("day", START.date()), ledger.spend_rows()
    said = desk.ask(always(answer()))

    assert process.returncode == 9
    assert spent == Spent(NEEDED.tokens, NEEDED.microdollars or 0)
    assert [(row.calls, row.cut_off, row.failed) for row in rows] == [(1, 1, 0)]
    assert isinstance(said, Failure)
    assert said.trouble is Trouble.CAP


def test_settling_without_the_answer_would_lose_it(tmp_path: Path):
    """The control: a reservation that is let go when the process dies leaves room for what was paid for."""
    desk = Desk(tmp_path, {"max_tokens_per_day": 2 * NEEDED.tokens - 1})
    with desk.ledger() as ledger:
        number = ledger.reserve(_call(), caps_of(desk.target().config.settings))
        assert isinstance(number, int)
        ledger.settle(number, Amount(0, 0, 0), is_estimated=True, outcome="killed")

    assert not isinstance(desk.ask(always(answer())), Failure)


def test_a_pause_holds_for_the_next_process(tmp_path: Path):
    desk = Desk(tmp_path)
    start(_FAILING, tmp_path).communicate(timeout=60)
    model = always(answer())
    said = desk.ask(model)

    assert isinstance(said, Failure)
    assert (said.trouble, model.prompts) == (Trouble.PAUSED, [])
