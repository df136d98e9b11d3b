"""Known: which live lines a new statement may be about."""

from tests.core.exchanges_by_hand import known_of, line_of

from scrimshaw.core.extraction.updates import claim_in
from scrimshaw.core.ledger.known_lines import MAX_CANDIDATES, content_words, is_ticket
from scrimshaw.core.types import Claim


def test_the_line_that_shares_the_rare_words_comes_first():
    known = known_of(
        line_of("The deploy of the billing service is on Monday.", id_="a"),
        line_of("The deploy of the search service needs approval by Dana.", id_="b"),
        line_of("The weekly deploy window opens at noon.", id_="c"),
    )

    found = known.similar(content_words("Dana approved the deploy"))

    assert found[0].observation.id == "b"


def test_a_closed_line_is_not_found_any_more():
    known = known_of(line_of("Renew the certificate for shop.example", id_="a"))

    known.close("a")

    assert known.similar(content_words("the certificate is renewed")) == []
    assert len(known) == 0


def test_the_same_id_again_takes_the_place_of_the_line_it_had():
    known = known_of(line_of("Alpha is green", id_="a"))

    known.add(line_of("Beta is blue", id_="a"))

    assert known.similar(content_words("alpha")) == []
    assert [line.text for line in known.lines()] == ["Beta is blue"]


def test_two_forms_of_a_word_are_the_same_word():
    assert content_words("rotated tokens") == content_words("rotate the token")
    assert content_words("on the 28th") == content_words("28")


def test_a_name_in_two_words_is_one_identifier():
    assert "tp-562" in content_words("I fly with TP 562")
    assert is_ticket("tp-562")
    assert is_ticket("ops-918")
    assert not is_ticket("long-term")


def test_a_claim_says_what_of_what():
    assert claim_in("My rate for Fernhill is 95 euros an hour.") == Claim("my rate", "is", "95 euros an hour")
    assert claim_in("From January my rate goes up to 105.") == Claim("my rate", "is", "105")
    assert claim_in("We met on Tuesday.") is None


def test_a_line_that_reads_the_same_is_alike_however_many_share_its_words():
    known = known_of(
        *(
            line_of(f"Service a{number} runs release 3.4.{number} in production", id_=str(number))
            for number in range(200)
        ),
        line_of("Service b7 runs release 9.9.9 in production", id_="same"),
    )

    alike = known.alike("service b7 runs release 9.9.9 in  production", done=False)

    assert list(alike.values()) == ["service b7 runs release 9.9.9 in production"]


def test_a_line_with_another_figure_or_name_is_not_alike():
    known = known_of(line_of("The rate for Fernhill is 95 euros"))

    assert known.alike("The rate for Fernhill is 96 euros", done=False) == {}
    assert known.alike("The rate for Fernwood is 95 euros", done=False) == {}
    assert len(known.alike("The hourly rate for Fernhill is 95 euros", done=False)) == 1


def test_of_very_many_lines_that_share_a_word_the_newest_are_found():
    lines = [line_of(f"Ship parcel {number}", id_=f"{number:03}") for number in range(500)]
    known = known_of(*lines, *(line_of(f"Call person{n}", id_=f"c{n}") for n in range(3000)))

    found = known.similar(content_words("ship it"))

    assert len(found) == MAX_CANDIDATES
    assert min(match.observation.id for match in found) == "100"
