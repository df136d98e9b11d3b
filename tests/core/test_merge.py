"""What a person did to the section: rules 6 to 9, each by name."""

import pytest
from tests.core.lines_by_hand import a_line

from scrimshaw.core.section.diff import (
    Adopted,
    ArchiveLine,
    Edits,
    Restored,
    RevisionView,
    SectionUnchanged,
    TooMany,
    adopt,
    line_ids,
    merge,
)
from scrimshaw.core.section.render import read
from scrimshaw.core.section.select import fold
from scrimshaw.core.types import Kind, Place

LINES = [
    a_line("Prefers short answers with the command first", place=Place.STANDING, id="short"),
    a_line("Rate for Fernhill is 95 EUR per hour", place=Place.STANDING, id="rate"),
    a_line("send the Q3 figures to Dana by 2026-11-24", place=Place.OPEN, id="figures"),
    a_line("call Deniz about the cutover date", place=Place.OPEN, id="call"),
    a_line("staging deploy failed: advisory lock 774411", id="deploy", priority=3),
    a_line("webhook_log (58 GB) has no primary key", id="webhook", day="2026-11-19"),
    a_line("flight to Hamburg is TP 562 at 07:10", id="flight", day="2026-11-19", time="18:00"),
    a_line("hotel Wedina booked, confirmation 8841207", id="hotel", day="2026-11-18"),
]


def _revision(lines=LINES, name="r1"):
    folded = fold(lines, 9000, zone="Europe/Paris")
    return RevisionView(name, folded.body, folded.shown)


NOW = _revision()


def _row(word: str, body: str = NOW.body) -> str:
    return next(row for row in body.split("\n") if word in row)


def _edits(found: str, revisions=(NOW,)) -> Edits:
    merged = merge(found, revisions)
    assert isinstance(merged, Edits), merged
    return merged


def _brief(lines):
    return [(line.was, line.text, line.place, line.date) for line in lines]


def test_the_text_as_written_is_unchanged():
    assert SectionUnchanged() == merge(NOW.body, [NOW])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("- ", "* "),
        ("- ", "-   "),
        (" 14:30 ", "  14:30\t"),
        ("\n###", "\n\n\n###"),
        ("### Open", "### open:"),
        ("✅", "✅\ufe0f"),
    ],
)
def test_rule_6_white_space_and_list_marks_do_not_count(old, new):
    assert SectionUnchanged() == merge(NOW.body.replace(old, new), [NOW])


def test_rule_6_a_number_at_the_end_of_a_sentence_is_no_list_mark():
    four = [a_line(f"node-{n} runs release 4.{n}.", place=Place.STANDING, id=f"n{n}") for n in range(4)]
    revision = _revision(four)
    changed = revision.body.replace("node-2 runs release 4.2.", "node-2 runs release 4.7.")
    gone = revision.body.replace(f"{_row('node-2', revision.body)}\n", "")

    assert [line.was for line in _edits(changed, [revision]).edited] == ["n2"]
    assert _edits(gone, [revision]).deleted == ("n2",)


def test_rule_6_a_line_that_is_gone_was_deleted():
    edits = _edits(NOW.body.replace(_row("webhook_log") + "\n", ""))

    assert Edits("r1", ("webhook",), (), ()) == edits


def test_rule_6_a_line_close_to_a_missing_one_is_an_edit_of_it():
    edits = _edits(NOW.body.replace("TP 562 at 07:10", "TP 566 at 13:25"))

    assert _brief(edits.edited) == [
        ("flight", "🔴 18:00 flight to Hamburg is TP 566 at 13:25", Place.LOG, "2026-11-19")
    ]
    assert (edits.deleted, edits.added) == ((), ())


@pytest.mark.parametrize(
    ("was", "old", "new"),
    [
        (
            "short",
            "Prefers short answers with the command first",
            "Prefers short answers, command first, in German",
        ),
        ("short", "🔴 Prefers short answers", "Prefers VERY short answers"),
        (
            "rate",
            "Rate for Fernhill is 95 EUR per hour",
            "Rate for Fernhill is 105 EUR per hour from January",
        ),
        (
            "figures",
            "send the Q3 figures to Dana by 2026-11-24",
            "send Q3 + Q4 figures to Dana and Luis by 2026-12-01",
        ),
        ("call", "call Deniz about the cutover date", "called Deniz about the cutover, he agrees"),
        ("deploy", "staging deploy failed: advisory lock 774411", "staging deploy failed (lock)"),
        (
            "hotel",
            "hotel Wedina booked, confirmation 8841207",
            "hotel Wedina cancelled, confirmation 8841207",
        ),
    ],
)
def test_rule_6_rewordings_are_edits(was, old, new):
    edits = _edits(NOW.body.replace(old, new))

    assert [was] == [line.was for line in edits.edited]
    assert (edits.deleted, edits.added) == ((), ())


@pytest.mark.parametrize(
    ("word", "new"),
    [
        ("short", "- 🔴 Rule: no production deploys on Fridays (since 2026-11-16)"),
        ("figures", "- 🔴 2026-11-20: book the dentist for 2026-12-04"),
        ("deploy", "- 🟡 14:30 Osaka closes invoices on the 25th"),
        ("flight", "- 🔴 18:00 dentist moved to Friday"),
    ],
)
def test_rule_6_a_line_about_something_else_is_no_edit_though_it_has_the_same_form(word, new):
    edits = _edits(NOW.body.replace(_row(word), new))

    assert (len(edits.deleted), edits.edited, len(edits.added)) == (1, (), 1)


def test_rule_6_the_date_heading_is_part_of_a_lines_identity():
    lines = [a_line("all tests green", id="a"), a_line("all tests green", id="b", day="2026-11-21")]
    revision = _revision([*LINES, *lines])

    head, _, tail = revision.body.rpartition("- 🔴 14:30 all tests green")
    edits = _edits((head + tail).rstrip(), (revision,))

    assert edits.deleted == ("b",)


def test_rule_6_of_two_equal_lines_one_deleted_is_one_deletion():
    revision = _revision([*LINES, a_line("ping", id="a"), a_line("ping", id="b")])

    edits = _edits(revision.body.replace("- 🔴 14:30 ping\n", "", 1), (revision,))

    assert (len(edits.deleted), edits.added) == (1, ())


def test_rule_6_a_copy_left_beside_its_line_says_nothing_new():
    row = _row("deploy")

    assert Edits("r1", (), (), ()) == _edits(NOW.body.replace(row, f"{row}\n{row}"))


def test_rule_6_of_a_line_that_stood_there_twice_one_copy_may_go():
    row = _row("Fernhill")
    twice = NOW.body.replace(row, f"{row}\n{row}")
    seen = RevisionView("seen", twice, line_ids(twice, [NOW], lambda _: ""))

    assert _edits(NOW.body, [seen]).deleted == ()


def test_rule_6_a_copy_of_a_line_is_no_rewording_of_another_one():
    four = [a_line(f"node-{n} runs release 4.{n}.", place=Place.STANDING, id=f"n{n}") for n in range(4)]
    revision = _revision(four)
    changed = revision.body.replace("node-2 runs release", "node-2 is quiet, on release")
    twice = changed + "\n" + changed.partition("\n\n")[2]

    edits = _edits(twice, [revision])

    assert [(line.was, "quiet" in line.text) for line in edits.edited] == [("n2", True)]
    assert (edits.deleted, {line.text for line in edits.added} - {edits.edited[0].text}) == ((), set())


def test_rule_6_of_two_lines_like_a_missing_one_that_in_its_place_is_the_edit_of_it():
    base = RevisionView("r1", NOW.body.replace("### Open", "- No tea on Mondays\n### Open"), ())
    base = base._replace(lines=(*NOW.lines[:2], "own", *NOW.lines[2:]))
    found = base.body.replace("No tea on Mondays", "No tea on the boat")
    found = found.replace("### Standing\n", "### Standing\n- No pie on Fridays\n")

    edits = _edits(found, [base])

    assert [(line.was, line.text) for line in edits.edited] == [("own", "No tea on the boat")]
    assert [line.text for line in edits.added] == ["No pie on Fridays"]


def test_a_text_as_a_person_left_it_can_be_the_next_base():
    found = NOW.body.replace(_row("Fernhill"), "- Never call before ten").replace(_row("Wedina"), "")
    ids = line_ids(found, [NOW], lambda line: "own" if line.text == "Never call before ten" else "")

    assert sorted(("own", "short", "figures", "call", "deploy", "webhook", "flight")) == sorted(ids)
    assert SectionUnchanged() == merge(found, [NOW, RevisionView("seen", found, ids)])


def test_rule_6_a_line_moved_to_another_part_is_neither_deleted_nor_new():
    row = _row("webhook_log")
    found = NOW.body.replace(row + "\n", "").replace("### Standing", f"### Standing\n{row}")

    edits = _edits(found)

    assert [("webhook", row[2:], Place.STANDING, "")] == _brief(edits.edited)
    assert (edits.deleted, edits.added) == ((), ())


def test_rule_6_an_added_line_is_the_persons_with_what_it_says_of_itself():
    edits = _edits(NOW.body.replace("### Open", "no deploys on Fridays\n### Open\n- 🟡 renew the domain"))

    assert _brief(edits.added) == [
        ("", "no deploys on Fridays", Place.STANDING, ""),
        ("", "🟡 renew the domain", Place.OPEN, ""),
    ]
    assert [(line.kind, line.priority) for line in edits.added] == [(Kind.FACT, 4), (Kind.NEXT_STEP, 3)]


def test_rule_6_a_line_above_everything_is_standing():
    assert _edits(f"- mine\n\n{NOW.body}").added[0].place == Place.STANDING


def test_rule_6_a_check_mark_and_a_time_are_read():
    added = _edits(NOW.body.replace("\n2026-11-19\n", "\n2026-11-19\n- ✅ 09:15 paid the invoice\n")).added[0]

    assert (added.done, added.time, added.date, added.kind) == (True, "09:15", "2026-11-19", Kind.OUTCOME)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("- a note\n  with a second line\n  - and a point", "a note\nwith a second line\n- and a point"),
        ("a paragraph over\ntwo lines", "a paragraph over\ntwo lines"),
        ("- use this\n<!-- trigger: deploy, staging -->", "use this\n<!-- trigger: deploy, staging -->"),
        ("- use this <!-- importance: 8 -->", "use this <!-- importance: 8 -->"),
        ("```\n### Log\n- not a line\n```", "```\n### Log\n- not a line\n```"),
        ("#### People\n- Dana: CFO\n- Priya: ops", "#### People\n- Dana: CFO\n- Priya: ops"),
        ("1. first", "1. first"),
        ("- [ ] a task", "[ ] a task"),
    ],
)
def test_rule_6_what_a_person_adds_is_kept_whole(typed, expected):
    edits = _edits(NOW.body.replace("### Open", f"\n{typed}\n### Open"))

    assert [expected] == [line.text for line in edits.added]
    assert (edits.deleted, edits.edited) == ((), ())


def test_rule_6_a_comment_hung_on_our_line_makes_it_the_persons_with_its_sources():
    edits = _edits(
        NOW.body.replace(_row("webhook_log"), _row("webhook_log") + "\n<!-- trigger: webhook, audit -->")
    )

    assert [line.was for line in edits.edited] == ["webhook"]


def test_rule_6_a_sub_heading_put_above_our_lines_leaves_them_ours():
    found = NOW.body.replace("\n2026-11-20\n", "\n2026-11-20\n#### Billing\n- mine too\n")

    edits = _edits(found)

    assert (edits.deleted, edits.edited) == ((), ())
    assert _brief(edits.added) == [("", "#### Billing\n- mine too", Place.STANDING, "")]


def test_rule_6_a_sub_heading_put_above_new_lines_leaves_them_ours_too():
    news = [a_line(f"news item {n} about topic{n}", place=Place.STANDING, id=f"n{n}") for n in range(2)]
    newest = _revision([*LINES[:2], *news], "r2")
    found = newest.body.replace("### Standing\n", "### Standing\n#### Rules\n")

    edits = _edits(found, (_revision(LINES[:2]), newest))

    assert (edits.base, edits.deleted, edits.edited) == ("r2", (), ())
    assert [line.text for line in edits.added] == ["#### Rules"]


def test_rule_6_a_sub_heading_that_a_person_wrote_is_known_by_itself_whatever_is_put_below_it():
    headed = RevisionView("r2", f"{NOW.body}\n#### Rules\n- mine", (*NOW.lines, "own"))
    news = a_line("news of the day", id="news")
    newest = _revision([*LINES, news], "r3")
    newest = newest._replace(body=f"{newest.body}\n#### Rules\n- mine", lines=(*newest.lines, "own"))
    found = headed.body + " and yours\n- and theirs"

    merged = merge(found, (NOW, headed, newest), typed={"own"})

    assert isinstance(merged, Edits)
    assert (merged.deleted, merged.added) == ((), ())
    assert [(line.was, line.text.count("\n")) for line in merged.edited] == [("own", 2)]


def test_rule_6_the_base_is_the_nearest_revision_so_an_old_copy_deletes_nothing():
    newer = _revision(
        [*LINES, *(a_line(f"news item {n} about topic{n}", id=f"n{n}") for n in range(5))], "r2"
    )

    edits = _edits(NOW.body.replace("TP 562", "TP 566"), (NOW, newer))

    assert (edits.base, edits.deleted, [line.was for line in edits.edited]) == ("r1", (), ["flight"])


@pytest.mark.parametrize("count", [1, 2, 5])
def test_rule_6_what_the_base_never_held_was_not_deleted(count):
    news = [a_line(f"news item {n} about topic{n}", id=f"n{n}") for n in range(count)]

    edits = _edits(NOW.body + "\n- mine", (NOW, _revision([*LINES, *news], "r2")))

    assert Edits("r1", (), (), edits.added) == edits


def test_rule_6_who_left_one_new_line_has_seen_those_that_are_gone():
    news = [a_line(f"news item {n} about topic{n}", id=f"n{n}") for n in range(3)]
    newer = _revision([*LINES, *news], "r2")
    rows = [row for row in newer.body.split("\n") if "item 0" not in row and "item 2" not in row]

    assert _edits("\n".join([*rows, "- mine"]), (NOW, newer)).deleted == ("n0", "n2")


def test_rule_6_a_persons_line_may_stand_there_before_any_revision_had_it():
    news = [a_line(f"news item {n} about topic{n}", id=f"n{n}") for n in range(3)]
    newer = _revision([*LINES, *news, a_line("mine", id="own")], "r2")
    found = NOW.body.replace("2026-11-20\n", f"2026-11-20\n{_row('mine', newer.body)}\n- and more\n")

    merged = merge(found, (NOW, newer), typed={"own"})

    assert isinstance(merged, Edits)
    assert (merged.base, merged.deleted, [line.was for line in merged.added]) == ("r1", (), ["own", ""])


def test_rule_6_the_newest_line_in_other_words_is_an_edit_of_it():
    newer = _revision([*LINES, a_line("the pooler stays as it is", id="new")], "r2")

    edits = _edits(newer.body.replace("stays as it is", "stays as it was"), (NOW, newer))

    assert (edits.base, edits.deleted, [line.was for line in edits.edited]) == ("r2", (), ["new"])


@pytest.mark.parametrize(
    "new", ["- No meetings on Fridays and Mondays", "- NO MEETINGS ON FRIDAYS", "- No meeting on Fridays."]
)
def test_rule_6_the_newest_line_that_a_person_typed_is_mended_and_not_doubled(new):
    newest = RevisionView("r2", NOW.body.replace("### Open", "- No meetings on Fridays\n### Open"), ())
    newest = newest._replace(lines=(*NOW.lines[:2], "own", *NOW.lines[2:]))

    merged = merge(newest.body.replace("- No meetings on Fridays", new), (NOW, newest), typed={"own"})

    assert isinstance(merged, Edits)
    assert (merged.base, merged.added, [line.was for line in merged.edited]) == ("r2", (), ["own"])


_ONE_WORD_APART = pytest.mark.parametrize(
    ("old", "new"),
    [
        ("No meetings on Fridays", "No meetings on Mondays"),
        ("The bill of 2026-11-20 is paid", "The bill of 2026-11-21 is paid"),
        ("Unit 2 stays on release 4", "Unit 4 stays on release 4"),
        ("Anna has the key", "Tom has the key"),
    ],
)


@_ONE_WORD_APART
@pytest.mark.parametrize("beside", ["", "- The cellar is damp\n"])
def test_rule_6_the_newest_line_that_a_person_typed_is_mended_where_it_stands(old, new, beside):
    newest = RevisionView("r2", NOW.body.replace("### Open", f"- {old}\n### Open"), ())
    newest = newest._replace(lines=(*NOW.lines[:2], "own", *NOW.lines[2:]))

    merged = merge(newest.body.replace(f"- {old}\n", f"- {new}\n{beside}"), (NOW, newest), typed={"own"})

    assert isinstance(merged, Edits)
    assert [(line.was, line.text) for line in merged.edited] == [("own", new)]
    assert (merged.deleted, [f"- {line.text}\n" for line in merged.added]) == ((), [beside] * bool(beside))


@_ONE_WORD_APART
def test_rule_6_a_line_typed_into_an_old_copy_is_no_edit_of_one_typed_since_that_says_another_thing(old, new):
    newest = RevisionView("r2", NOW.body.replace("### Open", f"- {old}\n### Open"), ())
    newest = newest._replace(lines=(*NOW.lines[:2], "own", *NOW.lines[2:]))

    elsewhere = NOW.body.replace("### Standing\n", f"### Standing\n- {new}\n")
    copy = merge(elsewhere, (NOW, newest), typed={"own"})
    both = merge(newest.body.replace("### Open", f"- {new}\n### Open"), (NOW, newest), typed={"own"})

    for merged in (copy, both):
        assert isinstance(merged, Edits)
        assert (merged.deleted, merged.edited, [line.text for line in merged.added]) == ((), (), [new])


def test_rule_6_what_came_since_stays_where_an_old_copy_has_more_words_of_a_line_typed_since():
    news = [a_line(f"news item {n} about topic{n}", id=f"n{n}") for n in range(2)]
    newest = _revision([*LINES, *news], "r2")
    mine = "- No meetings on Fridays"
    lines = list(newest.lines)
    body = newest.body.replace("### Open", f"{mine}\n### Open")
    at = [item.text for item in read(body)].index(mine[2:])
    newest = newest._replace(body=body, lines=(*lines[:at], "own", *lines[at:]))
    copy = NOW.body.replace("### Open", f"{mine} and Mondays\n### Open")

    merged = merge(copy, (NOW, newest), typed={"own"})

    assert isinstance(merged, Edits)
    assert (merged.base, merged.deleted) == ("r1", ())


def test_rule_6_of_two_typed_lines_that_read_alike_the_one_deleted_is_gone_and_the_other_stays():
    newer = RevisionView("r2", NOW.body.replace("### Open", "- No meetings on Fridays\n### Open"), ())
    newer = newer._replace(lines=(*NOW.lines[:2], "one", *NOW.lines[2:]))
    newest = RevisionView("r3", newer.body.replace("### Open", "- No meetings on Mondays\n### Open"), ())
    newest = newest._replace(lines=(*NOW.lines[:2], "one", "other", *NOW.lines[2:]))

    found = newest.body.replace("- No meetings on Fridays\n", "")
    merged = merge(found, (NOW, newer, newest), typed={"one", "other"})

    assert isinstance(merged, Edits)
    assert (merged.deleted, merged.edited, merged.added) == (("one",), (), ())


def test_rule_6_the_newest_line_with_another_mark_is_an_edit_of_it():
    newer = _revision([*LINES, a_line("the pooler stays as it is", id="new", priority=3)], "r2")

    edits = _edits(newer.body.replace("🟡 14:30 the pooler", "🔴 14:30 the pooler"), (NOW, newer))

    assert (edits.base, edits.added, [line.was for line in edits.edited]) == ("r2", (), ["new"])


def test_rule_6_what_an_old_copy_holds_is_no_edit_of_a_new_line_that_reads_alike():
    gone = a_line("We decided that unit 2 runs release 2.4.1 in production", id="gone")
    news = a_line("We decided that unit 4 runs release 4.4.1 in production", id="news")
    older, newer = _revision([*LINES, gone]), _revision([*LINES, news], "r2")

    edits = _edits(older.body + "\n- mine", (older, newer))

    assert (edits.base, edits.deleted, edits.edited) == ("r1", (), ())


def test_rule_6_a_text_left_by_hand_in_a_file_of_theirs_is_what_they_go_on_from():
    left = _revision([*LINES, a_line("never call before ten", id="own")], "r2")._replace(is_by_hand=True)

    assert _edits(NOW.body + "\n- mine", (NOW, left)).deleted == ("own",)


def test_rule_6_a_line_the_host_deleted_is_a_deletion_like_any_other():
    assert _edits(NOW.body.replace(_row("hotel") + "\n", "")).deleted == ("hotel",)


def test_rule_7_the_text_of_an_older_revision_is_a_restore():
    newer = _revision([*LINES[1:], a_line("news", id="new")], "r2")

    assert Restored("r1", ("new",), ("short",)) == merge(NOW.body, [NOW, newer])


def test_rule_7_more_than_30_percent_gone_at_once_is_asked_about():
    gone = ("Rate", "hotel", "flight")
    rows = [row for row in NOW.body.split("\n") if not any(word in row for word in gone)]

    merged = merge("\n".join(rows), [NOW])

    assert TooMany("r1", ("rate", "hotel", "flight"), 8) == merged
    assert isinstance(merge("\n".join(rows), [NOW], is_accepted=True), Edits)


def test_rule_7_an_emptied_section_is_asked_about():
    assert isinstance(merge("", [NOW]), TooMany)


def test_rule_7_an_emptied_section_is_asked_about_though_an_older_one_held_a_single_line():
    older = _revision(LINES[:1], "r0")

    assert isinstance(merge("", [older, NOW]), TooMany)


def test_rule_7_one_line_of_a_short_section_may_go():
    revision = _revision(LINES[:2])

    found = revision.body.replace("\n" + _row("Rate", revision.body), "")

    assert _edits(found, (revision,)).deleted == ("rate",)


def test_rule_8_a_deleted_line_that_the_person_types_again_names_its_earlier_self():
    news = [a_line(f"news item {n} about topic{n}", id=f"n{n}") for n in range(3)]
    later = _revision([*(line for line in LINES if line.observation.id != "rate"), *news], "r2")

    typed = later.body.replace("### Open", f"{_row('Rate')}\n### Open")

    assert [line.was for line in _edits(typed, (NOW, later)).added] == ["rate"]


def test_rule_9_lines_without_a_ledger_are_matched_to_the_archive_and_the_rest_imported():
    archive = [
        ArchiveLine("a1", "staging deploy failed: advisory lock 774411", "2026-11-20"),
        ArchiveLine("a2", "🔴 webhook_log (58 GB) has no primary key", "2026-11-19"),
    ]

    adopted = adopt(NOW.body + "\n- mine", archive)

    assert isinstance(adopted, Adopted)
    assert [line.was for line in adopted.known] == ["a2", "a1"]
    assert len(adopted.imported) == 7


@pytest.mark.parametrize("indent", ["", "  "])
def test_rule_9_lines_that_an_editor_has_wrapped_are_matched_to_the_archive_all_the_same(indent):
    archive = [
        ArchiveLine("a1", "staging deploy failed: advisory lock 774411", "2026-11-20"),
        ArchiveLine("a2", "我们决定项目使用第47版数据库，并且每天晚上备份一次。", "2026-11-19"),
        ArchiveLine("a3", "a note\n- and a point", "2026-11-19"),
    ]
    found = (
        f"### Standing\n- 🟡 我们决定项目使用第47版\n{indent}数据库，并且每天晚上备份一次。"
        f" (since\n{indent}2026-11)\n- a note\n  - and a point\n- mine\nand more\n"
        f"### Log\n2026-11-20\n- 🔴 14:30 staging deploy\n{indent}failed: advisory lock 774411\n"
    )

    adopted = adopt(found, archive)

    assert [(line.was, line.text) for line in adopted.known] == [
        ("a2", "🟡 我们决定项目使用第47版数据库，并且每天晚上备份一次。 (since 2026-11)"),
        ("a3", "a note\n- and a point"),
        ("a1", "🔴 14:30 staging deploy failed: advisory lock 774411"),
    ]
    assert [line.text for line in adopted.imported] == ["mine", "and more"]


def test_rule_4_lines_under_a_heading_without_markers_are_imported():
    assert [line.text for line in adopt("\n- one\n\n* two\n  more\n", ()).imported] == ["one", "two\nmore"]


@pytest.mark.parametrize(
    "text", ["Notes from past sessions; times are UTC. Newest beats older.", "3 more things"]
)
def test_a_changed_preamble_is_the_persons_line(text):
    assert [text] == [line.text for line in _edits(f"{text}\n\n" + NOW.body.partition("\n\n")[2]).added]


def test_rule_7_a_restore_is_seen_however_many_revisions_came_since():
    revisions = [_revision([*LINES, a_line(f"news {n} of the day", id=f"n{n}")], f"v{n}") for n in range(40)]

    merged = merge(revisions[3].body.replace("- ", "* "), revisions)

    assert merged == Restored("v3", ("n39",), ("n3",))


def test_rule_6_moving_most_lines_at_once_is_no_return_to_the_revision_that_lacked_them():
    first = _revision(LINES[:1], "r0")
    few = _revision(LINES[:5], "r1")
    moved = [_row(word, few.body) for word in ("Rate for", "figures", "cutover")]
    rows = [row for row in few.body.split("\n") if row not in moved and "advisory lock" not in row]
    found = "\n".join([*rows, "### Log", "2026-11-20", *moved])

    edits = _edits(found, [first, few])

    assert edits.base == "r1"
    assert edits.deleted == ("deploy",)
    assert {line.was for line in edits.edited} == {"rate", "figures", "call"}
    assert edits.added == ()
