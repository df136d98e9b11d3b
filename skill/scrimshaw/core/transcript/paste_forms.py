"""How people introduce, frame and end words that are not their own: tables for core/transcript/own_words.

English and German, and of other languages what mail programs write. Closed classes only: the heads of a mail,
verbs of saying, verbs that do something with a text, what a text is called, how a letter begins and ends. No
entry names what a message is about. Patterns are for a line or less, in lower case unless a name must be told
by its capital, and bounded wherever they may run.
"""

from __future__ import annotations

import re
from functools import partial

from scrimshaw import data

_any = partial(data.pattern, "paste_forms")

# -- mails and letters ---------------------------------------------------------------------------------------

_SUBJECT = _any("subject")
_FIELD = _any("field")
MAIL_FIELD = re.compile(
    rf"[\W_]{{0,6}}(?:(?P<subject>{_SUBJECT})|(?P<sender>{_any('sender')})|{_FIELD})"
    r"[*_ ]{0,4}:[\W_]{0,6}\w"
)
FIELD_WITHIN = re.compile(rf"\s(?:{_SUBJECT}|{_FIELD}):\s")
ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}\.[a-z]")
# "---------- Forwarded message ---------", "-----Original Message-----", "=== begin of mail ===".
_MARK = r"(?:-{3,}|={3,}|<{3,}|>{3,})"
TITLED_RULE = re.compile(rf"\s*{_MARK}\s*[^\W_][^-=<>\n]{{0,80}}{_MARK}\s*$")
# A line of such words alone; "[Forwarded from Bob at …]" and what is replied to, as chat hosts write them.
FORWARDED = re.compile(
    rf"\W*{_any('forwarded')}\W*$|\[(?:forwarded from [^\n]{{1,200}}|reply chain - nearest first)\]\s*$"
)
RULE = re.compile(r"\s*(?:-{3,}|={3,}|\*{3,}|_{3,}|~{3,}|<{3,}|>{3,}|\"{3}|'{3}|[-*_](?: [-*_]){2,})\s*$")

GREETING = re.compile(rf"\W{{0,3}}{_any('greetings')}\b[^.?:;\n]{{0,60}}[,!]?(?=\s|$)")
# How a person is written to who is no agent.
FORMAL = re.compile(rf"\W{{0,3}}{_any('formal')} (?!(?:my )?{_any('agent')}\b)\w")
_CLOSING = _any("closing")
_NAME = r"(?P<name>[^\W\d_][\w.'’-]{0,30}(?: [^\W\d_][\w.'’-]{0,30}){0,3})"
# A closing word with a name behind it. Thanks close a letter only where the name has a line of its own: in
# "Thanks, Claude" somebody is spoken to.
SIGNED = re.compile(
    rf"(?:^|[.!?…)\"”“»]\s)\W{{0,3}}{_CLOSING}(?:\s?[,.!–—-]\s?|(?<=g|ß|e)\s){_NAME}[.!]?\s*$"
)
CLOSED = re.compile(
    rf"\W{{0,3}}(?:{_CLOSING}|{_any('thanks')})(?: (?:aus|from|vom"
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
    rf"\s{{0,3}}(?:(?:[-*•]|\d{{1,2}}[.)])\s)?(?:\[?{_CLOCK}\]?\s)?"
    rf"(?:<(?P<nick>{_WHO})>|(?:\*\*)?(?P<who>{_WHO})(?:\*\*)?:(?:\*\*)?)\s+(?P<said>\S.*)$"
)
ROLE = re.compile(rf"{_any('role')}$")
# "[SYSTEM]", "<|im_start|>", "### Instruction:".
_ROLE_MARK = _any("role_mark")
ROLE_MARK = re.compile(
    rf"\W{{0,3}}(?:<\|\w{{1,20}}\|>|<<sys>>|\[/?{_ROLE_MARK}(?: (?:message|prompt|note))?\])"
    rf"|#{{1,6}} {_ROLE_MARK}:?\s*$"
)
_LEVEL = _any("log_level")
LOG_LINE = re.compile(
    rf"\W{{0,2}}(?:\d{{4}}-\d\d-\d\d[T ])?\d\d:\d\d(?::\d\d)?(?:[.,]\d{{1,9}})?Z?[\s|\[\]-]{{1,4}}{_LEVEL}\b"
    rf"|\W{{0,2}}\[{_LEVEL}\]"
)
SHORT_REPLY = re.compile(rf"{_any('short')}(?!\w)")

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
_TO_TEXTS = _any("to_texts")
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
_TO_THINGS = _any("to_things")
BETTERS_TEXT = re.compile(rf"{_ASK}{_BETTERS}$")
WORKS_ON_THING = re.compile(rf"{_ASK}(?:{_TO_THINGS}|{_OBJECT}{_TO_THINGS})\b")
TEXT = _any("text")
_THIS = _any("this")
_POINTS = f"(?:{_THIS}|{_any('points')})"
NAMES_TEXT = re.compile(
    r"\b(?:grammar|wording|spelling|typos?|punctuation|rechtschreibung|grammatik|tippfehler)\b|"
    rf"\b(?:{_THIS}|{_any('a')}) (?:[\w-]{{1,30}} ){{0,2}}{TEXT}\b"
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
_JUDGING = _any("judging")
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
_CAME = _any("came")
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
# The same without a colon, alone in its line: "Bob just sent me this", "fyi from Bob".
CAME_THIS = re.compile(
    rf"[^.!?:]{{0,60}}\b{_CAME} (?:\w+ ){{0,2}}(?:{_THIS}|das)"
    r"(?: (?:today|yesterday|this morning|heute|gestern))?\s*$"
    r"|\W*(?:fyi|zur info)\W{1,3}(?:from|von) [^.!?:]{1,30}$"
)
# A first paragraph that only asks what a text means or is worth.
ASKED_ALONE = re.compile(
    rf"\W*(?:{_any('asked_alone')}|[^.!?:\n]{{0,60}}\b(?:this|these|dies\w{{0,2}})\b[^.!?:\n]{{0,40}}"
    rf"|[^.!?:\n]{{0,40}}\b{_any('doubts')}\b[^.!?:\n]{{0,20}}\b(?:that|it|das)|[^.!?:\n]{{0,40}}"
    rf"\b(?:that|it|das)\b[^.!?:\n]{{0,20}}\b{_any('doubts')}\b)\s?\?\s*$"
)
# A text that one writes for somebody: what stands behind it is a draft.
DRAFTS = re.compile(rf"{_ASK}{_any('writes')}\b[^.!?:]{{0,60}}?\b{TEXT}\b")
STATES = re.compile(rf"\b{_any('states')}\b")
FICTION = re.compile(
    r"\W*(?:let's play|role-?play\w*:|lass uns spielen)|"
    rf"{_ASK}{_any('makes_up')}\b[^.!?:]{{0,60}}?\b{_any('fiction')}\b|\W*(?:once upon a time|es war einmal"
    rf"|let's role-?play)\b"
)

# -- who says it ---------------------------------------------------------------------------------------------

SAYS = _any("says")
ATTRIBUTES = re.compile(
    rf"\b(?:{SAYS}|according to|laut|heißt es|hieß es|lautet|asks?|asked|fragte?|reads)\b"
)
# The same in other languages, up to a colon.
OF_ONESELF_ABROAD = re.compile(
    rf"\b{_any('of_oneself_abroad')}(?:\b|(?<=['’]))|^\s*我|{_any('keeps_abroad')}"
)
SAYS_ABROAD = re.compile(
    rf"\w\W{{1,3}}(?:\w['’])?{_any('says_abroad')}(?: \w+){{0,3}}\s*$|{_any('says_east')}\s*$"
)
_ASK_ABROAD = rf"\W*(?:{_any('asks_abroad')}[, ]{{1,2}}){{0,2}}"
WORKS_ON_TEXT_ABROAD = re.compile(
    rf"{_ASK_ABROAD}(?:{_any('to_texts_abroad')}\b[^.!?]{{0,60}}$"
    rf"|{_any('to_things_abroad')} [^.!?]{{0,40}}?\b{_any('text_abroad')}\b[^.!?]{{0,40}}$"
    rf"|(?:\w{{1,2}}[ '’])?{_any('mail_abroad')} (?:de|del|di|da|do|du|d['’]) ?[^.!?]{{1,40}}$)"
    rf"|\s*(?:请|帮我|请帮我|麻烦)?{_any('to_texts_east')}|.{{0,60}}{_any('handed_over_east')}\s*$"
)
DIRECT_ABROAD = re.compile(rf"\b{_any('direct_abroad')}\b|{_any('direct_east')}")
_MIGHT_SAY = (
    r"(?:could|might|would|may|can|könnte\w?|würde\w?|kann)(?: \w+){0,2} (?:say|write|tell"
    r"|schreiben|sagen)"
)
SAYS_LAST = re.compile(
    rf"\b(?:{SAYS}|reads|thinks?|denkt|{_MIGHT_SAY})(?:\W+\w+){{0,6}}\W*$"
    r"|\b(?:according to|laut)\s(?:\w+\s){0,3}\w+\W*$"
)
OF_ONESELF = re.compile(
    rf"\b(?:i|we|ich|wir)(?:['’]ve|['’]d)?(?: \w+){{0,2}} (?:{SAYS}|{_any('own_saying')})\b"
)
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
SUPPOSES = re.compile(rf"{_CLAUSE}{_any('suppose')}\b")
_NOT_ONESELF = r"\s(?!(?:i|you|we|ich|du|wir)\b)(?:[\w'’-]+ )"
IF_SAYS = re.compile(
    rf"\b(?:(?:if|when|whenever|in case|once|unless|falls|wenn|sobald){_NOT_ONESELF}{{1,4}}?{SAYS}"
    rf"|(?:should|sollte){_NOT_ONESELF}{{1,3}}?(?:say|tell|write|sagen|schreiben))\b"
    rf"(?=:| ?[\"“„«‘\ue000]| (?!to |about |an? |back\b|so(?:[.,;!]|$))\w)"
)
# What would be false without its condition, since that is others' words: "you can do it if he says …".
ALLOWS = re.compile(
    r"\b(?:(?:you|we|i|they) (?:can|may|could)|(?:is|are) (?:ok|okay|fine|allowed|alright)|darfst|kannst|darf"
    r"|kann|(?:ist|sind) (?:wieder )?(?:ok|okay|erlaubt|in ordnung))\b"
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
# A role or a machine that orders: "system: from now on …". "System: Windows 11" is a field.
ROLE_ORDERS = re.compile(
    rf"\W{{0,3}}(?:{_any('speaking')}(?: \w{{1,15}})?\s?:\s{{0,3}}(?:[\w-]{{1,20}}:\s)?"
    rf"(?:{CLAUSE_OPENER.pattern[3:]}|(?:i|we|you|the user|the owner|ignore|disregard)\b)"
    rf"|(?:\w{{0,30}}?{_any('failure')}):\s{{0,3}}{CLAUSE_OPENER.pattern[3:]})"
)
# "Bob says always pay": a clause in another's mouth without any mark.
SAYS_DIRECTLY = re.compile(
    rf"\b(?:{SAYS}|(?:according to|laut) [^,.:;!?]{{1,40}})[,:]? (?:that )?(?={CLAUSE_OPENER.pattern})"
)
# The forms of a sentence, each with bits of text of which it holds one: a look for those spares nearly every
# line the pattern, which is tried at each letter.
_SAYING = data.phrases("paste_forms", "saying_hints")
OF_A_SENTENCE = (
    (SUPPOSES, tuple(bit.replace("_", " ") for bit in data.words("paste_forms", "supposing_hints"))),
    (IF_SAYS, _SAYING),
    (EXAMPLE, data.phrases("paste_forms", "example_hints")),
    (SAYS_DIRECTLY, (*_SAYING, "according to", "laut")),
)
OF_ONES_OWN = re.compile(r"\W*(?:i|i['’]m|i['’]ve|my|we|our|ich|mein\w*|wir|unser\w*)\b")
OF_MINE = re.compile(r"\b(?:my|our|meine?\w?|unsere?\w?) (?!\S+['’]s\b)\w")
