"""Known: which live lines a new statement may be about."""

from tests.core.exchanges_by_hand import known_of, line_of

from scrimshaw.core.claims import content_words, is_ticket
from scrimshaw.core.model import Claim, Place
from scrimshaw.core.rules.changes import claim_of


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


def test_open_items_are_the_lines_that_wait_for_an_outcome():
    known = known_of(
        line_of("Send the figures", id_="a", place=Place.OPEN),
        line_of("Likes tea", id_="b", place=Place.STANDING),
    )

    assert [line.id for line in known.open_items()] == ["a"]


def test_two_forms_of_a_word_are_the_same_word():
    assert content_words("rotated tokens") == content_words("rotate the token")
    assert content_words("on the 28th") == content_words("28")


def test_a_name_in_two_words_is_one_identifier():
    assert "tp-562" in content_words("I fly with TP 562")
    assert is_ticket("tp-562")
    assert is_ticket("ops-918")
    assert not is_ticket("long-term")


def test_a_claim_says_what_of_what():
    assert claim_of("My rate for Fernhill is 95 euros an hour.") == Claim("my rate", "is", "95 euros an hour")
    assert claim_of("From January my rate goes up to 105.") == Claim("my rate", "is", "105")
    assert claim_of("We met on Tuesday.") is None
