"""What people tell of themselves that holds for long: health, diet, home, family, work, habits, names.

A small grammar as tables: who (oneself, one's kin), a verb of being, having or doing, and a class of what
may follow it. "I'm diabetic" and "I live in Porto" hold; "I'm tired" and "I live for this" do not, because
what follows is of no class. Where a class is open, the form of its words stands for it (-ist, -itis,
-pril), with what else has that form left out. English, and no more than a grammar: what is said in another
way is not noted by it, and a jest that keeps a straight face is. No entry names what one conversation is
about.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from scrimshaw.core.language.patterns import Phrases
from scrimshaw.core.text.entities import MONTH

_CLASSES = {
    # Who.
    "RELATION": r"(?:wife|husband|partner|spouse|fianc[eé]e?|girlfriend|boyfriend|sons?|daughters?|kids?|"
    r"children|"
    r"bab(?:y|ies)|twins|mom|mum|mother|dad|father|parents|sisters?|brothers?|siblings?|family|grand(?:ma|pa|"
    r"mother|father|son|daughter|parents|kids?|children)|aunt|uncle|cousins?|niece|nephew|in-laws|"
    r"(?:mother|father|brother|sister)-in-law|step(?:son|daughter|mother|father)|PET)",
    "PET": r"(?:dogs?|cats?|pupp(?:y|ies)|kittens?|pets?|rabbits?|horses?|parrots?|hamsters?|guinea pigs?|"
    r"tortoises?|chickens|goats?)",
    "KIN": r"(?:my|our) (?:[\w-]+ )?RELATION(?: [\w-]+)?",
    "SELF": r"(?:i|we|my [\w-]+(?: [\w-]+)? and i|both of us)",
    "ANYONE": r"(?:SELF|KIN)(?:['’]ve| have| has)?(?: HOW| no longer)*",
    "BE": r"(?:i am|i['’]?m|we are|we['’]re|my [\w-]+(?: [\w-]+)? and i are|KIN(?:['’]s| is| are))"
    r"(?: not| no longer| HOW)*",
    "HAVE": r"(?:(?:i|we) have|(?:i|we)['’]ve(?: got)?|i got|KIN (?:has|have)(?: got)?|"
    r"(?:i|we) do(?:n['’]t| not) (?:have|own)|(?:i|we) own)(?: HOW)*",
    "CANNOT": r"(?:can['’]?t|cannot|can not|don['’]?t|doesn['’]?t|do not|does not|mustn['’]?t|must not|never|"
    r"no longer|(?:['’]m|am|is|are) not (?:allowed|supposed) to)",
    "HOW": r"(?:also|very|highly|severely|mildly|slightly|extremely|deathly|both|all|actually|currently|now|"
    r"mostly|strictly|still|already|partly|partially|legally|basically|usually|always|normally|generally|"
    r"typically|only|just|originally|born|half|mainly|a bit|ever since)",
    # Where a clause ends, or goes on without another noun.
    "END": r"(?=[,.;:!?)]|$| (?:and|but|so|or|since|because|from|too|who|which|for \d|now|any ?more)\b)",
    "POINTED": r"(?:this|that|these|those|it|the|here|there|my|your|our|his|her|their|right|now|yet|until|"
    r"and|or|any|anything|another|more|a|an|at|for|with|when|if|how|what|to|in|on|all|much|both|"
    r"fast|well|properly|straight|enough)\b",
    "SOME": r"(?:an?|one|two|three|four|five|six|seven|\d{1,2}|several|no|our|my own|both)",
    "NUMBER": r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|"
    r"sixteen|seventeen|eighteen|nineteen|twenty|[1-9]\d?)",
    # Health.
    "ILLNESS": r"(?:asthma|diabetes|epilepsy|dementia|hypertension|migraines?|cancer|c(?:o)?eliac|adhd|"
    r"autism|eczema|gout|parkinson['’]?s|alzheimer['’]?s|crohn['’]?s|(?!impost[eo]r)[a-z]+ "
    r"(?:disease|syndrome|disorder)|"
    r"(?:heart|kidney|liver|thyroid|skin|medical|lung|chronic) (?:conditions?|problems?|pain)|"
    r"(?:high|low) (?:blood pressure|blood sugar|cholesterol)|sleep apn(?:o)?ea|"
    r"[a-z]{3,}(?:itis|algia|lepsy|[an]emia|lexia|thyroidism)|(?!diagn|progn)[a-z]{3,}osis)",
    "CONDITION": r"(?:diabetic|asthmatic|epileptic|autistic|dyslexic|deaf|blind|colou?r[- ]?blind|"
    r"hard of hearing|"
    r"pregnant|c(?:o)?eliac|ha?emophiliac|ana?emic|immuno(?:compromised|suppressed)|disabled|paraplegic|"
    r"hiv[- ]positive|(?:gluten|dairy|nut|sugar)[- ]free)",
    # Medicines, by the stems that the names of their kinds share.
    "MEDICINE": r"(?:\d+(?:[.,]\d+)? ?(?:mg|mcg|µg|ug|ml|iu|units|drops|puffs|tablets?|pills?|capsules?)|"
    r"[a-z]*(?:pril|sartan|statin|olol|formin|cillin|mycin|oxetine|azole|azepam|azolam|"
    r"thyroxine|profen|parin|farin|gliptin|cycline)|insulin|antidepressants|antihistamines|"
    r"blood[- ]thinners?|steroids|statins|medication|medicine|meds)",
    "DIETER": r"(?:vegetarian|vegan|pescatarian|pescetarian|flexitarian|fruitarian|kosher|halal|"
    r"teetotal(?:l?er)?)",
    # Home and origin.
    "LIVE": r"(?:ANYONE (?:do(?:es)?(?:n['’]?t| not) )?(?:lives?|been living|(?<=ve |as |ys )lived)|"
    r"BE (?:living|based))",
    "HOUSE": r"(?:house|flat|apartment|studio|village|town|city|farm(?:house)?|cottage|cabin|condo|dorm|"
    r"houseboat|"
    r"boat|van|suburb|building|neighbou?rhood|bungalow|loft|duplex|area|commune|street)",
    "LAND": r"the (?:[\w-]+ ){0,2}(?:country(?:side)?|city|suburbs?|cent(?:re|er)|town|village|mountains|"
    r"north|"
    r"south|east|west|us|usa|uk|states|netherlands|philippines|area|region|coast|outskirts|republic|"
    r"district|quarter|county|islands?)",
    "NOWHERE": r"(?:this|that|these|those|it|there|here|my|your|an?|the|what|which|one|two|three|such|front|"
    r"general|fear|hope|peace|harmony|luxury|denial|dread|doubt|pain|chaos|poverty|exile|"
    r"(?:[a-z]+ )?times|different|separate|parallel|production|code|vim|emacs|tmux|slack|git|"
    r"jira|excel|spreadsheets|meetings)\b",
    "PLACE": r"(?:(?:an?|our own|our|my) (?:[\w-]+ ){0,3}?HOUSE|LAND|(?!NOWHERE)[\w'’-]+)",
    # Work.
    "JOB": r"(?:(?!(?:user|believer|player|loser|newcomer|member|customer|caller|sucker|stickler|disaster|"
    r"monster|"
    r"blocker|minor|number|matter|quarter|winner|never|over|after|other|another|later|better|slower|"
    r"faster|closer|further|order|error|mirror|cursor|observer|lover|hater|supporter|follower|poor|"
    r"major|factor|goner|beginner|helper|sender|reader|cancer|burner|tester for)\b)"
    r"[a-z]{2,}(?:er|or|ist|ian|eer)|nurse|chef|cook|vet|pilot|student|architect|judge|accountant|"
    r"consultant|assistant|civil servant|dad|mum|mom|parent|widow|guide|apprentice|intern|clerk|"
    r"priest|coach|barista|analyst|agent|ceo|cto|(?:morning|cat|dog) person|night owl|early bird)",
    "NOT_MUCH": r"(?:bit|little|lot|step|tad|touch|big|huge|strong|firm|such|fair|total|complete|bad|"
    r"terrible|slow|few|couple|minute|second|quick|happy)\b",
    "BUSINESS": r"(?:business|company|bakery|shop|store|restaurant|caf[eé]|farm|agency|practice|bar|hotel|"
    r"school|"
    r"clinic|start-?up|firm|salon|garage|workshop|brewery|vineyard|blog|podcast|newsletter|studio|"
    r"bookshop|bookstore|nursery|charity|non-?profit)",
    "FIELD": r"(?:finance|marketing|sales|healthcare|education|teaching|it|tech|hr|logistics|construction|"
    r"research|"
    r"retail|hospitality|advertising|law|insurance|publishing|banking|nursing|engineering|"
    r"human resources|customer service)",
    "WORK": r"(?:ANYONE (?:do(?:es)?(?:n['’]?t| not) )?(?:works?|been working|(?<=ve |as |ys )worked)|"
    r"BE (?:working|employed))(?: (?:part[- ]time|full[- ]time|freelance|remotely))?",
    "NOBODY": r"(?:me|it|this|that|these|those|you|him|them|now|hours|days|weeks|free|least|once|all|"
    r"first|last|"
    r"home|random|scale|the (?:moment|time|terminal|office|station|user|latest)|a (?:while|bit|few|"
    r"moment))\b",
    # Habits.
    "HABIT": r"(?:get up|wake up|go|leave|start work|finish work|eat|have (?:breakfast|lunch|dinner)|swim|"
    r"run|train|"
    r"jog|walk|cycle|commute|play|practi[cs]e|meditate|work out|exercise|cook|drive|take|pick up|"
    r"volunteer|sing|fast|pray)",
    "DAYS": r"(?:every (?!time|once|now|single time|few)|each (?!time|of)|on (?:mon|tues|wednes|thurs|fri|"
    r"satur|"
    r"sun|week)[a-z]*s\b|on (?:mon|tues|wednes|thurs|fri|satur|sun)day (?:mornings|afternoons|evenings|"
    r"nights)|in the (?:mornings|evenings)|twice a|once a|(?:three|four|five|\d) times a)",
    "LANGUAGE": r"(?:[a-z]{2,}(?:nese|mese|guese|[dglmnt]ish|[lnrs]ian|rean)|irish|turkish|german|french|"
    r"dutch|"
    r"arabic|hindi|urdu|tamil|telugu|bengali|punjabi|greek|czech|slovak|thai|hebrew|farsi|welsh|basque|"
    r"catalan|mandarin|cantonese|icelandic|afrikaans|swahili|zulu|yoruba|igbo|malay|tagalog|esperanto)",
    "SPEAK": r"(?:ANYONE speaks?|BE (?:learning|fluent in))",
    "OWNED": r"(?:kids?|children|sons?|daughters?|brothers?|sisters?|siblings?|twins|grand(?:sons?|"
    r"daughters?|"
    r"children|kids?)|PET|cars?|house|flat|garden|allotment|motor(?:bike|cycle)|bicycle|"
    r"boat|cabin|cottage|apartment|wife|husband|boyfriend|girlfriend|driving licen[cs]e|mortgage)",
    # One word at the start of a clause, a name as often as not: "Theo is allergic to nuts".
    "SOMEBODY": r"(?!(?:it|this|that|he|she|they|who|what|one|you|[a-z]+body|[a-z]+one)\b)[a-z]+",
    "MONTH": MONTH,
    # What the same word names in a program.
    "IN_CODE": r"(?! (?:nodes?|elements?|process(?:es)?|components?|files?|tables?|props?|class(?:es)?|"
    r"commands?|functions?|rows?|modules?|waiting|pictures?|videos?|memes?|appointments?))",
}

_CLASS = re.compile(r"\b[A-Z_]{2,}\b")
_CLAUSE_START = (
    r"(?:^|[,;:.!?…–—(-] |\b(?:and|but|so|because|since|that|also|plus|though|although|while|hi|hello|hey|"
    r"fyi|"
    r"btw|well|as|yes|no|remember|note|actually|originally|anyway) )"
)
# What follows and takes it all back; not looked for without end.
_IN_JEST = r"(?!.{0,200}\b(?:kidding|joking|lol|lmao|haha+|jk|figuratively|metaphorically)\b)"
_PASSING = (
    r"(?![^.,;!?]{0,60}\b(?:right now|at the moment|for (?:now|the moment|a day)|today|tonight|tomorrow|"
    r"yesterday|these days|again|yet|this (?:morning|afternoon|evening|week|weekend|time)|in (?:a|ten|\d+) "
    r"(?:minutes?|hours?))\b)"
)


def _grammar(table: str, unless: str = "") -> Phrases:
    """Return the statements of *table*, a line each (one may go on after "|"), its classes written out."""
    lines = [line.strip() for line in re.sub(r"\|\n\s*", "|", table).split("\n") if line.strip()]
    told: dict[str, list[str]] = {}
    for line in lines:
        who, _, what = line.partition(" ")
        # Who is written out once for all that is said of them: a pattern takes long to read.
        told.setdefault(who if who in _CLASSES else "", []).append(what if who in _CLASSES else line)
    pattern = "|".join(f"{who} (?:{'|'.join(what)})" if who else "|".join(what) for who, what in told.items())
    while _CLASS.search(pattern):
        pattern = _CLASS.sub(lambda name: _CLASSES[name.group()], pattern)
    return Phrases(rf"{_CLAUSE_START}(?:{pattern})\b{unless}")


# What a person may come to harm by when it is forgotten.
VITAL = _grammar(
    r"""
    BE allergic(?: to (?!POINTED)[\w-]+|END)
    BE (?:[a-z]+[ -])?intolerant
    SOMEBODY is (?:[a-z]+ly )?(?:allergic to (?!POINTED)[\w-]+|[a-z]+ intolerant)
    HAVE (?:an? )?(?:(?!NOT_MUCH)[\w-]+ ){0,3}(?:allerg(?:y|ies)|intolerances?)
    HAVE (?:an? )?(?:[\w-]+ ){0,2}ILLNESS
    ANYONE suffers? from (?:[\w-]+ ){0,2}ILLNESS
    ANYONE (?:was |were |been |got )diagnosed with (?!POINTED)[\w-]+
    BE (?:an? )?(?:type (?:1|2|one|two) )?CONDITION(?=END)
    ANYONE takes? (?!POINTED)(?:[\w-]+ ){0,2}?MEDICINE
    BE (?:on|taking) (?:[\w-]+ ){0,2}?MEDICINE
    ANYONE (?:uses?|needs?|has|have) (?:an? |my )?(?:wheelchair|inhaler|pacemaker|epipen|stoma|insulin pump)
    ANYONE wears? (?:an? |my )?hearing aids?
    BE in a wheelchair
    ANYONE CANNOT have (?:gluten|lactose|dairy|milk|eggs?|nuts|peanuts|soy|wheat|sugar|salt|alcohol|caffeine)
    ANYONE CANNOT (?:eat|drink|digest) (?!POINTED)[a-z]+
    """,
    _IN_JEST,
)

# What else of a life holds for long.
LASTING = _grammar(
    r"""
    BE (?:an? )?(?:[a-z]+ly )?DIETER(?=END)
    (?:i|we)(?:['’]ve| have) been (?:an? )?DIETER(?: for| since|END)
    as (?:an? )?(?:[a-z]+ly )?(?:DIETER|CONDITION)(?=END)
    ANYONE (?:eats?|keeps?) (?:only )?(?:kosher|halal|vegan|vegetarian)
    ANYONE CANNOT (?:drink|smoke|drive)END
    LIVE (?:in|near|outside|close to|around|out of) PLACE
    LIVE on (?:an?|the) (?:[\w-]+ ){0,2}(?:floor|farm|island|coast|campus|boat)
    LIVE (?:alone|on my own|together)END
    LIVE with (?:us|(?:an?|my|our|his|her|SOME) (?:[\w-]+ )?(?:RELATION|(?:flat|room|house) ?mates?))
    BE from (?!NOWHERE|home|work|support|now)(?:LAND|[\w'’-]+)
    ANYONE (?:comes?|came) (?:originally )?from (?!NOWHERE|home|work)[\w'’-]+(?: originally|END)
    ANYONE (?:grew up|(?:was|were) (?:born|raised)) (?:and raised )?(?:in|near|on an?) (?!the wrong)[\w'’-]+
    BE (?:[1-9]\d|NUMBER years? old|NUMBER months? old|(?:an? )?\d+-year-old)END
    KIN (?:is|are|just turned|turned|turns) NUMBER(?: and NUMBER)?END
    HAVE SOME (?:[\w-]+ ){0,2}OWNED(?=END| with| that| in| at| called| named| aged| \()IN_CODE
    BE (?:married(?! to POINTED)|divorced|widowed|engaged to (?!POINTED)[a-z]+|single)END
    BE married to (?!POINTED)[\w-]+
    BE (?:called|named) [\w-]+
    KIN['’]s name is [\w-]+
    WORK as (?:an?|the|head|chief|lead) (?:[\w-]+)
    WORK as (?!NOBODY|intended|expected|well|far|soon|usual|before|fast)[a-z]+
    WORK (?:at|for) (?!NOBODY|POINTED)[\w'’&-]+
    WORK (?:at|for|in) (?:an?|the) (?:[\w-]+ ){0,2}?(?:BUSINESS|hospital|
        university|bank|library|office|factory|warehouse|museum|lab|government|city|council|police|kitchen|
            ministry)
    WORK in FIELD(?=END)
    WORK (?:(?:the )?(?:night|day|early|late|rotating)[ -]?(?:shifts?)|nights|shifts|weekends)
    WORK (?:from home|remotely|part[- ]time|full[- ]time)
    BE (?:an?|the) (?!NOT_MUCH)(?:(?!NOT_MUCH)[\w-]+ ){0,2}?JOB(?=END| (?:at|in|by|with|of|working|based|on|
        living)\b)
    BE (?:retired|unemployed|self-employed|left-handed|right-handed|ambidextrous)END
    BE on (?:parental|maternity|paternity|sick) leave
    ANYONE teach(?:es)? (?!POINTED|myself)[a-z]+
    ANYONE stud(?:y|ies) (?!POINTED)[a-z]+(?: [a-z]+)? at
    BE (?:studying [a-z]+ at|training to (?:be|become)|doing an? (?:phd|master))
    ANYONE (?:runs?|owns?|manages?) (?:an?|my own|our own|the) (?:[\w-]+ ){0,3}?BUSINESS
    SPEAK (?:[a-z]+ )?(?:[a-z]+,? and )?LANGUAGE
    my (?:native|first|second|mother) (?:language|tongue) is
    ANYONE (?:get up|wake up|go to (?:bed|sleep)|start work|finish work|have (?:breakfast|lunch|
        dinner)) (?:at|before|after|around|by|between) (?:NUMBER|half|noon|midnight|\d)
    ANYONE HABIT(?: [\w'’-]+){0,5}? DAYS
    (?:everyone|everybody|people|(?:my )?friends|they(?: all)?) calls? me
    (?:please |just |you can )*call me (?!back|when|if|at|on|in|by|for|later|tomorrow|today|tonight|now|an?|
        the|crazy|old|paranoid|lazy|stupid|naive|before|after|once|out|up)\w+
    my name(?: is|['’]s) (?!not|in|on|the)[\w-]+
    ANYONE goe?s? by (?!POINTED|feel|memory)[\w-]+END
    my pronouns are
    (?:my|our) (?:[\w'’-]+ ){0,3}(?:birthday|anniversary|name day)(?: is|['’]s)(?: on| the| every)* (?:MONTH|
        \d{1,2})
    ANYONE drives? (?:an?|my) (?:[\w-]+)
    ANYONE wears? (?:glasses|contact lenses|contacts)
    ANYONE rents? (?:an? |the )(?:[\w-]+ ){0,2}?HOUSE
    BE (?:an? )?(?:muslim|jewish|hindu|christian|catholic|protestant|orthodox|buddhist|sikh|jain|atheist)END
    ANYONE owns? SOME (?!POINTED|bug|issue|ticket|task|problem|mistake|code)(?:[\w-]+)
    """,
    _IN_JEST + _PASSING,
)


# Where to somebody moved: with a name only, for one moves on to the next test, too.
MOVED_TO = _grammar(
    r"""
    ANYONE (?:just |recently )*moved (?:back |here )?to (?!NOWHERE|another|next|MONTH|[a-z]+day\b|
        [\w'’-]+ v?\d)[\w'’-]+
    """,
    _IN_JEST,
)


def is_told(text: str) -> bool:
    """Tell whether *text* says of a person what holds for long."""
    return bool(VITAL.search(text) or LASTING.search(text))


# Where somebody lives, and whom somebody works for: of each there is one at a time.
_WHO = r"(?P<who>KIN|SELF|i['’]?m|i am|we['’]re|we are)(?:['’]ve| have| has| been| HOW)*"
_SEATS = (
    _grammar(rf"{_WHO} (?:lived?|lives|living|based) in (?P<object>(?!NOWHERE)[\w'’-]+)"),
    _grammar(rf"{_WHO} (?:works?|worked|working) (?:at|for) (?P<object>(?!NOBODY|POINTED)[\w'’-]+)"),
)
_MOVED_FROM = Phrases(r"\bmoved (?:[a-z]+ )?from (?P<old>[\w'’-]+) to (?!next|the next)[\w'’-]+")
_SAYS_NOW = Phrases(r"\bnow\b")


class _Seat(NamedTuple):
    who: str
    object: str


def has_new_seat(now: str, before: str) -> bool:
    """Tell whether *now* says that somebody lives or works elsewhere than *before* has it."""
    lived, *_ = olds = [_seat(pattern, before) for pattern in _SEATS]
    moved = _MOVED_FROM.search(now)
    if moved and lived and moved.group("old") == lived.object:
        return True
    if not _SAYS_NOW.search(now):
        return False
    news = [_seat(pattern, now) for pattern in _SEATS]
    return any(
        new and old and new.who == old.who and new.object != old.object
        for new, old in zip(news, olds, strict=True)
    )


def _seat(pattern: Phrases, text: str) -> _Seat | None:
    found = pattern.search(text)
    if found is None:
        return None
    who = found.group("who")
    is_kin = who.startswith(("my ", "our ")) and not who.endswith(" i")
    return _Seat(who if is_kin else "i", found.group("object"))
