"""What German, Spanish, French, Portuguese and Italian say of days and hours, put into English words.

"Am 28. Juni", "el jueves a las cinco" and "la semaine prochaine" stand for days and hours that a note names
in figures, and the readers of this package read English. So the words for days, months, hours, counts and
"ago" are put in English, word for word, and the rest is left as it is. Only good for reading the dates and
times of a text: everything else in it is looked for as it was said. Texts are made `normal`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_MONTHS = "january february march april may june july august september october november december"
_COUNTS = "one two three four five six seven eight nine ten eleven twelve"
_UNITS = "day week month year days weeks months years"
_SEASONS = "spring summer autumn winter weekend"
_NEAR = "today yesterday tomorrow last next this"


class _Tongue(NamedTuple):
    marks: frozenset[str]  # words that only it has, or that none of the others has so often
    words: dict[str, str]
    phrases: tuple[tuple[str, str], ...]


def _tongue(marks: str, tables: str, *phrases: tuple[str, str]) -> _Tongue:
    """Return a language by its tables, a line each, in the order of the English ones; "/" parts forms."""
    words: dict[str, str] = {}
    english = (_DAYS, _MONTHS, _COUNTS, _UNITS, _SEASONS, _NEAR)
    for line, names in zip(tables.strip().splitlines(), english, strict=True):
        for forms, name in zip(line.split(), names.split(), strict=True):
            words.update((form, name) for form in forms.split("/"))
    return _Tongue(frozenset(marks.split()), words, phrases)


_N, _AGO, _IN = r"(\w+)", r"\1 \2 ago", r"in \1 \2"
_TIMED = r"(days?|weeks?|months?|years?)"
_MONTH = rf"({_MONTHS.replace(' ', '|')})"
_AFTER_NOUN = r"(week|month|year|weekend|spring|summer|autumn|winter|\w+day)"
_OF = (rf"(\d{{1,2}})\.?º? de {_MONTH}(?: del? (\d{{4}}))?", r"\1 \2 \3")
_HOUR = rf"({_COUNTS.replace(' ', '|')}|\d{{1,2}})"
_TONGUES = (
    _tongue(
        "der die das und ich nicht ist wir am im mit für auf ein eine zum den dem von bei uns hat wird nach "
        "wurde jede jeden jeder jedes kein keine keinen sein ihr nie immer bis seit wegen nur auch soll muss",
        """
        montag/montags dienstag/dienstags mittwoch/mittwochs donnerstag/donnerstags freitag/freitags \
samstag/samstags/sonnabend sonntag/sonntags
        januar/jänner februar märz april mai juni juli august september oktober november dezember
        ein/eins/eine/einem/einer zwei drei vier fünf sechs sieben acht neun zehn elf zwölf
        tag woche monat/monats jahr tage/tagen wochen monate/monaten jahre/jahren
        frühling/frühjahr sommer herbst winter wochenende
        heute gestern morgen letzte/letzten/letzter/letztes/vergangene/vergangenen \
nächste/nächsten/nächster/nächstes/kommende/kommenden diese/diesen/dieser/dieses
        """,
        (rf"\bvor {_N} {_TIMED}", _AGO),
        (rf"\bseit {_N} {_TIMED}", r"for \1 \2"),
        (r"\bübermorgen\b", "in 2 days"),
        (r"\bvorgestern\b", "2 days ago"),
        (rf"\bhalb {_HOUR}\b", r"half \1"),
        (rf"\bviertel nach {_HOUR}\b", r"quarter past \1"),
        (rf"\bviertel vor {_HOUR}\b", r"quarter to \1"),
        (rf"\b(?:um|ab|gegen|bis) {_HOUR}\b(?: uhr\b)?", r"at \1"),
        (r"(\d{1,2}) uhr\b", r"\1 o'clock"),
    ),
    _tongue(
        "el la los las que y con para por una del mi no se lo es está "
        "mis su sus sin hay cada nunca siempre cuando tiene quiere ya solo hasta desde",
        """
        lunes martes miércoles jueves viernes sábado/sábados domingo/domingos
        enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre noviembre diciembre
        un/una dos tres cuatro cinco seis siete ocho nueve diez once doce
        día semana mes año días semanas meses años
        primavera verano otoño invierno finde
        hoy ayer mañana pasado/pasada/último/última próximo/próxima este/esta
        """,
        (r"\bpasado mañana\b", "in 2 days"),
        (r"\blast tomorrow\b", "in 2 days"),
        (rf"\bhace {_N} {_TIMED}", _AGO),
        (rf"\bdentro de {_N} {_TIMED}", _IN),
        (rf"\b{_AFTER_NOUN} (?:que viene|next)\b", r"next \1"),
        (rf"\b{_AFTER_NOUN} last\b", r"last \1"),
        _OF,
        (rf"\blas? {_HOUR} y media\b", r"half past \1"),
        (rf"\blas? {_HOUR} y cuarto\b", r"quarter past \1"),
        (rf"\blas? {_HOUR} menos cuarto\b", r"quarter to \1"),
        (rf"\b(?:a|de|hasta|sobre) las? {_HOUR}\b(?! (?:days?|weeks?|months?|years?))", r"at \1"),
    ),
    _tongue(
        "le les et je nous est pas une des du au avec pour qui que mon ma dans il elle sur "
        "mes son sa ses sans chaque jamais toujours depuis chez avant",
        """
        lundi/lundis mardi/mardis mercredi/mercredis jeudi/jeudis vendredi/vendredis samedi/samedis \
dimanche/dimanches
        janvier février mars avril mai juin juillet août septembre octobre novembre décembre
        un/une deux trois quatre cinq six sept huit neuf dix onze douze
        jour semaine mois an/année jours semaines - ans/années
        printemps été automne hiver week-end
        aujourd'hui hier demain dernier/dernière prochain/prochaine ce/cette
        """,
        (r"\baprès-tomorrow\b", "in 2 days"),
        (r"\bavant-yesterday\b", "2 days ago"),
        (rf"\bil y a {_N} {_TIMED}", _AGO),
        (rf"\bdans {_N} {_TIMED}", _IN),
        (rf"\b{_AFTER_NOUN} next\b", r"next \1"),
        (rf"\b{_AFTER_NOUN} last\b", r"last \1"),
        (rf"\b{_HOUR} ?h(?:eures?)? et demie\b", r"half past \1"),
        (r"\b(\d{1,2}) ?h ?([0-5]\d)\b", r"\1:\2"),
        (rf"\b{_HOUR} ?h(?:eures?)?\b", r"\1 o'clock"),
    ),
    _tongue(
        "o os as e não eu com para uma do da no na meu minha é em que dos "
        "meus sem cada nunca sempre desde até seu sua",
        """
        segunda-feira/segundas-feiras terça-feira/terça quarta-feira/quarta quinta-feira/quinta \
sexta-feira/sexta sábado/sábados domingo/domingos
        janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
        um/uma dois/duas três quatro cinco seis sete oito nove dez onze doze
        dia semana mês ano dias semanas meses anos
        primavera verão outono inverno -
        hoje ontem amanhã passado/passada próximo/próxima este/esta
        """,
        (rf"\bhá {_N} {_TIMED}", _AGO),
        (rf"\b(?:daqui a|dentro de) {_N} {_TIMED}", _IN),
        (rf"\b{_AFTER_NOUN} (?:que vem|next)\b", r"next \1"),
        (rf"\b{_AFTER_NOUN} last\b", r"last \1"),
        _OF,
        (rf"\b(?:às|as|das|até às) {_HOUR} e meia\b", r"half past \1"),
        (rf"\b(?:às|das|até às) {_HOUR}\b", r"at \1"),
        (rf"\b{_HOUR}h\b", r"\1 o'clock"),
    ),
    _tongue(
        "il lo gli e non io con per una del della di mio mia è che al nel sono "
        "mi suo sua senza ogni mai sempre dal alla",
        """
        lunedì martedì mercoledì giovedì venerdì sabato domenica
        gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
        un/uno/una due tre quattro cinque sei sette otto nove dieci undici dodici
        giorno settimana mese anno giorni settimane mesi anni
        primavera estate autunno inverno -
        oggi ieri domani scorso/scorsa prossimo/prossima questo/questa
        """,
        (r"\bdopotomorrow\b|\bdopodomani\b", "in 2 days"),
        (rf"\b{_N} {_TIMED} fa\b", _AGO),
        (rf"\b(?:tra|fra) {_N} {_TIMED}", _IN),
        (rf"\b{_AFTER_NOUN} next\b", r"next \1"),
        (rf"\b{_AFTER_NOUN} last\b", r"last \1"),
        (rf"\balle {_HOUR} e mezza\b", r"half past \1"),
        (rf"\balle {_HOUR}\b", r"at \1"),
    ),
)
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_ENGLISH_TEXT = "the and i is of to my was for have are with it on that"
_ENGLISH = frozenset(_ENGLISH_TEXT.split())
_MORNING = re.compile(r"\b(jeden|am|heute|gestern|diesen) morgen\b|\b(?:la|esta|las) mañanas?\b")
_FEW = 2  # words by which a language is told


FUNCTION_WORDS = frozenset().union(*(tongue.marks for tongue in _TONGUES))
"""Small words of those languages, which a capital makes no names."""


@lru_cache(maxsize=256)
def _tongue_of(lower: str) -> _Tongue | None:
    """Return the language of *lower*, None for English and what cannot be told."""
    words = set(_WORD.findall(lower))
    scores = [len(words & tongue.marks) for tongue in _TONGUES]
    most = max(scores)
    return _TONGUES[scores.index(most)] if most >= _FEW and most > len(words & _ENGLISH) else None


def is_german(lower: str) -> bool:
    """Tell whether *lower* is German, where every noun has a capital."""
    return _tongue_of(lower) is _TONGUES[0]


def is_of_these(lower: str) -> bool:
    """Tell whether *lower* is of one of these languages."""
    return _tongue_of(lower) is not None


@lru_cache(maxsize=256)
def in_english(lower: str) -> str:
    """Return *lower* with its words for days and hours in English; English is returned as it is."""
    tongue = _tongue_of(lower)
    if tongue is None or tongue.words.keys().isdisjoint(_WORD.findall(lower)):
        return lower
    lower = _MORNING.sub(r"\1 morning ", lower)
    told = _WORD.sub(lambda match: tongue.words.get(match.group(), match.group()), lower)
    for phrase, english in tongue.phrases:
        told = re.sub(phrase, english, told)
    return told
