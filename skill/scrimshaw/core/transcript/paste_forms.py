"""How people introduce, frame and end words that are not their own: tables for core/transcript/own_words.

English and German, and of other languages what mail programs write. Closed classes only: the heads of a mail,
verbs of saying, verbs that do something with a text, what a text is called, how a letter begins and ends. No
entry names what a message is about. Patterns are for a line or less, in lower case unless a name must be told
by its capital, and bounded wherever they may run.
"""

from __future__ import annotations

import re


def _any(table: str) -> str:
    """Return the alternatives of *table*, separated by " / " or line breaks, as one group."""
    alternatives = [part.strip() for line in table.split("\n") for part in line.split(" / ")]
    return f"(?:{'|'.join(part for part in alternatives if part)})"


# -- mails and letters ---------------------------------------------------------------------------------------

_SUBJECT = _any(
    "subject / betreff / betr / objet / asunto / oggetto / onderwerp / assunto / reply-to / message-id / "
    "return-path / mime-version / content-type / fwd? / wg"
)
_SENDER = _any("from / von / de / da / van")
_FIELD = _any(
    "to / an / à / para / aan / cc / bcc / re / kopie / sent / gesendet / received / date / datum / fecha"
)
MAIL_FIELD = re.compile(
    rf"[\W_]{{0,6}}(?:(?P<subject>{_SUBJECT})|(?P<sender>{_SENDER})|{_FIELD})[*_ ]{{0,4}}:[\W_]{{0,6}}\w"
)
FIELD_WITHIN = re.compile(rf"\s(?:{_SUBJECT}|{_FIELD}):\s")
ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}\.[a-z]")
# "---------- Forwarded message ---------", "-----Original Message-----", "=== begin of mail ===".
_MARK = r"(?:-{3,}|={3,}|<{3,}|>{3,})"
TITLED_RULE = re.compile(rf"\s*{_MARK}\s*[^\W_][^-=<>\n]{{0,80}}{_MARK}\s*$")
_FORWARDED = _any(
    "begin forwarded message / forwarded message / original message / message transféré / "
    "mensaje reenviado / "
    "messaggio inoltrato / (?:anfang der )?weitergeleiteten? (?:nachricht|e-?mail) / "
    "ursprüngliche (?:nachricht|e-?mail)"
)
FORWARDED = re.compile(rf"\W*{_FORWARDED}\W*$")
RULE = re.compile(r"\s*(?:-{3,}|={3,}|\*{3,}|_{3,}|~{3,}|<{3,}|>{3,}|\"{3}|'{3}|[-*_](?: [-*_]){2,})\s*$")

_GREETINGS = _any(
    "dear / hi / hello / hey / hallo / liebe[rs]? / guten (?:tag|morgen|abend) / sehr geehrte[rs]? / moin / "
    "servus / grüezi / bonjour / hola / ciao / good (?:morning|afternoon|evening)"
)
GREETING = re.compile(rf"\W{{0,3}}{_GREETINGS}\b[^.?:;\n]{{0,60}}[,!]?(?=\s|$)")
_GERMAN_CLOSING = (
    r"(?:mit |viele |vielen )?(?:(?:freundlich|best|herzlich|lieb|viel|schön)\w{0,2} )?gr(?:ü"
    r"|ue|u)(?:ß|ss)\w{0,2}"
)
_CLOSING = _any(
    f"(?:best|kind|kindest|warm|warmest)(?: regards| wishes)? / regards / all the best / cheers / "
    f"{_GERMAN_CLOSING} /"
    " (?:very )?sincerely(?: yours)? / yours(?: sincerely| faithfully| truly)? / respectfully / cordially / "
    "lg / vg /"
    " mfg / hochachtungsvoll / cordialement / bien à vous / (?:un )?saludos? / atentamente / "
    "(?:cordiali )?saluti /"
    " groeten / met vriendelijke groet"
)
_THANKS = _any(
    "(?:many )?thanks(?: again| a lot| in advance)? / thank you / (?:vielen |besten )?dank / danke / love / "
    "take care /"
    " talk soon / bis (?:bald|dann) / deine? / ihre? / eure?"
)
_NAME = r"(?P<name>[^\W\d_][\w.'’-]{0,30}(?: [^\W\d_][\w.'’-]{0,30}){0,3})"
# A closing word with a name behind it. Thanks close a letter only where the name has a line of its own: in
# "Thanks, Claude" somebody is spoken to.
SIGNED = re.compile(
    rf"(?:^|[.!?…)\"”“»]\s)\W{{0,3}}{_CLOSING}(?:\s?[,.!–—-]\s?|(?<=g|ß|e)\s){_NAME}[.!]?\s*$"
)
CLOSED = re.compile(
    rf"\W{{0,3}}(?:{_CLOSING}|{_THANKS})(?: (?:aus|from|vom"
    rf"|von) [\w ]{{1,30}})?\s?[,.!–—-]?\s*$"
)
DASHED_NAME = re.compile(rf"\s*(?:[–—]|--)\s?{_NAME}\s*$")
DASHED_WITHIN = re.compile(rf"[.!?…\"”“»]\s+[–—]\s?{_NAME}(?:, [\w ]{{1,40}})?\s*$")
SENT_FROM = re.compile(
    r"\W*(?:sent from my|get outlook for|gesendet mit|von meinem [\w ]{1,30} gesendet|-- ?$)"
)

# -- chats ---------------------------------------------------------------------------------------------------

_CLOCK = r"\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:\s?[ap]\.?m\.?)?(?: uhr)?"
_DAY = (
    r"(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{1,2}\. ?\w{3,9}\.?(?: \d{4})?|\w{3,9} \d{1,2}(?:, \d{4})?|today"
    r"|yesterday|heute|gestern|\w{3,6}day|\w{3,7}tag|mittwoch)"
)
_WHEN = rf"(?:{_DAY},?\s(?:at |um )?)?{_CLOCK}(?:,?\s{_DAY})?"
_WHO = r"[@~]?[^\W\d_][\w.'’-]{0,30}(?: [\w.'’()/-]{1,30}){0,3}"
CHAT_LINE = re.compile(
    rf"\W{{0,3}}(?:\[{_WHEN}\]\s*[–-]?\s*{_WHO}\s?(?::|$)"  # [12:03, 4.11.2026] Bob: …
    rf"|{_DAY},?\s{_CLOCK}\s[–-]\s{_WHO}:|{_CLOCK}\s<{_WHO}>)"  # 04.11.26, 12:03 - Bob: …
)
# "Bob  12:03 PM", "Bob [12:03 PM]", "Bob — Today at 12:03" above what is said.
CHAT_NAME = re.compile(
    rf"\W{{0,3}}{_WHO},?(?:\s{{1,6}}\[{_WHEN}\]|\s{{2,6}}{_WHEN}|\t{_WHEN}"
    rf"|\s?—\s{_DAY} (?:at |um )?{_CLOCK})\s*$"
)
TIME_ALONE = re.compile(rf"\s*{_WHEN}\s*$")
SPEAKER = re.compile(
    rf"\s{{0,3}}(?:[-*•]\s)?(?:\[?{_CLOCK}\]?\s)?"
    rf"(?:<(?P<nick>{_WHO})>|(?:\*\*)?(?P<who>{_WHO})(?:\*\*)?:(?:\*\*)?)\s+(?P<said>\S.*)$"
)
_SHORT = _any(
    "ok(?:ay)? / yes / yep / yeah / no / nope / sure / thanks? / thank you / thx / great / fine / cool / "
    "hi / hello /"
    " hey / lol / right / got it / will do / ja / nein / nö / klar / danke / gut / passt / super / hallo / "
    "alles klar /"
    " gerne? / stimmt"
)
_ROLE = _any(
    "user / assistant / human / ai / bot / agent / customer / client / interviewer / speaker \\d / me / "
    "you / q / a /"
    " kunde / kundin / ich / du / sprecher \\d / frage / antwort"
)
ROLE = re.compile(rf"{_ROLE}$")
SHORT_REPLY = re.compile(rf"{_SHORT}(?!\w)")

# -- pages ---------------------------------------------------------------------------------------------------

HEADING = re.compile(r" {0,3}#{1,6}\s+\S")
TABLE_ROW = re.compile(r"\s*\|.*\|\s*$")
BADGE = re.compile(r"\W{0,3}\[?!\[[^\]\n]{0,200}\]\(")
UNDERLINE = re.compile(r"\s*(?:={3,}|-{3,})\s*$")
LIST_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,2}[.)])\s")
# "Home | Products | Billing | Login", with links or without.
_MENU_ITEM = r"\[?[A-ZÄÖÜ][\w&'’-]{0,20}(?: [\w&'’-]{1,20}){0,2}\]?(?:\([^()\n]{0,200}\))?"
MENU = re.compile(rf"\W{{0,3}}{_MENU_ITEM}(?:\s*[|·›»]\s*{_MENU_ITEM}){{2,20}}\W{{0,3}}$")
PAGE_FOOT = re.compile(
    r"(?:(?:©|\(c\)|copyright) ?\d{4}|skip to (?:main )?content|zum inhalt springen)"
    r"|(?:all rights reserved|alle rechte vorbehalten)\W*$"
)
SOURCE_LINE = re.compile(
    r"\W{0,3}(?:source|quelle|via|retrieved from|seen on|gefunden (?:auf|bei))\W{0,3}(?:https?://"
    r"|www\.)\S+\W*$"
)
LINK = re.compile(r"https?://|www\.|!?\[[^\]\n]{0,200}\]\(")
LINK_ALONE = re.compile(r"\W{0,3}(?:https?://|www\.)\S+\s*$")

# -- what is done with a text --------------------------------------------------------------------------------

_ASK = (
    r"\W*(?:(?:please|pls|bitte|now|and|also|then|so|okay|ok|hey|hi|hello|next|quick|und|dann|jetzt"
    r"|mal)\b,? ?){0,4}"
    r"(?:(?:can|could|would|will) you (?:(?:please|help me|also|quickly) ){0,2}(?:to )?|help me (?:to )?"
    r"|i(?:'d| would)? (?:want|need|like) (?:you )?to "
    r"|(?:kannst|könntest|würdest|magst) du (?:(?:bitte|mir|mal|uns) ){0,3}|können sie (?:(?:bitte"
    r"|mir) ){0,2})?"
)
# These are done to a text and to nothing else …
_TO_TEXTS = _any(
    "translat(?:e|ing) / rephras(?:e|ing) / reword / paraphras(?:e|ing) / rewrit(?:e|ing) / summari[sz](?:e"
    "|ing) /"
    " sum up / tl;?dr / proof-?read / transcrib(?:e|ing) / copy-?edit / spell-?check / übersetz\\w* / "
    "umformulier\\w* /"
    " zusammenfass\\w* / korrigier\\w* / lektorier\\w* / korrekturles\\w* / transkribier\\w* / überarbeit\\w*"
)
_APART = (
    r"(?:fass\w*[^.!?:]{1,60}\bzusammen|(?:formulier|schreib)\w*[^.!?:]{1,60}\bum"
    r"|lies[^.!?:]{1,60}\bkorrektur)"
)
_SOUNDS = (
    r"(?:(?:make|let) (?:this|that|it|the following)\b(?: \w+){0,2} (?:sound|read|look|more|less|\w+er)"
    r"|turn (?:this|that|it|the following)\b[^.!?:]{0,20} into|formulier\w* (?:\w+ ){0,2}\w+er"
    r"|mach\w* (?:das|es|dies\w*|den \w+) (?:\w+ ){0,2}\w+er)"
)
_REWORKED = r"(?:summary|translation|feedback|proofreading|zusammenfassung|übersetzung|korrektur)"
_BETTERS = (
    r"(?:(?:correct|polish|convert|classify) (?:my|our|to|the|into) [^.!?:]{2,60}"
    rf"|(?:give me|gib mir|bitte um|um)? ?(?:an? |the |eine? )?{_REWORKED}\b[^.!?:]{{0,30}})"
)
_OBJECT = (
    r"(?:das|dies\w{0,2}|den|die|es|folgend\w{1,2})\b[^.!?:]{0,60}\b"  # "kannst du das bitte korrigieren"
)
_AT_END = r"(?!ich\b|wir\b)[^.!?:]{1,40}\b"  # "bitte ins Englische übersetzen"
WORKS_ON_TEXT = re.compile(
    rf"{_ASK}(?:(?:{_TO_TEXTS}|{_APART}|{_SOUNDS}|{_OBJECT}{_TO_TEXTS})\b"
    rf"|{_AT_END}{_TO_TEXTS}(?<=en|ng)(?: bitte)?\W*$)"
)
# … and these to other things, too, so that the text must be named or pointed at.
_TO_THINGS = _any(
    "correct / edit / fix / improve / polish / shorten / simplify / expand / analy[sz]e / explain / "
    "review / check /"
    " read / classify / extract / format / convert / comment / answer / reply / respond / react / "
    "evaluate / rate /"
    " interpret / quote / cite / repeat / verbesser\\w* / prüf\\w* / lies / antwort\\w* / beantwort\\w* / "
    "analysier\\w* /"
    " erklär\\w* / bewert\\w* / kommentier\\w* / schau\\w* / sieh / kürz\\w* / vereinfach\\w* / reagier\\w*"
)
BETTERS_TEXT = re.compile(rf"{_ASK}{_BETTERS}$")
WORKS_ON_THING = re.compile(rf"{_ASK}(?:{_TO_THINGS}|{_OBJECT}{_TO_THINGS})\b")
TEXT = _any(
    "typos? / grammar / wording / spelling / phrasing / rechtschreibung / grammatik / tippfehler / "
    "formulierung /"
    " e-?mails? / mails? / messages? / letters? / texts? / paragraphs? / sentences? / passages? / "
    "articles? / pages? /"
    " web ?sites? / read-?me / documents? / docs? / posts? / tweets? / threads? / chats? / conversations? / "
    "memos? /"
    " transcripts? / newsletters? / comments? / quotes? / statements? / excerpts? / snippets? / drafts? / "
    "notices? /"
    " invoices? / contracts? / tickets? / files? / pdfs? / announcements? / voice ?mails? / sms / reply / "
    "replies /"
    " answers? / lyrics / poems? / stor(?:y|ies) / speech(?:es)? / prompts? / nachricht(?:en)? / "
    "brief\\w{0,2} / absatz /"
    " absätze / satz / sätze / artikel\\w? / seiten? / dokument\\w{0,2} / beitrag / beiträge / "
    "kommentar\\w{0,2} /"
    " zitat\\w{0,2} / auszug / auszüge / entwurf / entwürfe / mitteilung(?:en)? / rechnung(?:en)? / "
    "vertrag / verträge /"
    " datei(?:en)? / protokoll\\w? / antwort(?:en)? / aushang / gedicht\\w? / geschichte"
)
_THIS = _any(
    "this / that / these / those / the following / following / attached / dies\\w{0,2} / folgend\\w{1,2} / "
    "jene\\w? /"
    " nachfolgend\\w{1,2}"
)
_POINTS = _any(
    f"{_THIS} / below / above / unten / oben / obig\\w{{1,2}} / das / davon / dazu / darauf / daran / it / es"
)
_A = _any(
    "an? / the / my / our / his / her / their / [\\w-]{1,30}['’]s / ein\\w{0,2} / mein\\w{0,2} / der / "
    "die / den / dem"
)
NAMES_TEXT = re.compile(
    r"\b(?:grammar|wording|spelling|typos?|punctuation|rechtschreibung|grammatik|tippfehler)\b|"
    rf"\b(?:{_THIS}|{_A}) (?:[\w-]{{1,30}} ){{0,2}}{TEXT}\b"
    rf"|\b(?:to |on |auf |zu )?{_POINTS}(?: (?:for me|please|bitte|mal|\w+ly|in \w+|to \w+|ins \w+"
    rf"|auf \w+))?\W*$"
)
POINTS_AT_ONE = re.compile(rf"\b{_THIS} [\w-]{{1,30}}\W*$")  # "reply to this customer"
# Of a text in the lines below: "Can you check the following", "Please review this mail".
NAMES_NEXT = re.compile(
    rf"\b{_THIS} (?:[\w-]{{1,30}} ){{0,2}}{TEXT}\b"
    r"|\b(?:the following|below|folgende[ns]?|unten)(?: \w+){0,2}\W*$"
)
ABOVE = re.compile(r"\b(?:this|that|it|above|das|dies\w{0,2}|oben|obig\w{1,2}|den text|es)\b")
MANNER = re.compile(
    r"\b(?:like (?:this|so|that)|as follows|this way|in this (?:format|style|form)|so|wie folgt"
    r"|folgendermaßen)\W*$"
)
# "What do you think of this", "Is this correct", "Was hältst du davon".
_JUDGING = _any(
    "what do(?:es)? (?=you|this|that|it) / was (?:bedeutet|heißt) / what do you / what'?s your / how (?:do"
    "|does|would) / is (?=this|that|it|the|my) / are (?=these|the) /"
    " does (?=this|that|it|the) / (?:any )?thoughts / was (?:hältst|sagst|meinst|denkst) / wie (?:findest"
    "|klingt|wirkt) /"
    " ist (?=das|dies|der|die) / klingt / stimmt / passt"
)
_ASKS = (
    r"(?:what|how|why|which|who)(?:['’]s| (?:is|are|was|do|does|did|should|would|could|can|will|happens)) "
    r"|(?:was|wie|warum|wer) (?:soll\w*|ist|sind|kann|könnte|würde\w*|sagt|sage|heißt|bedeutet|passiert) "
)
ASKS = re.compile(rf"\W*(?:and |so |und )?(?:{_ASKS})")
JUDGES = re.compile(rf"\W*(?:and |so |und )?{_JUDGING}\b[^.!?:]{{0,80}}\b(?:{_POINTS}|{TEXT})\b"
                    rf"|\W*{_JUDGING} ?(?:this|that|it|das|dies)\b[^.!?:]{{0,60}}$")  # fmt: skip
TO_BE_ANSWERED = re.compile(
    r"\b(?:respond|reply|answer|react|say|antworte\w*|reagier\w*|sage\w*)\b.{0,20}\b(?:this|that|him|her"
    r"|them)\b"
    r"|\b(?:darauf|dazu|ihm|ihr)\b.{0,20}\b(?:antworte\w*|reagier\w*|sage\w*)\b"
)
# A text, and where it comes from: "the mail from Bob", "Bob's message", "this article", "I got this".
_CAME = _any(
    "got / received / found / read / saw / copied / pasted / forwarded / sent / bekam\\w* / bekommen / "
    "erhalten /"
    " erhielt\\w* / gefunden / fand\\w* / gelesen / las / kopiert / weitergeleitet / geschickt / schickte\\w*"
)
_NOW = r"(?!(?:now|me|mine|here|there|then|today|monday|mir|jetzt|heute|sofort)\b)"
FROM_SOMEBODY = re.compile(
    rf"\b{TEXT} (?:\w+ ){{0,3}}(?:from|by|of|von|vom|aus)\b|['’]s (?:\w+ ){{0,2}}{TEXT}\W*$"
    rf"|\b{_THIS} (?:[\w-]+ ){{0,2}}{TEXT}\W*$"
    rf"|\b{_CAME} (?:\w+ ){{0,3}}(?:{_THIS}|das)\b[^.!?:]{{0,40}}$"
    rf"|\b(?:{_THIS}|das)\b[^.!?:]{{0,40}}\b{_CAME}\W*$"
    rf"|\b(?:{_THIS}|das)\b[^.!?:]{{0,40}}\b(?:from|von) {_NOW}[^.!?:]{{1,30}}$"
    rf"|^\W*(?:from|aus|laut|according to) {_NOW}[^.!?:]{{1,40}}$"
    r"|^\W*(?:in|im|auf|am|laut) [^.!?:]{1,60}\b(?:steht|stand|heißt es|hieß es|las ich|lese ich)\W*$"
    r"|^\W*(?:this|das|dies|folgendes) (?:just )?(?:came|arrived|kam|stand|steht|was in|is from"
    r"|ist von)\b[^.!?:]{0,40}$"
    r"|^\W*(?:here(?:'s| is)|this is|that is|hier(?: ist)?,?|das ist,?) (?:what|was) (?!(?:i|we|ich"
    r"|wir)\b)[^.!?:]{1,60}$"
    rf"|^\W*(?:here(?:'s| is)|this is|das ist|hier(?: ist| kommt)?) [^.!?:]{{0,40}}\b{TEXT}\W*$"
    rf"|^\W*(?:the|an?|der|die|das|eine?) (?:[\w-]+ )?{TEXT}(?: \w+ \w+)?\W*$"
    r"|^\W*(?:(?:grammar|spell\w*) check|read-?me|article|quote|quotation|excerpt|transcript|draft|artikel"
    r"|zitat)\W*$"
    r"|^\W*(?:auszug|entwurf|rechtschreibprüfung)\W*$"
)
# A text that one writes for somebody: what stands behind it is a draft.
_WRITES = _any(
    "write / draft / compose / prepare / type / send / post / schreib\\w* / verfass\\w* / entwirf / "
    "entwerf\\w* /"
    " schick\\w* / send\\w*"
)
DRAFTS = re.compile(rf"{_ASK}{_WRITES}\b[^.!?:]{{0,60}}?\b{TEXT}\b")
_STATES = _any(
    "says? / saying / states? / stating / reads? / reading / starts? / starting / begins? / beginning / "
    "ends? / ending /"
    " telling / with the (?:text|words|line|sentence|title) / titled / beginn\\w* / anfäng\\w* / fängt / "
    "steht / sagt /"
    " lautet / mit (?:dem|den) (?:text|worten|satz|titel|inhalt)"
)
STATES = re.compile(rf"\b{_STATES}\b")
_MAKES_UP = _any(
    "write / tell (?:me|us) / make up / invent / compose / continue / schreib\\w* / erzähl\\w* / "
    "erfind\\w* / dicht\\w* /"
    " verfass\\w*"
)
_FICTION = _any(
    "story / stories / (?:fairy )?tale / fable / poem / haiku / limerick / song / rap / novel / "
    "screenplay / dialogue /"
    " monologue / joke / fan ?fiction / parody / role-?play / (?:kurz)?geschichte / gedicht / märchen / "
    "fabel / lied /"
    " roman / szene / drehbuch / dialog / witz / rollenspiel / krimi / novelle"
)
FICTION = re.compile(
    r"\W*(?:let's play|role-?play\w*:|lass uns spielen)|"
    rf"{_ASK}{_MAKES_UP}\b[^.!?:]{{0,60}}?\b{_FICTION}\b|\W*(?:once upon a time|es war einmal"
    rf"|let's role-?play)\b"
)

# -- who says it ---------------------------------------------------------------------------------------------

SAYS = _any(
    "says? / said / wrote / writes / told / tells / replied / replies / answered / claims / claimed / "
    "announced /"
    " texted / posted / commented / mailed / emailed / insists / insisted / ordered /"
    " demands / demanded / sagt(?:e|en)? / schreibt / schrieb(?:en)? / geschrieben / gesagt / meint(?:e"
    "|en)? /"
    " antwortete? / erklärte? / behauptete? / verlangte? / forderte? / écrit / scritto / scrive / "
    "escribió / escribe /"
    " schreef / escreveu"
)
ATTRIBUTES = re.compile(
    rf"\b(?:{SAYS}|according to|laut|heißt es|hieß es|lautet|asks?|asked|fragte?|reads)\b"
)
_MIGHT_SAY = (
    r"(?:could|might|would|may|can|könnte\w?|würde\w?|kann)(?: \w+){0,2} (?:say|write|tell"
    r"|schreiben|sagen)"
)
SAYS_LAST = re.compile(
    rf"\b(?:{SAYS}|reads|thinks?|denkt|{_MIGHT_SAY})(?:\W+\w+){{0,6}}\W*$"
    r"|\b(?:according to|laut)\s(?:\w+\s){0,3}\w+\W*$"
)
_OWN_SAYING = _any(
    "say / tell / write / mean / meant / ask / asked / habe / hab / sage / schreibe / meine / meinte"
)
OF_ONESELF = re.compile(rf"\b(?:i|we|ich|wir)(?:['’]ve|['’]d)?(?: \w+){{0,2}} (?:{SAYS}|{_OWN_SAYING})\b")
ATTRIBUTED_AFTER = re.compile(
    rf"\W{{0,3}}(?:{SAYS}\b|(?!i\b|we\b|ich\b|wir\b)\w{{1,30}} {SAYS}\b|so (?:\w+ ){{0,2}}\w+\W*$)"
    rf"|\s?[–—] ?[^\W\d_]"
)
# What a person tells to be kept is their own, however it is introduced.
KEEPS = re.compile(
    r"\b(?:remember|memori[sz]e|(?:keep|bear) in mind|(?:don['’]t|do not) forget|note(?: to self| that| this"
    r"| down)?"
    r"|write (?:this |that |it |the following )?down|save (?:this|that|the following|to)|store this|merk\w*"
    r"|notier\w*"
    r"|beacht\w*|vergiss nicht|denk (?:dran|daran)|speicher\w*|schreib\w* (?:dir )?(?:das |dies "
    r"|folgendes )?auf)\b"
)
OWN_WORD = re.compile(r"\b(?:rules?|mottos?|preferences?|wishes|habits?|regeln?|vorlieben|wünsche)\W*$")

# -- what is only supposed -----------------------------------------------------------------------------------

_CLAUSE = r"(?:^|(?<=[.!?;:,–—-] )|(?<=\band )|(?<=\bbut )|(?<=\bund )|(?<=\baber ))\W{0,3}"
_SUPPOSE = _any(
    "if i (?:said|told|wrote|were) / wenn ich (?:sagte|schriebe|sagen würde) / "
    "(?:(?:just|let's|let us|please|now) ){0,2}(?:suppose|supposing|imagine|pretend|assume|assuming) / "
    "what if /"
    " (?:let's )?say (?:that )?(?:some|any)(?:one|body) / hypothetically / (?:mal |rein )?angenommen / "
    "hypothetisch /"
    " (?:nehmen wir|nimm) (?:(?:mal|einmal|bitte) ){0,2}an / gesetzt den fall / was (?:wäre|ist|passiert"
    "|tust du),? wenn /"
    " stell(?:e|en|t)? (?:dir|euch|sie sich|wir uns)\\b[^.!?:]{0,20}\\bvor"
)
SUPPOSES = re.compile(rf"{_CLAUSE}{_SUPPOSE}\b")
_NOT_ONESELF = r"\s(?!(?:i|you|we|ich|du|wir)\b)(?:[\w'’-]+ )"
IF_SAYS = re.compile(
    rf"\b(?:(?:if|when|whenever|in case|once|unless|falls|wenn|sobald){_NOT_ONESELF}{{1,4}}?{SAYS}"
    rf"|(?:should|sollte){_NOT_ONESELF}{{1,3}}?(?:say|tell|write|sagen|schreiben))\b"
    rf"(?=:| ?[\"“„«‘\ue000]| (?!to |about |an? |back\b)\w)"
)
EXAMPLE = re.compile(
    rf"{_CLAUSE}(?:(?:for|as an?|an|another|here(?:'s| is) an) (?:example|instance)|examples?"
    rf"|(?:an? |the )?(?:(?:sample|fake)(?: [\w-]+)?|typical (?:[\w-]+ )?(?:mail|message|line|text))(?=:)"
    rf"|test(?:ing)?(?=:)"
    rf"|eine? typische\w? [\w-]+(?=:)"
    r"|e\. ?g\.|zum beispiel|z\. ?b\.|(?:ein |als )?beispiele?|beispiel\w*(?=:)|beispielsweise)\b\.?"
    r"(?P<colon>[^.!?:\n]{0,40}:)?[\s,]*"
    r"|(?P<within>\b(?:for (?:example|instance)|e\. ?g\.|zum beispiel|z\. ?b\.|beispielsweise"
    r"|such as)[,:]?)\s+"
)
# A quotation with one of these is somebody's sentence; without, it may be a title or what a machine printed.
SPEAKS = re.compile(
    r"\b(?:i|i['’]\w+|me|my|we|our|us|you|your|please|always|never|must|should|don['’]t|ich|mich|mir|mein\w*"
    r"|wir"
    r"|uns|du|dir|dich|dein\w*|sie|ihr\w*|bitte|immer|nie|niemals|muss|musst|müssen|soll\w*)\b"
)
MACHINE = re.compile(r"\b(?:errors?|exceptions?|warnings?|logs?|fehler\w*|warnung\w*)\b")
# What a clause begins with, in contrast to a thing that is only named.
CLAUSE_OPENER = re.compile(
    r"\W*(?:always|never|please|do not|don['’]t|from now on|you (?:must|should|have to)|make sure|immer"
    r"|nie(?:mals)?|bitte|ab (?:jetzt|sofort|heute)|von nun an|künftig|du (?:musst|sollst)|sie müssen"
    r"|stets)\b"
)
# Speech itself, not what is told of it: it opens with "I", speaks to somebody, or orders.
DIRECT_SPEECH = re.compile(
    rf"\b{CLAUSE_OPENER.pattern[3:]}|^\W*(?:i|i['’]\w+|we|ich|wir)\b|\b(?:you|your|du|dein\w*)\b"
)
# "Bob says always pay": a clause in another's mouth without any mark.
SAYS_DIRECTLY = re.compile(
    rf"\b(?:{SAYS}|(?:according to|laut) [^,.:;!?]{{1,40}})[,:]? (?:that )?(?={CLAUSE_OPENER.pattern})"
)
# The forms of a sentence, each with words of which it holds one: a look for those spares nearly every line
# the pattern, which is tried at each letter.
_SAYING = (
    *("say", "said", "wrote", "write", "told", "tell", "repli", "answer", "claim", "announce", "texted"),
    *(
        "posted",
        "comment",
        "mailed",
        "insist",
        "order",
        "demand",
        "sagt",
        "sagen",
        "schr",
        "meint",
        "antwort",
    ),
    *("erklär", "behaupt", "verlang", "forder", "crit", "scrive", "escri", "escrev"),
)
OF_A_SENTENCE = (
    (
        SUPPOSES,
        (
            *("if i ", "wenn ich", "suppos", "imagine", "pretend", "assum", "what if", "say ", "hypothe"),
            *("angenommen", "nehmen wir", "nimm", "gesetzt", "was ", "stell"),
        ),
    ),
    (IF_SAYS, _SAYING),
    (
        EXAMPLE,
        (
            *("example", "instance", "sample", "fake", "typical", "test", "typische", "e.g", "e. g"),
            *("beispiel", "z.b", "z. b", "such as"),
        ),
    ),
    (SAYS_DIRECTLY, (*_SAYING, "according to", "laut")),
)
OF_ONES_OWN = re.compile(r"\W*(?:i|i['’]m|i['’]ve|my|we|our|ich|mein\w*|wir|unser\w*)\b")
OF_MINE = re.compile(r"\b(?:my|our|meine?\w?|unsere?\w?) (?!\S+['’]s\b)\w")
