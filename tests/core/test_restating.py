"""What a model may make of lines: faithful merges pass, one that loses, adds or turns something does not."""

from dataclasses import replace
from datetime import date

import pytest
from tests.core.plans_by_hand import done_with, merge, notebook, pattern, reasons, said

from scrimshaw.core.consolidation.coverage import StepRefusal, verify_merge
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.types import Author, Claim, DateRef, Kind, Line, Observation, Place, Role

_ISSUE, _OUTCOME = {"kind": Kind.ISSUE}, {"kind": Kind.OUTCOME}
_RED = {"priority": 4}
_DECIDED = {"kind": Kind.DECISION, **_RED}
_PREFERS = {"kind": Kind.PREFERENCE, "place": Place.STANDING, **_RED}
_STEP = {"kind": Kind.NEXT_STEP, "place": Place.OPEN, **_RED}
_AGENT, _TOOL = {"speaker": Role.ASSISTANT}, {"speaker": Role.TOOL}

Said = tuple[str, dict[str, object]]

# (what was said, what a good reflector makes of it)
FAITHFUL: list[tuple[list[Said], str]] = [
    (
        [
            ("Uses pnpm for the shop repository", _DECIDED),
            ("In the shop repository pnpm is used, never npm", {**_DECIDED, "days": 1}),
        ],
        "Uses pnpm, never npm, in the shop repository",
    ),
    (
        [
            ("We decided to ship on Fridays only after the smoke test", _DECIDED),
            ("The smoke test must pass before each Friday release", {**_DECIDED, "days": 2}),
        ],
        "Ship on Fridays only after the smoke test has passed",
    ),
    (
        [
            ("Installed nginx 1.25.3 on host kestrel", {**_OUTCOME, **_AGENT, "done": True}),
            ("Configured brotli for nginx on kestrel", {**_OUTCOME, **_AGENT, "done": True, "minutes": 4}),
        ],
        "nginx 1.25.3 installed on kestrel, brotli configured",
    ),
    (
        [
            ("The export job failed with exit code 137", {**_ISSUE, **_TOOL}),
            ("The export job was killed because memory ran out at 4 GB", {**_ISSUE, **_TOOL, "minutes": 9}),
        ],
        "Export job failed with exit code 137: killed, memory ran out at 4 GB",
    ),
    (
        [
            ("My daughter Mira starts school in September", _RED),
            ("Mira goes to the Lindgren school", {**_RED, "days": 3}),
        ],
        "My daughter Mira starts at the Lindgren school in September",
    ),
    (
        [("I moved from Lyon to Ghent", _RED), ("My new address in Ghent is Kouter 14", {**_RED, "days": 1})],
        "I moved from Lyon to Ghent, Kouter 14 is my new address",
    ),
    (
        [
            ("The invoice template lies in docs/invoice.tex", {}),
            ("The invoice template docs/invoice.tex needs xelatex", {"days": 1}),
        ],
        "Invoice template docs/invoice.tex needs xelatex",
    ),
    (
        [
            ("Renew the domain heron.example before 2026-12-05", _STEP),
            ("Renew heron.example for two years", {**_STEP, "days": 1}),
        ],
        "Renew the domain heron.example for two years before 2026-12-05",
    ),
    (
        [
            ("Does not drink coffee after noon", _PREFERS),
            ("Does not want coffee suggestions in the afternoon", {**_PREFERS, "days": 2}),
        ],
        "Does not drink coffee after noon: no coffee suggestions in the afternoon",
    ),
    (
        [
            ("pytest reported 14 failed tests in tests/api", {**_ISSUE, **_TOOL}),
            (
                "All 14 failures in tests/api come from the missing fixture db",
                {**_ISSUE, **_AGENT, "minutes": 8},
            ),
        ],
        "14 failed tests in tests/api, all from the missing fixture db",
    ),
    (
        [
            ("Budget for the kitchen is 8,000 euros", _RED),
            ("Raised the kitchen budget to 9,500 euros", {**_RED, "days": 2}),
        ],
        "Kitchen budget raised from 8,000 to 9,500 euros",
    ),
    (
        [("Prefers metric units", _PREFERS), ("Prefers dates as YYYY-MM-DD", {**_PREFERS, "days": 1})],
        "Prefers metric units and dates as YYYY-MM-DD",
    ),
    (
        [
            ("Ran the import of customers.csv: 1,204 rows", {**_OUTCOME, **_AGENT, "done": True}),
            (
                "The import skipped 17 rows without an email",
                {**_OUTCOME, **_AGENT, "done": True, "minutes": 2},
            ),
        ],
        "Import of customers.csv: 1,204 rows, 17 without an email skipped",
    ),
    (
        [
            ("Has a meeting with Dr. Okafor on Thursday at 14:30", _RED),
            ("The meeting with Dr. Okafor is about the knee MRI", {**_RED, "minutes": 5}),
        ],
        "Meeting with Dr. Okafor on Thursday at 14:30 about the knee MRI",
    ),
    (
        [
            ("The API key for Mapline lies in the vault under maps/prod", _DECIDED),
            ("Vault path maps/prod is rotated monthly", {**_DECIDED, "days": 2}),
        ],
        "Mapline API key lies in the vault under maps/prod, rotated monthly",
    ),
    (
        [
            ("Wants no emojis in commit messages", _PREFERS),
            ("Commit messages in the imperative, please", {**_PREFERS, "days": 1}),
        ],
        "Commit messages: imperative, no emojis",
    ),
    (
        [
            ("Cron job backup.sh runs at 02:15", _DECIDED),
            ("backup.sh writes to /mnt/vault/daily", {**_DECIDED, "days": 1}),
        ],
        "Cron job backup.sh runs at 02:15 and writes to /mnt/vault/daily",
    ),
    (
        [
            ("The ferry to Ithaca leaves at 06:40", {}),
            ("Booked the 06:40 ferry to Ithaca, reference QX71B", {"minutes": 20}),
        ],
        "Booked the 06:40 ferry to Ithaca, reference QX71B",
    ),
    (
        [
            ("Deploy of pier 3.2 failed on staging", {**_ISSUE, **_AGENT}),
            ("Deploy of pier 3.2 failed again: the token had expired", {**_ISSUE, **_AGENT, "days": 1}),
        ],
        "pier 3.2: staging deploy failed on 2026-11-16 and 2026-11-17, the token had expired",
    ),
    (
        [
            ("My brother Tomas is allergic to peanuts", {"priority": 5}),
            ("Tomas visits on 2026-12-20", {**_RED, "days": 1}),
        ],
        "My brother Tomas, allergic to peanuts, visits on 2026-12-20",
    ),
    (
        [("Tests run with make check", _DECIDED), ("make check takes 6 minutes", {"days": 1})],
        "Tests run with make check, 6 minutes",
    ),
    (
        [
            ("Read chapter 3 of the tidal report", {}),
            ("Read chapter 4 of the tidal report", {"days": 1}),
        ],
        "Read chapters 3 and 4 of the tidal report",
    ),
]


def _lines(said_: list[Said]) -> list[Line]:
    return [said(text, id=f"l{number}", **parts) for number, (text, parts) in enumerate(said_)]


def _merged(text: str, lines: list[Line]) -> Observation | StepRefusal:
    return verify_merge(text, lines, KnownLines(), run_id="r1")


def test_faithful_merges_pass_but_for_one_in_ten():
    refused = [
        made for said_, text in FAITHFUL if isinstance(made := _merged(text, _lines(said_)), StepRefusal)
    ]

    assert len(refused) <= len(FAITHFUL) // 10, refused


def _changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


# (which of the faithful ones, what is changed in it, why it must not pass)
@pytest.mark.parametrize(
    ("start", "old", "new"),
    [
        ("nginx 1.25.3", "1.25.3", "1.25.4"),
        ("nginx 1.25.3", "kestrel", "merlin"),
        ("nginx 1.25.3", "nginx 1.25.3 installed", "nginx 1.25.3 installed by Dana"),
        ("Uses pnpm", "Uses pnpm, never npm,", "Uses pnpm or npm"),
        ("Ship on Fridays", "Fridays", "Mondays"),
        ("Ship on Fridays", "only after the smoke test has passed", "without the smoke test"),
        ("Export job", "137", "173"),
        ("Export job", "4 GB", "8 GB"),
        ("My daughter Mira", "Lindgren", "Montessori"),
        ("My daughter Mira", " in September", ""),
        ("I moved", "Kouter 14", "Kouter 41"),
        ("I moved", ", Kouter 14 is my new address", ""),
        ("I moved", "from Lyon to Ghent", "from Ghent to Lyon for good on 2026-11-30"),
        ("Invoice", "docs/invoice.tex", "docs/invoice.typ"),
        ("Renew", "2026-12-05", "2026-12-15"),
        ("Renew", " for two years", " for three years"),
        ("Renew", " before 2026-12-05", ""),
        ("Does not drink", "Does not drink coffee after noon: no coffee", "Drinks coffee after noon: coffee"),
        ("14 failed", "14 failed", "15 failed"),
        ("Kitchen budget", "from 8,000 to 9,500", "from 9,500 to 8,700"),
        ("Kitchen budget", "raised from 8,000 to 9,500", "is 8,000"),
        ("Prefers metric", "metric", "imperial"),
        ("Prefers metric", " and dates as YYYY-MM-DD", ""),
        ("Import", "1,204", "1,240"),
        ("Meeting with", "14:30", "15:30"),
        ("Meeting with", "on Thursday", "on Friday"),
        ("Meeting with", "Okafor", "Okonkwo"),
        ("Mapline", "maps/prod", "maps/test"),
        ("Mapline", "rotated monthly", "rotated weekly, says “ops”"),
        ("Commit messages", "no emojis", "with emojis"),
        ("Cron job", "02:15", "03:15"),
        ("Cron job", "/mnt/vault/daily", "/mnt/vault/weekly"),
        ("Booked", "QX71B", "QX17B"),
        ("pier 3.2", "2026-11-16 and 2026-11-17", "twice"),
        ("pier 3.2", "2026-11-16 and", "2026-11-14 and"),
        ("My brother", "allergic to peanuts", "fond of peanuts"),
        ("My brother", ", allergic to peanuts,", ""),
        ("Tests run", "6 minutes", "9 minutes"),
        ("Tests run", "Tests run with make check", "Tests run with make"),
        ("Read chapters", "3 and 4", "3, 4 and 5"),
    ],
)
def test_a_merge_with_one_thing_wrong_is_refused(start: str, old: str, new: str):
    said_, text = next(case for case in FAITHFUL if case[1].startswith(start))

    assert isinstance(_merged(_changed(text, old, new), _lines(said_)), StepRefusal)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"speaker": Role.ASSISTANT}, "speaker"),
        ({"level": 1}, "level"),
        ({"is_expired": True}, "expired"),
        ({"place": Place.OPEN}, "place"),
        ({"kind": Kind.NEXT_STEP}, "kind"),
    ],
    ids=str,
)
def test_lines_of_different_sorts_are_not_merged(changed: dict[str, object], reason: str):
    one = said("The cider press holds 40 litres", id="one")
    other = said("The cider press stands in the yard", id="two", **changed)

    found = _merged("The cider press holds 40 litres, stands in the yard", [one, other])

    assert isinstance(found, StepRefusal)
    assert reason == found.reason


@pytest.mark.parametrize(
    ("first", "second", "text", "is_one"),
    [
        (
            "Drew a plan of the boathouse",
            "Repainted the boathouse",
            "Drew a plan of the boathouse, repainted",
            True,
        ),
        (
            "DJK club meets in the boathouse",
            "Applied to the boathouse club",
            "DJK boathouse club: applied",
            True,
        ),
        (
            "Ines paints the boathouse",
            "Joris paints the boathouse",
            "Ines, Joris: paint the boathouse",
            False,
        ),
    ],
)
def test_a_first_word_that_is_no_name_tells_no_two_lines_apart(
    first: str, second: str, text: str, is_one: bool
):
    found = _merged(text, [said(first, id="one"), said(second, id="two")])

    assert isinstance(found, Observation) == is_one
    assert is_one or found.reason == "about"  # type: ignore[union-attr]


@pytest.mark.parametrize("is_done_last", [False, True])
def test_what_was_done_and_what_is_so_become_one_line_that_is_not_done(is_done_last: bool):
    lines = [
        said(
            "Mended the cider press on 2026-11-16",
            id="one",
            done=True,
            kind=Kind.OUTCOME,
            days=2 * is_done_last,
        ),
        said("The cider press holds 40 litres", id="two", days=1),
    ]

    made = _merged("Cider press, mended on 2026-11-16, holds 40 litres", lines)
    undated = _merged("Cider press, mended, holds 40 litres", lines)

    assert isinstance(made, Observation)
    assert (made.done, made.kind) == (False, Kind.FACT)
    assert isinstance(undated, StepRefusal) == (not is_done_last)  # the day of what was done is kept


def test_what_a_new_line_is_follows_from_its_lines_and_not_from_the_model():
    lines = [
        said("The cider press holds 40 litres", id="one", priority=5, kind=Kind.DECISION, salience=0.9),
        said("The cider press stands in the yard", id="two", days=2, minutes=7, priority=3),
    ]
    lines[1] = lines[1]._replace(
        observation=replace(
            lines[1].observation,
            claim=Claim("press", "stands", "yard"),
            session_id="s2",
            sources=("e7",),
            confidence=0.5,
        )
    )

    made = _merged("The cider press holds 40 litres, stands in the yard", lines)

    assert isinstance(made, Observation)
    assert (made.author, made.level, made.pattern, made.supports) == (Author.MODEL, 0, "", ("one", "two"))
    assert (made.local_date, made.local_time, made.zone) == ("2026-11-18", "09:07", "Europe/Paris")
    assert (made.priority, made.kind, made.place) == (5, Kind.DECISION, Place.LOG)
    assert (made.session_id, made.sources) == ("s2", ("e7",))
    assert (made.claim, made.confidence, made.salience) == (lines[1].observation.claim, 0.5, 0.9)
    assert made.said_at_ms == lines[1].observation.said_at_ms


def test_the_same_lines_and_words_are_the_same_line_whatever_order_and_run():
    lines = _lines(FAITHFUL[0][0])

    one = verify_merge(FAITHFUL[0][1], lines, KnownLines(), run_id="r1")
    other = verify_merge(FAITHFUL[0][1], lines[::-1], KnownLines(), run_id="r2")

    assert isinstance(one, Observation)
    assert isinstance(other, Observation)
    assert one.id == other.id


def test_tomorrow_means_the_day_it_meant_where_it_was_said():
    lines = notebook()

    moved = done_with(
        merge(lines, "Lunch with Sam tomorrow at Brindle; he likes the soup", "lunch", "soup"), lines=lines
    )
    named = done_with(
        merge(lines, "Lunch with Sam at Brindle on 2026-11-19; he likes the soup", "lunch", "soup"),
        lines=lines,
    )

    assert reasons(moved) == ["date"]
    assert reasons(named) == []


def test_of_one_state_after_another_the_new_line_says_the_last():
    lines = notebook()

    stale = done_with(merge(lines, "The staging limit is 5 seats", "five", "eight"), lines=lines)
    both = done_with(merge(lines, "The staging limit went from 5 to 8 seats", "five", "eight"), lines=lines)

    assert reasons(stale) == ["outdated"]
    assert reasons(both) == []


def test_competing_claims_end_in_the_newest():
    claims = [Claim("cat", "is called", "Mog"), Claim("cat", "is called", "Pim")]
    lines = [
        said(
            f"The cat of the harbour office is called {claim.object}", id=claim.object, days=days, claim=claim
        )
        for days, claim in enumerate(claims)
    ]

    stale = _merged("The harbour office cat is called Mog", lines)
    newest = _merged("The harbour office cat, Mog before, is called Pim", lines)

    assert isinstance(stale, StepRefusal)
    assert isinstance(newest, Observation), newest


def test_a_pattern_stands_beside_its_lines_as_a_reflection_of_level_one():
    lines = notebook()
    steps = [
        {"act": "drop", "line": number, "reason": "trivial"}
        for number, line in enumerate(lines, 1)
        if line.observation.id in ("hdmi", "soup")
    ]

    done = done_with(
        *steps,
        pattern(lines, "Wants the diff before each commit", "habit", "diff1", "diff2", "diff3"),
        lines=lines,
    )

    (made,) = done.observations
    assert (made.level, made.pattern, made.place) == (1, "habit", Place.STANDING)
    assert made.supports == ("diff1", "diff2", "diff3")
    assert {"diff1", "diff2", "diff3", made.id} <= {line.observation.id for line in done.lines}


@pytest.mark.parametrize(
    ("text", "label", "ids", "reason"),
    [
        ("Wants the diff before each commit", "obsession", ("diff1", "diff2", "diff3"), "pattern"),
        ("Wants the diff before each commit", "habit", ("diff1", "diff2"), "supports"),
        ("Asked 12 times for the diff before a commit", "habit", ("diff1", "diff2", "diff3"), "number"),
        ("Never wants the diff before a commit", "habit", ("diff1", "diff2", "diff3"), "unsupported"),
        ("Distrusts every colleague at Brindle", "habit", ("diff1", "diff2", "diff3"), "*"),
        ("Backups of the ledger host are slow", "trend", ("backup-mon", "backup-thu", "diff1"), "speaker"),
    ],
)
def test_a_pattern_that_its_lines_do_not_show_is_refused(
    text: str, label: str, ids: tuple[str, ...], reason: str
):
    lines = notebook()

    done = done_with(pattern(lines, text, label, *ids), lines=lines)

    assert done.observations == ()
    assert reason in ("*", *reasons(done))


_OPENING = DateRef(date(2026, 11, 17), None, None, "Tuesday")

# What people write at length a reflector says in a few words: (what was said, what is made of it)
DENSE: list[tuple[list[Said], str]] = [
    (
        [
            (
                "It's been tough, but really rewarding. The training was intense and taxing, but it changed "
                "my view on helping others. Last Sunday we had our first call-out at the fire brigade.",
                {**_RED, "days": 6},
            ),
            ("I'll never forget the call-out: the training helped us to save a family", {"days": 7}),
        ],
        "Fire brigade: intense training changed my view on helping others; first call-out 2026-11-15, never "
        "forget it: helped to save a family",
    ),
    (
        [
            ("We'll ask around whether anybody wants the rabbit", {}),
            ("I'll see if Noor wants the rabbit or anything else of ours", {"days": 1}),
        ],
        "Will ask around who wants the rabbit, Noor first",
    ),
    (
        [
            ("Last weekend I went to the sheep market in Leuven with Anouk and it was great fun", _RED),
            ("Anouk bought a ram at the sheep market", {"days": 1}),
        ],
        "Sheep market in Leuven with Anouk on 2026-11-14: she bought a ram",
    ),
    (
        [
            ("Last year (2025-01-01 to 2025-12-31) I sold my boat and bought the little caravan", _RED),
            ("The caravan stands at the campsite in Durbuy", {"days": 2}),
        ],
        "In 2025 sold the boat and bought the little caravan; the caravan stands at the campsite in Durbuy",
    ),
    (
        [
            ("The choir sings on Thursdays now", {}),
            ("The choir is looking for tenors. Nothing else is new.", {"days": 1}),
        ],
        "In November 2026 the choir is looking for tenors, sings on Thursdays now",
    ),
    (
        [
            ("The opening night is tomorrow", {**_STEP, "refers_to": _OPENING._replace(phrase="tomorrow")}),
            ("Tuesday's opening night needs flowers", {**_STEP, "refers_to": _OPENING}),
        ],
        "The opening night is on 2026-11-17, needs flowers",
    ),
    (
        [
            ("Lost my job at the bank (2026-11-12), so I'll start a bakery", {**_OUTCOME}),
            ("Losing the job at the bank pushed me to start the bakery", {"days": 3}),
        ],
        "Lost my job at the bank on 2026-11-12, which pushed me to start a bakery",
    ),
    (
        [
            ("I found a flat with a garden and I've rented it from Mrs. Aalto", _RED),
            ("The flat of Mrs. Aalto has two rooms", {"days": 1}),
        ],
        "Rented the flat of Mrs. Aalto: garden, two rooms",
    ),
]


@pytest.mark.parametrize(("said_", "text"), DENSE, ids=[text[:24] for _, text in DENSE])
def test_what_was_told_at_length_may_be_said_in_few_words(said_: list[Said], text: str):
    assert not isinstance(_merged(text, _lines(said_)), StepRefusal), _merged(text, _lines(said_))


@pytest.mark.parametrize(
    ("start", "old", "new"),
    [
        ("Fire", " 2026-11-15", ""),
        ("Fire", "2026-11-15", "2026-11-16"),
        ("Fire", "never forget it: ", ""),
        ("Sheep", " on 2026-11-14", ""),
        ("Sheep", "Anouk", "Arnold"),
        ("In 2025", "In 2025 sold", "Sold"),
        ("Lost my job", " on 2026-11-12", ""),
        ("Lost my job", "on 2026-11-12", "on 2026-11-13"),
        ("Rented", "Aalto", "Aarto"),
        ("In 2025", "2025", "2024"),
        ("In November", "In November 2026", "In March 2026"),
    ],
)
def test_in_few_words_nothing_of_weight_is_lost_or_changed(start: str, old: str, new: str):
    said_, text = next(case for case in DENSE if case[1].startswith(start))

    assert isinstance(_merged(_changed(text, old, new), _lines(said_)), StepRefusal)
