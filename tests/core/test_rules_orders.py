"""Orders, reminders and reports without a subject, and what of it all is open."""

import pytest
from tests.core.exchanges_by_hand import proposals_of, window_of

from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.types import Kind, Place, Proposal, Verified
from scrimshaw.core.verification.verify import judge, prepare


def the_one(said: str, answer: str = "Noted.") -> Proposal:
    """Return the only line noted of *said*, having passed the gate."""
    turns = (("user", said), ("assistant", answer))
    (proposal,) = proposals_of(*turns)
    assert isinstance(judge(proposal, prepare(window_of(*turns)), KnownLines()), Verified)
    return proposal


@pytest.mark.parametrize(
    "said",
    [
        "Keep coriander out of every recipe",
        "Don't book me anything before nine",
        "Metric units only, please",
        "And always give prices including VAT",
        "Emails under five lines",
        "Never put my sister in cc.",
        "Don't schedule anything on Wednesday afternoons.",
        "No emojis in work mails.",
        "Answer in Dutch unless I write in English.",
        "Give temperatures in Celsius, never in Fahrenheit.",
        "Round all amounts to whole euros from now on.",
        "Can you always give me prices in pounds?",
        "Could you keep the answers shorter from now on?",
        "could you not send me links?",
        "From now on always give me measurements in millimetres, no inches",
        "could you keep your answers short when I'm on nights?",
        "btw can we move the tablets nudge to 10",
        "Could we move the weekly summary to Sundays?",
        "Können wir die Erinnerung für die Tabletten auf 10 Uhr verschieben?",
        "¿Podemos pasar el recordatorio de las pastillas a las 10?",
        "On peut décaler le rappel des médicaments à 10h ?",
        "Possiamo spostare il promemoria delle pastiglie alle 10?",
        "Podemos passar o lembrete dos comprimidos para as 10?",
        "能不能把吃药的提醒改到10点？",
        "薬のリマインダーを10時にしてもらえる？",
        "Would you mind keeping it short?",
        "Kannst du mich bitte duzen?",
        "Tu pourrais me tutoyer ?",
        "Please stop suggesting lattes.",
        "no more links please",
        "Whenever you show me code don't explain it line by line, just the diff",
        "Schreib mir immer auf Deutsch.",
        "Nie vor neun Uhr anrufen.",
        "Responde siempre en español.",
        "Toujours écrire en majuscules.",
        "Sempre prezzi con IVA.",
    ],
)
def test_an_order_that_holds_from_now_on_is_a_standing_wish(said):
    noted = the_one(said)

    assert (noted.kind, noted.place) == (Kind.PREFERENCE, Place.STANDING)
    assert noted.priority >= 4
    assert noted.refers_to is None or "(" not in noted.text


@pytest.mark.parametrize(
    "said",
    [
        "I read you on my phone so short lines please",
        "I'm deaf in one ear so no voice messages",
        "Carol rings sundays at 9, dont plan owt over that",
        "I'm paid monthly so always show totals per month",
        "I get confused by long mails so keep yours short please",
        "Two things, keep answers under 100 words and don't use bullet points.",
        "One more thing, never call me before nine.",
        "No spoilers for The Bear, we're on season 2",
        "I don't want to hear about Jonas.",
        "Tell me if I'm being daft",
        "Use the 24 hour clock with me would you",
        "If mum writes, be nice to her, she's lonely",
        "When I say Bunny I mean my daughter",
        "Ich hab eine Leseschwäche, bitte kurze Sätze",
        "Ich bin schwerhörig, also bitte keine Sprachnachrichten",
        "Estoy sorda, así que nada de audios",
        "Háblame en catalán cuando te escriba en catalán.",
        "Je suis dyslexique, donc pas de listes",
        "Basta elenchi puntati.",
        "目が悪いので、短い文でお願いします",
        "我眼睛不好，请用短句",
    ],
)
def test_an_order_behind_its_reason_or_a_lead_in_is_a_standing_wish(said):
    noted = the_one(said)

    assert (noted.kind, noted.place) == (Kind.PREFERENCE, Place.STANDING)


@pytest.mark.parametrize(
    "said",
    [
        "I'm in a meeting, keep it short",
        "Sono in riunione fino alle 18, quindi niente chiamate",
        "Make it a bit warmer, and don't mention my back",
        "Draft a text to my brother, keep it short",
        "We had no calls from them",
        "Dentist on Friday at 16:15, so don't plan anything after 15:30 that day",
        "Mum comes on 4 May, so don't book me anything before ten",
        "I was late so no breakfast",
        "I need longer lines for the boat",
        "Tell me when you're done",
        "When my mum calls I say hello",
        "We had a great time, always a pleasure to see them",
        "I left the car there and never went back",
        "He got the job, no questions asked.",
        "The museum was great, no pictures allowed.",
        "The exam went well, no lists to learn any more.",
        "J'ai regardé mon téléphone, pas de messages.",
        "La oficina está tranquila, sin llamadas.",
        "El correo está vacío, nada de mensajes.",
        "Die Prüfung war leicht, keine Fragen zu Kant.",
        "O Rui foi embora, sem mensagens.",
        "Ich habe heute frei, keine Termine.",
        "My phone broke, so no calls until Friday.",
        "Ich bin krank, keine Anrufe heute.",
        "This goes to the CEO, so be formal.",
        "Here's my essay, use simple words.",
        "Back to French lessons on Monday.",
        "back in English class at 9",
        "Otra vez en inglés me ha tocado el examen.",
        "Wieder auf Deutsch schreiben war schön.",
        "De nouveau en anglais le prof a crié.",
        "Tell me if I'm right.",
        "Tell me if I'm wrong: 7 x 8 is 54.",
        "Tell me if I get a refund.",
        "Tell me if you can't open the file.",
        "I hate being told what to do by my mum.",
        "I don't like being told off by the teacher.",
        "I hate being asked for ID.",
        "When the plumber calls, ask about the boiler.",
        "If the bank calls, give me a shout.",
        "Large spaces between the shelves look odd.",
        "Send me long messages, she said.",
        "In 24 hours time the surgery starts.",
        "老师说了，用大字写。",
        "母が見るので、大きい字で印刷した。",
        "友達は、日本語で答えてくれた。",
    ],
)
def test_what_has_the_form_of_such_an_order_for_once_or_for_another_does_not_stand(said):
    assert [one.text for one in proposals_of(("user", said)) if one.place is Place.STANDING] == []


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("Call the plumber before noon", Place.OPEN),
        ("Water the plants before you leave.", Place.OPEN),
        ("Ask me before you book anything.", Place.STANDING),
        ("Don't call anybody before nine.", Place.STANDING),
        ("Ab sofort bitte in ganzen Sätzen.", Place.STANDING),
    ],
)
def test_what_is_to_be_done_before_an_hour_is_done_once(said, place):
    assert the_one(said).place is place


@pytest.mark.parametrize(
    "said",
    [
        "Be brief.",
        "Skip the small talk.",
        "Don't use tables.",
        "Stop apologising.",
        "Don't suggest recipes with nuts.",
        "Don't suggest recipes with nuts anymore, Leo got a rash today.",
        "Du kannst mich duzen.",
        "Answer in Spanish.",
        "Give prices in euros.",
        "Sei kurz.",
        "Bitte keine Emojis.",
        "Duze mich.",
        "Réponds en français.",
        "Respóndeme en español.",
        "Sem emojis, por favor.",
        "Dammi del tu.",
        "请用中文回答。",
        "短く答えて。",
    ],
)
def test_a_short_order_how_to_answer_is_a_standing_wish(said):
    noted = the_one(said)

    assert (noted.kind, noted.place) == (Kind.PREFERENCE, Place.STANDING)


@pytest.mark.parametrize(
    "said",
    [
        "Make it shorter.",
        "Be brief in this one.",
        "Call me later.",
        "Call me back tomorrow.",
        "Be proud of yourself!",
        "No apologies needed.",
        "Can you send me the list again?",
        "Could you not find the file?",
        "If you go to the shop don't forget the milk.",
        "When you get home don't forget the milk.",
        "When you call the bank tomorrow don't mention the loan.",
        "Could you always rely on the train back in those days?",
        "Can you always park there on Sundays?",
        "Could you not find anything cheaper?",
        "No more snow please",
        "Stop asking, he said to me.",
        "Mach das kürzer.",
        "Ruf mich später an.",
        "Attends un peu.",
        "Espera un momento.",
        "等一下。",
        "もう一回お願い。",
    ],
)
def test_an_order_for_the_moment_is_no_standing_wish(said):
    assert all(
        one.place is not Place.STANDING for one in proposals_of(("user", said), ("assistant", "Noted."))
    )


@pytest.mark.parametrize(
    ("said", "noted"),
    [
        ("Please remember that the ladder is in the cellar", "The ladder is in the cellar."),
        ("Don't forget: Joris is allergic to nuts", "Joris is allergic to nuts."),
        ("Keep in mind I don't drive at night.", "I don't drive at night."),
        ("For the record: the deed is in the blue folder.", "The deed is in the blue folder."),
        ("Merk dir, dass die Leiter im Keller steht.", "Merk dir, dass die Leiter im Keller steht."),
        ("Recuerda que la escalera está en el sótano.", "La escalera está en el sótano."),
        ("N'oublie pas que Paul est allergique aux noix.", "Paul est allergique aux noix."),
        ("Lembra-te que a chave está na gaveta.", "A chave está na gaveta."),
        ("Non dimenticare che Luca è allergico al lattosio.", "Luca è allergico al lattosio."),
    ],
)
def test_what_is_to_be_remembered_is_a_standing_fact_without_the_asking(said, noted):
    line = the_one(said)

    assert (line.text, line.place, line.kind) == (noted, Place.STANDING, Kind.FACT)
    assert line.priority >= 4


@pytest.mark.parametrize(
    "said", ["Paid the vet", "Sold the old piano.", "Handed in my thesis!", "Returned the library books."]
)
def test_a_report_without_a_subject_is_an_outcome(said):
    noted = the_one(said)

    assert (noted.kind, noted.place) == (Kind.OUTCOME, Place.LOG)


@pytest.mark.parametrize(
    ("said", "answer", "noted"),
    [
        ("Send Sofie the invoices.", "Done, I have sent the 4 invoices.", "sent the 4 invoices"),
        ("Cancel the gym membership.", "Done, it is cancelled as of 30 November.", "30 November"),
        ("Print the boarding passes.", "Printed, both are in the tray.", "in the tray"),
        ("Move the physio to Tuesday.", "Done: physio is now Tuesday at 10.", "Tuesday at 10"),
    ],
)
def test_an_order_carried_out_in_the_same_turn_is_an_outcome(said, answer, noted):
    line = the_one(said, answer)

    assert (line.kind, line.place, line.done) == (Kind.OUTCOME, Place.LOG, True)
    assert noted in line.text


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Order new printer ink.", "I'll order it this afternoon."),
        ("Water the ficus while I'm away.", "Will do, I'll water it every three days."),
        ("Remind me to call the landlord on Thursday.", "Noted."),
        ("Don't forget to renew the parking permit.", "Noted."),
        ("Next month I'm off to Ireland for a semester.", "Have fun!"),
        ("Hosting a dance competition next month to show local talent.", "Great!"),
    ],
)
def test_what_is_promised_or_planned_is_open(said, answer):
    assert the_one(said, answer).place is Place.OPEN


@pytest.mark.parametrize(
    "said",
    [
        "Have a wonderful Sunday, and take care of yourself!",
        "Enjoy your trip next week!",
        "Good luck with the exam tomorrow!",
        "Talk to you tomorrow!",
        "I'll keep you posted.",
        "I'll do my best to make you proud!",
        "They remind me why I'm so passionate about making a difference.",
        "The meetings went really well.",
        "Never mind.",
        "Always a pleasure talking to you!",
    ],
)
def test_wishes_and_cheer_leave_nothing(said):
    assert proposals_of(("user", said), ("assistant", "You too!")) == []


@pytest.mark.parametrize(
    "said",
    [
        "Me: 'We'll need to prioritize the audit by 4 December.'",
        "61 repairs in November, and the shop was closed for a week.",
        "Rachael declined our joint weekend trip planned for 20 December.",
        "Could we reach 85 % by 1 December?",
        "I hurt my knee at practice last Tuesday.",
        "You might want to try the Emsibeth range by 1 December.",
    ],
)
def test_what_nobody_means_to_do_is_not_open(said):
    assert all(one.place is not Place.OPEN for one in proposals_of(("user", said)))


@pytest.mark.parametrize(
    "said",
    [
        "My daughter has a severe hazelnut allergy, this one matters.",
        "The EpiPen is in the drawer by the front door.",
        "The mushrooms behind the shed are poisonous.",
        "Never call my ex-husband.",
        "Under no circumstances share my address.",
    ],
)
def test_what_does_harm_when_it_is_forgotten_comes_first(said):
    assert the_one(said).priority == 5


@pytest.mark.parametrize(
    "said",
    [
        "Remember that time we got lost in Prague?",
        "Remember to breathe, I told him.",
        "Don't forget to smile, my mother always said.",
    ],
)
def test_what_is_recalled_or_quoted_is_no_reminder(said):
    noted = proposals_of(("user", said), ("assistant", "Ha."))

    assert not any(one.place is Place.OPEN for one in noted)


def test_what_is_said_with_a_doubt_keeps_it():
    assert the_one("We are going to Lisbon in October, maybe.").text.endswith("maybe.")


def test_a_clause_that_cannot_stand_alone_keeps_the_asking():
    said = "Denk daran, dass der Zweitschlüssel bei Frau Yildiz im dritten Stock liegt."

    assert (said, Place.STANDING) == (the_one(said).text, the_one(said).place)


@pytest.mark.parametrize(
    "said", ["We agreed on $1,000 annually.", "We decided to rent the hall in Kerkstraat for the wedding."]
)
def test_what_was_decided_matters_and_does_no_harm_when_it_is_forgotten(said):
    assert the_one(said).priority == 4


def test_what_matters_so_much_is_a_line_of_its_own_behind_what_was_done() -> None:
    said = "Paid the vet. Joris is allergic to nuts, this one matters, his EpiPen is in the blue bag."

    lines = proposals_of(("user", said), ("assistant", "Noted."))

    allergy = next(line for line in lines if "Joris" in line.text)
    assert "vet" not in allergy.text
    assert (allergy.place, allergy.priority) == (Place.STANDING, 5)


@pytest.mark.parametrize(
    "said",
    ["I need to cancel the meals.", "I need to phone the bank.", "I need to renew my passport."],
)
def test_what_one_needs_to_do_is_open_also_in_a_few_words(said):
    assert the_one(said, "Okay.").place is Place.OPEN


@pytest.mark.parametrize("said", ["Practice is every Thursday at six.", "The cleaner comes every Monday."])
def test_what_is_so_every_week_stands(said):
    assert the_one(said).place is Place.STANDING


@pytest.mark.parametrize(
    "said",
    [
        "Am Freitag war ich beim Arzt.",
        "El viernes fui al dentista con Marta.",
        "La tassa l'ho versata venerdì.",
    ],
)
def test_what_was_on_a_day_that_has_passed_is_not_open(said):
    assert the_one(said).place is Place.LOG


@pytest.mark.parametrize(
    "said", ["Die Werkstatt hat mir Freitag 8 Uhr gegeben.", "The garage gave me Friday at 8."]
)
def test_the_day_of_an_appointment_that_was_given_is_not_taken_for_the_one_before(said):
    assert "(" not in the_one(said).text


@pytest.mark.parametrize(
    ("order", "answer"),
    [
        ("Envoie le devis à Mme Perrin.", "C'est fait, le devis est parti à 10 h."),
        ("Schick Frau Perrin das Angebot.", "Erledigt, ich habe das Angebot geschickt."),
        ("Añade huevos a la lista de la compra.", "Hecho, he añadido huevos a la lista."),
        ("Manda o orçamento à Sra. Perrin.", "Feito, enviei o orçamento."),
    ],
)
def test_an_order_that_was_carried_out_at_once_is_done(order: str, answer: str) -> None:
    line = the_one(order, answer)

    assert (line.place, line.done) == (Place.LOG, True)
    assert line.text.startswith(order)


@pytest.mark.parametrize(
    ("order", "answer"),
    [
        ("Book the cake pick up for Saturday 21 November at 9:30.", "Done."),
        ("Réserve une table chez Lucien vendredi.", "J'ai réservé pour vendredi à 20 h."),
        ("Prenota il dentista per venerdì.", "Ho prenotato il dentista per venerdì alle 9."),
        ("Buche mir einen Tisch für Freitag um 19 Uhr.", "Erledigt, der Tisch ist reserviert."),
    ],
)
def test_what_was_arranged_for_a_day_ahead_is_still_to_come(order: str, answer: str) -> None:
    line = the_one(order, answer)

    assert (line.place, line.done) == (Place.OPEN, False)
    assert line.refers_to is not None


@pytest.mark.parametrize(
    ("order", "answer"),
    [
        ("Book the MOT by Friday.", "Done."),
        ("Book a table for four at Enzo on Friday.", "Done. Enzo was full, so I booked Lila instead."),
        ("Book a table for four at Enzo on Friday.", "Done. I've cancelled the one on Friday."),
        ("Book a table at Zucca for Friday.", "Booked, but for Saturday 21 November."),
        ("Send Sofie the invoices by Friday.", "Done, I have sent the 4."),
    ],
)
def test_what_was_due_by_a_day_or_arranged_for_another_is_done(order: str, answer: str) -> None:
    line = the_one(order, answer)

    assert (line.place, line.done) == (Place.LOG, True)


def test_an_order_among_other_words_that_was_carried_out_with_a_tool_is_done() -> None:
    said = "Bonjour ! Envoie le devis à Mme Perrin. Et il fait beau."
    work = (("call", "mail"), ("tool", "ok"), ("assistant", "C'est fait, le devis est parti."))

    [line] = proposals_of(("user", said), *work)

    assert line.text == "Envoie le devis à Mme Perrin → le devis est parti."
    assert (line.place, line.done) == (Place.LOG, True)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Je dois envoyer le devis à Mme Perrin.", "C'est fait, je l'ai ajouté à ta liste."),
        ("Envoie le devis à Mme Perrin.", "C'est noté, je m'en occupe."),
        ("Schick Frau Perrin das Angebot.", "Mache ich."),
        ("Schick Frau Perrin das Angebot.", "Ich habe das Angebot noch nicht geschickt."),
        ("Envoie le devis à Mme Perrin.", "C'est fait, j'ai mis un rappel pour vendredi."),
        ("Prenota il dentista per venerdì.", "Ho segnato il dentista per venerdì."),
        ("Manda o orçamento à Sra. Perrin.", "Pronto, vou mandar amanhã de manhã."),
        ("Prenota il dentista per venerdì.", "Ho chiamato il dentista ma non risponde, riprovo domani."),
        ("Schick Frau Perrin das Angebot.", "Ich habe es als Entwurf gespeichert; soll ich es abschicken?"),
        ("Envoie le devis à Mme Perrin.", "J'ai préparé le brouillon. Je l'envoie quand tu veux."),
    ],
)
def test_a_plan_of_ones_own_and_an_order_that_was_only_taken_stay_open(said: str, answer: str) -> None:
    line = the_one(said, answer)

    assert (line.place, line.done) == (Place.OPEN, False)


@pytest.mark.parametrize(
    ("said", "noted"),
    [
        (
            "Can you remind me to pick up the cake on Saturday at 4?",
            "Remind me to pick up the cake on Saturday (2026-11-21) at 4.",
        ),
        (
            "Could you remind me the day before to charge the drone?",
            "Remind me the day before to charge the drone.",
        ),
        (
            "Will you please send the invoice to Mrs Hardy by Friday?",
            "Send the invoice to Mrs Hardy by Friday (2026-11-20).",
        ),
        (
            "I owe Rosa 450 euros, can you remind me to pay her by 12 December?",
            "I owe Rosa 450 euros; remind me to pay her by 12 December.",
        ),
    ],
)
def test_what_a_question_asks_to_be_done_on_a_day_is_open(said: str, noted: str) -> None:
    made = the_one(said, "Will do.")

    assert (made.text, made.place, made.kind) == (noted, Place.OPEN, Kind.NEXT_STEP)


@pytest.mark.parametrize(
    "said",
    [
        "Can you remind me what we said about the boiler on Friday?",
        "Can you remind me of the vet's name?",
        "Can you remind me of what we decided on Friday?",
        "Can you remind me when Ana's birthday is?",
        "Can you remind me about the meeting yesterday?",
        "Can you turn this into a list for Friday?",
        "Would you move to Berlin next year?",
        "Can you call 112 on a Sunday from abroad?",
        "Will you book the Hilton or the Marriott for Friday?",
        "Could you send me the list for Friday?",
        "Could you check what is open on Friday?",
    ],
)
def test_what_a_question_asks_to_be_told_is_not_open(said: str) -> None:
    noted = proposals_of(("user", said), ("assistant", "Here it is: bread and milk."))

    assert [one.text for one in noted if one.place is Place.OPEN] == []


def test_what_was_asked_in_a_question_and_done_is_no_longer_open() -> None:
    made = the_one("Could you please email Tom by tonight?", "Emailed.")

    assert (made.place, made.done) == (Place.LOG, True)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Call the plumber on Friday.", "Scheduled."),
        ("Please pay the Telekom bill by Friday.", "Paid, it says, but that's the old one."),
    ],
)
def test_another_participle_than_that_of_the_order_does_not_end_it(said: str, answer: str) -> None:
    assert the_one(said, answer).place is Place.OPEN


def test_an_hour_told_with_its_minutes_is_the_hour_that_was_asked_for() -> None:
    made = the_one("Book the vet for Thursday at 10.", "Done, Thursday 10:00 with Dr Lee.")

    assert (made.place, made.done) == (Place.OPEN, False)


@pytest.mark.parametrize(
    "said",
    [
        "Every Friday at 4 send me the totals.",
        "Schick mir jeden Freitag um 16 Uhr eine Zusammenfassung.",
        "Todos los lunes por la mañana mándame la lista de la compra.",
        "Rappelle-moi tous les jeudis à 18h de sortir les poubelles.",
        "De hoje em diante quero que me lembre da varfarina todos os dias às 19h.",
        "Ricordami ogni sera alle 22 le gocce.",
        "每周日晚上提醒我交作业。",
        "これからは毎朝7時に今日の予定を送って。",
    ],
)
def test_what_the_agent_is_to_tell_each_time_stands(said: str) -> None:
    made = the_one(said)

    assert (made.place, made.kind) == (Place.STANDING, Kind.PREFERENCE)


@pytest.mark.parametrize(
    "said",
    [
        "They send me the bill every month.",
        "People ask me every day where I come from.",
        "Sie schickt mir jeden Tag Fotos.",
        "Ele me manda todos os dias uma mensagem.",
        "Mi madre me avisa cada domingo.",
        "每天都有人告诉我要多喝水。",
        "姉が毎週野菜を送ってくれる。",
    ],
)
def test_what_others_tell_each_time_is_no_order(said: str) -> None:
    assert Kind.PREFERENCE not in [one.kind for one in proposals_of(("user", said), ("assistant", "Nice."))]


@pytest.mark.parametrize(
    "said", ["I think I'll sell the flat and move in with mum.", "I guess I'll take the job at Aviva."]
)
def test_what_is_only_thought_of_stays_in_doubt(said: str) -> None:
    assert the_one(said, "A big step.").text == said


@pytest.mark.parametrize(
    "said",
    [
        "kannst du mir künftig vor 13 uhr nix schicken?",
        "can you from now on use metric?",
        "puoi da ora usare i nomi veri?",
        "You could write in fewer words.",
        "返事もっと短くていいよ",
        "What can I take for headache? No ibuprofen please.",
        "wie mach ich das? duz mich bitte",
        "always answer me in Spanish, not only this time",
        "不只是这次,以后都用中文回答我",
    ],
)
def test_a_polite_wish_for_good_stands(said: str) -> None:
    (noted,) = proposals_of(("user", said))

    assert (noted.kind, noted.place) == (Kind.PREFERENCE, Place.STANDING)


@pytest.mark.parametrize(
    "said",
    [
        "just for this one give me max 3 lines",
        "What's a good wine for lamb? Keep it short.",
        "Wie krieg ich kaugummi raus? kurz bitte",
        "sag mal wie krieg ich kaugummi aus ner strickjacke",
        "这句啥意思 The hold will be released within 30 days after return",
        "At work they want me to write less",
        "I'd like to say no more often",
        "Sam should tell me less about his ex",
        "sentences in my thesis should be shorter",
        'mam sent me this: "Grainne pet dont forget to ring the bishop about the castle"',
        'minha mae falou: "filha nao compra no terceiro andar sem elevador"',
    ],
)
def test_what_is_wished_once_asked_told_or_said_by_another_is_no_line(said: str) -> None:
    assert proposals_of(("user", said)) == []


@pytest.mark.parametrize(
    "said",
    [
        'El médico dijo "no puede comer mariscos nunca más"',
        'WLAN-Passwort ist "Sonnenblume2026-Garten-Haus"',
        'my shop is named "Kräuter und Tee am alten Stadttor"',
        "como faço bolo sem ovo, minha filha é alérgica a ovo",
        "wie kriege ich den Fleck raus, das Kleid brauch ich am Freitag für die Hochzeit",
    ],
)
def test_what_is_told_beside_a_question_or_in_quotation_marks_is_noted(said: str) -> None:
    assert len(proposals_of(("user", said))) == 1


def test_what_turns_to_another_matter_is_a_line_of_its_own() -> None:
    said = "No lupins please, the slugs love them. And I cannot take aspirin, it gave me an ulcer in 2019."

    assert len(proposals_of(("user", said))) == 2


def test_what_only_adds_to_a_plan_stays_with_it() -> None:
    (noted,) = proposals_of(("user", "The interview is on Friday at 10. Also bringing the contract."))

    assert "contract" in noted.text


def test_what_must_be_done_on_a_day_ahead_is_open_whoever_said_so() -> None:
    said = (
        "I am told by the surgery that I must have the cataract done, Tuesday the 22nd of December at Cromer."
    )
    (noted,) = proposals_of(("user", said))

    assert noted.place is Place.OPEN


@pytest.mark.parametrize(
    "said",
    [
        "can we move the meeting to 10?",
        "can you move tomorrow's reminder to 10?",
        "Can we move to the garden?",
        "Können wir den Termin auf 10 Uhr verschieben?",
        "能不能把会议改到10点？",
    ],
)
def test_a_question_that_sets_no_time_of_the_agents_own_is_no_standing_wish(said: str) -> None:
    made = proposals_of(("user", said), ("assistant", "Done."))

    assert not any(one.place is Place.STANDING for one in made)
