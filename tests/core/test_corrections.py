"""One value of an earlier line corrected by a sentence that has no subject of its own."""

from dataclasses import replace

import pytest
from tests.core.exchanges_by_hand import known_of, line_of, proposals_of, texts_of, window_of

from scrimshaw.core.extraction import observe
from scrimshaw.core.extraction.corrections import corrected, correction_in
from scrimshaw.core.extraction.fallback import quote_instead
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.types import Kind, Place, Rejected, Verified
from scrimshaw.core.verification.verify import judge, prepare

_DENTIST = "I have a dentist appointment on the 26th at 9."


@pytest.mark.parametrize(
    ("before", "said", "after"),
    [
        (_DENTIST, "Sorry, it's the 27th not the 26th.", "I have a dentist appointment on the 27th at 9."),
        (
            "The viola for Mr Keller has to be delivered by 12 December. The price is 9,400 euros.",
            "I was wrong: the delivery to Keller is on 19 December, not the 12th.",
            "The viola for Mr Keller has to be delivered by 19 December. The price is 9,400 euros.",
        ),
        (
            "La consegna a Keller è il 12 dicembre.",
            "Mi sono sbagliata: la consegna a Keller è il 19 dicembre, non il 12.",
            "La consegna a Keller è il 19 dicembre.",
        ),
        (
            "The landlord is called Mr Barrow.",
            "sorry, it's Mr Burrow, not Barrow",
            "The landlord is called Mr Burrow.",
        ),
        ("Ticket number is KX-5512.", "KX-5521, typo", "Ticket number is KX-5521."),
        ("My flight is SK4612 on 20 June.", "sorry, it's SK4616", "My flight is SK4616 on 20 June."),
        ("We meet in room A4 on Friday at 9.", "B14, not A4", "We meet in room B14 on Friday at 9."),
        ("My flight is SK4612 on 20 June.", "SK4616, not SK4612", "My flight is SK4616 on 20 June."),
        (
            "The train leaves at 9:12 from platform 4.",
            "It leaves at 9:21, I misread it",
            "The train leaves at 9:21 from platform 4.",
        ),
        (_DENTIST, "It's at 10, not 9.", "I have a dentist appointment on the 26th at 10."),
        ("Call Ben on the 21st.", "It's the 22nd, not the 21st", "Call Ben on the 22nd."),
        ("We expect 40 guests.", "No, make that 44 people.", "We expect 44 guests."),
        ("We expect 40 guests.", "44 guests, not 40.", "We expect 44 guests."),
        (
            "Party on the 28th, 8 kids, Mila turns 10.",
            "make that 9 kids",
            "Party on the 28th, 9 kids, Mila turns 10.",
        ),
        ("I have to order 30 chairs.", "Scratch that, 35 chairs.", "I have to order 35 chairs."),
        ("The call is on Monday at 14:00.", "They moved it to Tuesday.", "The call is on Tuesday at 14:00."),
        ("The call is at 9:00.", "It's at 10, not 9.", "The call is at 10:00."),
        (
            "The wedding is on Saturday 26 June 2027.",
            "It's the 27th not the 26th now",
            "The wedding is on 27 June 2027.",
        ),
        (
            "Tasting at Lila's is on the 28th.",
            "The tasting got moved, it's on 5 December.",
            "Tasting at Lila's is on 5 December.",
        ),
        (
            "Demo for Femke on the 12th.",
            "demo moved to the 16th because she is ill",
            "Demo for Femke on the 16th.",
        ),
        (
            "My landlady is called Else Brandt.",
            "Her name is Ilse, not Else.",
            "My landlady is called Ilse Brandt.",
        ),
        (
            "Der Elternabend ist am 3. Dezember.",
            "Es ist der 4., nicht der 3.",
            "Der Elternabend ist am 4. Dezember.",
        ),
        (
            "Elternabend am Dienstag, den 24. um 19 Uhr",
            "am 25., nicht am 24.",
            "Elternabend am 25. um 19 Uhr",
        ),
        (
            "La cita es el jueves a las 10.",
            "Perdón, no es el jueves sino el viernes.",
            "La cita es el viernes a las 10.",
        ),
        (
            "El trabajo empieza el 11 de enero.",
            "me han cambiado la fecha, empiezo el 18 de enero y no el 11",
            "El trabajo empieza el 18 de enero.",
        ),
        (
            "Le rendez-vous est jeudi à 10h.",
            "Non, vendredi, pas jeudi.",
            "Le rendez-vous est vendredi à 10h.",
        ),
        ("会议是周三下午三点", "不是周三,是周四", "会议是周四下午三点"),
    ],
)
def test_the_line_is_told_again_with_the_one_value_exchanged(before: str, said: str, after: str) -> None:
    correction = correction_in(said)

    assert correction is not None
    assert corrected(before, correction) == after


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("Table for 4 at Da Enzo on Friday.", "We need 3 chairs, not 4."),
        ("Joris has an English exam.", "Answer in German, not English."),
        ("Flight to Porto on 4 May.", "I'd rather see Lisbon, not Porto, in spring."),
        ("Dinner on Friday with Tom and Tim.", "It was Tom, not Tim, who called."),
        ("I do 9 to 5, and 9 more at home.", "It's 10, not 9."),
        ("Pay it by 3 December.", "Is it 4 not 3?"),
        ("The call is on Monday.", "Maybe Tuesday, not Monday."),
        ("Standup at 9:30.", "We moved to Berlin."),
        ("The exam is on Monday.", "On Tuesday, not Monday, I play tennis."),
        ("My landlord is called Weber.", "Müller, not Weber, fixed the heating"),
        ("The lease ends on 1 March 2027.", "it's 2028, not 2027"),
        ("The call is on Thursday (the 26th).", "it's Friday, not Thursday"),
        ("We expect 40 guests.", "He turned 41, not 40"),
        ("We won 4-3 in May.", "It was 4-2, not 4-3."),
        ("I take 50 mg of sertraline daily.", "Actually 9."),
        ("My budget is 900 euros.", "No, make that 3."),
        ("The meeting with Ben is on Monday.", "It wasn't moved to Tuesday."),
        ("The meeting with Ben is on Monday.", "He wants it moved to Tuesday."),
        ("The meeting with Ben is on Monday.", "Es wurde nicht auf Dienstag verschoben."),
        ("I weigh 80 kg.", "It never changed from 80 to 85."),
        ("We meet at 12.", "My son is 13, not 12!"),
        ("Mia is 12.", "It's on the 13th, not the 12th."),
        ("My boss is called Ann.", "My name is Anna, not Ann."),
        ("We live in Ghent.", "Their name changed from Ghent to Antwerp."),
        ("Send invoices to account 4711.", "The mail says: it's 4712, not 4711."),
        ("The bins go out on Monday.", "Today is Tuesday, not Monday."),
        ("The bed is coming on Friday.", "Simon changed his flight, he's coming on Monday instead"),
        ("We meet in room A4 on Friday at 9.", "Sorry, it's B14B."),
        ("The Q3 report is due on Monday.", "They moved it to Q4."),
        ("I learn German at level B2.", "KX-5521, typo"),
        ("The dentist is on Friday at 9 pm.", "sorry, it's 2 am, I'll go to bed"),
        ("The dentist is on Friday.", "Sorry it's Sunday, I know."),
        ("I need 20 minutes to walk to work.", "No, wait 5 minutes."),
        ("The dentist is on Friday.", "No, wait for Monday."),
    ],
)
def test_in_doubt_nothing_is_corrected(before: str, said: str) -> None:
    correction = correction_in(said)

    assert correction is None or corrected(before, correction) is None


def test_the_corrected_line_takes_the_place_of_the_earlier_one_with_its_date() -> None:
    dentist = line_of(
        "I have a dentist appointment on 26 November at 9.", kind=Kind.NEXT_STEP, place=Place.OPEN
    )
    said = ("user", "Sorry, it's the 27th not the 26th."), ("assistant", "Noted.")

    (made,) = proposals_of(*said, known=known_of(dentist))

    assert made.text == "I have a dentist appointment on 27 November at 9.".replace(
        " at 9. (2026-11-27)", " at 9."
    )
    assert (made.replaces, made.place) == (("old",), Place.OPEN)
    assert made.refers_to is not None
    assert made.refers_to.start.isoformat() == "2026-11-27"
    assert isinstance(judge(made, prepare(window_of(*said)), known_of(dentist)), Verified)


def test_within_one_conversation_only_the_corrected_statement_is_noted() -> None:
    turns = ("user", _DENTIST), ("assistant", "Noted."), ("user", "no wait, it's the 27th, not the 26th")

    assert texts_of(*turns) == ["I have a dentist appointment on the 27th (2026-11-27) at 9."]


def test_what_else_is_said_beside_a_correction_keeps_a_line() -> None:
    turns = (
        ("user", "We take 40 guests in the hall on 12 December."),
        ("assistant", "Noted."),
        ("user", "No, make that 44 guests. My aunt Wilma from Ghent arrives with her three grown sons."),
    )

    texts = texts_of(*turns)

    assert "We take 44 guests in the hall on 12 December." in texts
    assert any("Wilma" in text for text in texts)


def test_the_gate_takes_only_the_correction_that_a_cited_entry_makes() -> None:
    dentist = line_of(_DENTIST, kind=Kind.NEXT_STEP, place=Place.OPEN)
    known = known_of(dentist)
    said = ("user", "Sorry, it's the 27th not the 26th."), ("assistant", "Noted.")
    (made,) = proposals_of(*said, known=known)
    evidence = prepare(window_of(*said))

    other = replace(made, text=made.text.replace("27th", "28th"))
    elsewhere = prepare(window_of(("user", "The dentist is nice."), ("assistant", "Noted.")))

    assert isinstance(judge(made, evidence, known), Verified)
    assert isinstance(judge(other, evidence, known), Rejected)
    assert isinstance(judge(made, elsewhere, known), Rejected)
    assert isinstance(judge(made, evidence, KnownLines()), Rejected)  # the line has gone meanwhile


def test_a_statement_whose_correction_does_not_hold_is_noted_as_it_was_said() -> None:
    turns = ("user", _DENTIST), ("assistant", "Noted."), ("user", "it's the 27th, not the 26th")
    (made,) = proposals_of(*turns)

    verdict = judge(
        replace(made, text=made.text.replace("27th", "29th")), prepare(window_of(*turns)), KnownLines()
    )

    assert isinstance(verdict, Verified)
    assert verdict.proposal.text.startswith("I have a dentist appointment on the 26th")


def test_other_dates_of_the_line_stay_as_they_were() -> None:
    turns = (
        ("user", "I have a dentist appointment in three weeks at 9."),
        ("assistant", "Noted."),
        ("user", "It's at 10, not 9."),
    )
    (first,) = proposals_of(*turns[:1])

    (made,) = proposals_of(*turns)

    assert made.text == first.text.replace(" at 9", " at 10")
    assert made.refers_to == first.refers_to


def test_a_month_is_dated_anew() -> None:
    turns = (
        ("user", "My last exam is in January."),
        ("assistant", "Noted."),
        ("user", "it's February, not January"),
    )
    (made,) = proposals_of(*turns)

    assert made.text.startswith("My last exam is in February")
    assert made.refers_to is not None
    assert made.refers_to.start.isoformat() == "2027-02-01"
    assert isinstance(judge(made, prepare(window_of(*turns)), KnownLines()), Verified)


def test_a_month_beside_its_words_is_exchanged_with_them() -> None:
    exam = line_of("The exam is next month (2026-12).", kind=Kind.NEXT_STEP, place=Place.OPEN)
    trip = line_of("I'll be in Porto in March (2027-03).", kind=Kind.NEXT_STEP, place=Place.OPEN, id_="trip")

    (made,) = proposals_of(("user", "it's April, not March"), known=known_of(exam, trip))

    assert made.replaces == ("trip",)
    assert "2027-03" not in made.text


def test_a_date_that_would_have_passed_is_not_put_in() -> None:
    turns = (
        ("user", "The lease ends on 31 December 2026."),
        ("assistant", "Noted."),
        ("user", "it's on 1 January, not 31 December"),
    )

    assert "The lease ends on 31 December 2026." in texts_of(*turns)


def test_after_a_question_of_the_agent_its_own_figure_may_be_meant() -> None:
    turns = (
        ("user", "My flight leaves at 18:40."),
        ("assistant", "Shall I wake you at 6:00?"),
        ("user", "Make it 7:00."),
    )

    assert not any("7:00" in text for text in texts_of(*turns))


def test_a_correction_may_itself_be_corrected() -> None:
    turns = (
        ("user", _DENTIST),
        ("assistant", "Noted."),
        ("user", "it's the 27th, not the 26th"),
        ("assistant", "Noted."),
        ("user", "no wait, it's the 28th, not the 27th"),
    )
    (made,) = proposals_of(*turns)

    assert made.text.startswith("I have a dentist appointment on the 28th")
    assert isinstance(judge(made, prepare(window_of(*turns)), KnownLines()), Verified)


def test_no_length_of_hesitation_takes_long() -> None:
    assert correction_in("My train leaves at 9, " + "sorry " * 40 + "but I am late") is None


@pytest.mark.parametrize(
    ("plan", "correction", "report"),
    [
        (_DENTIST, "it's the 27th, not the 26th", "The dentist appointment is done."),
        ("I have to order 30 chairs for the wedding.", "scratch that, 35 chairs", "I ordered the chairs."),
        (
            "The call with Aline is on Monday at 14:00.",
            "They moved it to Tuesday.",
            "Had the call with Aline.",
        ),
    ],
)
def test_a_plan_that_is_corrected_and_done_in_one_conversation_is_not_lost(
    plan: str, correction: str, report: str
) -> None:
    turns = tuple(
        turn for said in (plan, correction, report) for turn in (("user", said), ("assistant", "Ok."))
    )
    evidence, known = prepare(window_of(*turns)), KnownLines()

    verdicts = [judge(made, evidence, known) for made in proposals_of(*turns)]

    assert verdicts
    assert all(isinstance(verdict, Verified) for verdict in verdicts)


def test_quoted_in_place_of_a_refused_line_a_corrected_one_keeps_its_date() -> None:
    dentist = line_of("The dentist is on Thursday (2026-11-19) at 9.", kind=Kind.NEXT_STEP, place=Place.OPEN)
    known = known_of(dentist)
    window = window_of(("user", "Sorry, it's Friday, not Thursday."), ("assistant", "Noted."))
    wrong = replace(observe(window, known).proposals[0], text="The dentist is on 2026-11-30.", retells=None)

    (made,) = quote_instead([Rejected(wrong, "date", "")], [], window, known).proposals

    assert isinstance(judge(made, prepare(window), known), Verified)


@pytest.mark.parametrize(
    ("before", "said", "after"),
    [
        ("Rex gets 0.4 ml of it at night.", "no sorry, correction: 0.46 ml", "0.46 ml of it"),
        ("Rex kriegt abends 0,4 ml davon.", "Quatsch, 0,46 ml", "abends 0,46 ml davon"),
        ("Rex toma 0,4 ml por la noche.", "no espera, corrijo: 0,46 ml", "toma 0,46 ml por"),
        ("Rex prend 0,4 ml le soir.", "non attends, je corrige, 0,46 ml", "prend 0,46 ml le"),
        ("Rex prende 0,4 ml la sera.", "anzi, correggo: 0,46 ml", "prende 0,46 ml la"),
        ("O Rex toma 0,4 ml à noite.", "não espera, correção: 0,46 ml", "toma 0,46 ml à"),
        ("一日一回0.4ml、夜ごはんの時。", "ちがう、0.46mlだ。", "一日一回0.46ml、夜ごはんの時。"),
        ("药一天一次，一次0.4ml。", "不对，是0.46ml", "一次0.46ml。"),
        ("会议12号下午3点。", "说错了，是13号", "会议13号下午3点。"),
        ("検査は11月29日10時です。", "間違えました、30日です", "検査は11月30日10時です。"),
        (
            "Rechtes Auge im Februar, Termin ist der 17.2. um 8 Uhr.",
            "Nein halt, der 18. Februar, ich hab auf den falschen Zettel geguckt",
            "Termin ist der 18. Februar um 8 Uhr.",
        ),
        ("La cita es el jueves a las 10.", "no, espera, el viernes", "es el viernes a las"),
        ("Théo commence à 1 900 brut.", "Ah correction pour Théo c'est 1 950 brut", "à 1 950 brut."),
        ("Bruno toma 5 ml cada 8 horas.", "perdón, me equivoqué, son 4 ml", "toma 4 ml cada"),
        ("妈妈的药一天两次，每次5毫升。", "说错了，每次是3毫升", "每次3毫升。"),
        (
            "Die Miete ist 900 Euro im Monat.",
            "Quatsch, ich meine 950 Euro im Monat",
            "ist 950 Euro im Monat.",
        ),
        ("Wir brauchen 3 kg Mehl und 12 Eier.", "nein warte, 14 Eier", "3 kg Mehl und 14 Eier."),
        ("Jonas kommt am Freitag um 15 Uhr.", "stimmt nicht, um 16 Uhr", "am Freitag um 16 Uhr."),
        ("Treffen am 3.12. um 18 Uhr.", "Korrektur, am 4.12.", "am 4.12. um 18 Uhr."),
        ("Theo starts on 1900 gross.", "Correction for Theo: 1950 gross", "on 1950 gross."),
        ("Annette takes 30 a night.", "correction its not 30 its 35", "takes 35 a night."),
        ("Le cours commence le mardi 19 mai.", "alors c'est le 20", "commence le 20 mai."),
        ("Es geht am 19. Mai los, mittwochs.", "Dann ist es der 20.", "am 20. Mai los, mittwochs."),
    ],
)
def test_what_is_said_outright_to_be_wrong_is_corrected(before: str, said: str, after: str) -> None:
    correction = correction_in(said)

    assert correction is not None
    assert after in (corrected(before, correction) or "")


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("The rent is 900 a month.", "Correction for the garage, it's 90 a month."),
        ("Wir sind 8 Personen.", "Nein, halt 3 Plätze frei."),
        ("むぎの体重は4.6kgです。", "ちがうよ、あれは0.5kgのおもちゃ。"),
        ("薬は朝0.4ml、夜0.5mlです。", "ちがう、0.6mlだ。"),
        ("猫が3匹いる。", "ちがう、4人だ。"),
        ("Version 3.11. um 8 Uhr ausgerollt.", "Nein halt, der 18."),
        ("Mon cours du lundi reprend le 19 mai.", "Correction : jeudi."),
    ],
)
def test_an_outright_correction_exchanges_nothing_in_doubt(before: str, said: str) -> None:
    correction = correction_in(said)

    assert correction is None or corrected(before, correction) is None


_TAKEN = "The vet put Rex on Metacam. He gets 0.4 ml once a day with dinner. He weighs 9 kg."


def test_each_statement_of_the_message_before_may_be_corrected() -> None:
    texts = texts_of(("user", _TAKEN), ("assistant", "Noted: 0.4 ml."), ("user", "no sorry, 0.46 ml I mean"))
    outright = texts_of(("user", _TAKEN), ("assistant", "Noted."), ("user", "correction: 0.46 ml"))

    assert not any("0.46 ml once a day" in text for text in texts)
    assert any("0.46 ml once a day" in text for text in outright)
    assert not any("orrection" in text for text in outright)


def test_what_else_limits_the_new_value_is_told_behind_the_line() -> None:
    turns = (
        ("user", "Dog sitter found, a woman called Annette, 30 a night from the 24th to the 27th."),
        ("assistant", "Noted."),
        ("user", "correction its not 30 its 35 over christmas. she just texted"),
    )
    (made,) = proposals_of(*turns)

    assert "30 a night" in made.text
    assert "→ Correction its not 30 its 35 over christmas" in made.text
    assert isinstance(judge(made, prepare(window_of(*turns)), KnownLines()), Verified)


def test_of_two_values_of_one_line_neither_is_exchanged_and_the_correction_stands_behind() -> None:
    turns = (
        ("user", "He gets 0.4 ml of Metacam in the morning and 0.5 ml of Semintra at night."),
        ("assistant", "Noted."),
        ("user", "Correction, it's 0.6 ml."),
    )

    assert texts_of(*turns) == [f"{turns[0][1]} → {turns[2][1]}"]


def test_the_message_of_a_line_may_name_what_the_correction_names() -> None:
    turns = (
        ("user", "je prends Théo. il commence le 30 novembre, 35h, 1 900 brut"),
        ("assistant", "Noté."),
        ("user", "ah correction pour Théo c'est 1 950 brut, j'avais mal lu la grille"),
    )
    made = proposals_of(*turns)
    evidence = prepare(window_of(*turns))

    assert any("Il commence" in one.text and "1 950 brut" in one.text for one in made)
    assert not any("1 900" in one.text or "orrection" in one.text for one in made)
    assert all(isinstance(judge(one, evidence, KnownLines()), Verified) for one in made)


def test_a_line_noted_just_before_is_corrected_wherever_it_stands() -> None:
    dose = line_of("薬は一日一回0.4ml、夜ごはんの時。")
    soon = replace(dose, said_at_ms=dose.said_at_ms + 86_400_000 - 60_000, session_id="s1")
    said = ("user", "ちがう、0.46mlだ。"), ("assistant", "0.46mlですね。")

    (made,) = proposals_of(*said, known=known_of(soon))

    assert (made.text, made.replaces, made.place) == (
        "薬は一日一回0.46ml、夜ごはんの時。",
        ("old",),
        Place.STANDING,
    )
    assert isinstance(judge(made, prepare(window_of(*said)), known_of(soon)), Verified)
    assert not any(one.replaces for one in proposals_of(*said, known=known_of(dose)))  # of the day before


@pytest.mark.parametrize(
    ("answer", "day"),
    [
        ("19 December is a Tuesday, but you said Wednesday?", "20 December"),
        ("Shall I remind you on the 18th?", "19 December"),
        ("Noted.", "19 December"),
    ],
)
def test_what_only_concludes_corrects_the_day_that_the_agent_doubts(answer: str, day: str) -> None:
    turns = (
        ("user", "I have the dentist on 19 December."),
        ("assistant", answer),
        ("user", "Then it's the 20th."),
    )

    assert any(f"dentist on {day}" in text for text in texts_of(*turns))


@pytest.mark.parametrize(
    ("answer", "said", "dose"),
    [
        ("Noted. Is that with food?", "wait no, 10 mg", "10 mg at night"),
        ("5 mg? That is low.", "make that 10 mg", "10 mg at night"),
        ("Shall I put 8 mg on the list?", "wait no, 10 mg", "5 mg at night"),
        ("How much does Rex get?", "make that 10 mg", "5 mg at night"),
    ],
)
def test_behind_a_question_a_plain_correction_is_of_the_persons_own_figure(
    answer: str, said: str, dose: str
) -> None:
    turns = ("user", "The dose for Mum is 5 mg at night."), ("assistant", answer), ("user", said)

    assert any(dose in text for text in texts_of(*turns))
