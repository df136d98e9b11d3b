"""How people decide, prefer, plan, report, change and take back: cue words as tables.

With fillers, anchors and reports everything the rules know of language. No entry names what a
conversation is about. English; a statement in another language is weighed by what it holds.
"""

from __future__ import annotations

from typing import NamedTuple

from scrimshaw.core.extraction.personal_facts import LASTING, MOVED_TO, VITAL
from scrimshaw.core.language.patterns import Phrases, phrases
from scrimshaw.core.text.entities import MONTH
from scrimshaw.core.types import Kind


class Cue(NamedTuple):
    """A way of saying something: what kind of statement it makes, and how strongly."""

    kind: Kind
    weight: float
    pattern: Phrases


# What somebody says they will do, and names nothing to do by: "I'll keep going", "we'll see", "I must say".
_IDLE = (
    r"(?:keep|see|try|do (?!the|my (?!best)|our)|let|get (?!the|my|our|an? )|be (?!in|at|on|away|back|out|"
    r"there|"
    r"offline|off|\w+ing)|have (?!to|the|my|our|an? (?!blast|great|good|ball|wonderful|lot|feeling))|"
    r"love|never|always|miss|remember|forget|cherish|know|"
    r"think|"
    r"say|admit|warn|look|stick|continue|need|want|find|make (?:it|sure|some|this|you|my dreams)|give (?:it|"
    r"up)|agree|"
    r"bet|like|enjoy|feel|believe|trust|hope|reach (?:my|our|out)|go (?:for|on|through)|figure|support|stay|"
    r"tell (?:you|ya)|share (?:it|them)|(?:take|check|read|watch|use|pass) (?:it|that|them|this|those)|"
    r"not|start (?:by|with))"
)
_ADVERB = "(?:also|just|then|definitely|certainly|probably|surely|gladly|still|actually|now|for sure)"
_WILL = (
    r"(?:(?:i|we)(?:'ll| will| must| have to|'ve got to| need to| am going to| are going to)|(?:i'm|we're) "
    r"(?:going to|gonna|planning (?:to|on)|aiming to)|(?:^|[,.;] )(?:gonna|planning to|going to)|"
    r"ill(?= (?:ask|bring|call|go|"
    r"send|tell)))"
)

# The kind whose cues weigh most wins; earlier entries win ties.
KIND_CUES: tuple[Cue, ...] = (
    Cue(Kind.FACT, 2.9, VITAL),
    Cue(Kind.FACT, 2.6, MOVED_TO),
    Cue(Kind.FACT, 1.2, LASTING),
    Cue(
        Kind.PREFERENCE,
        3.0,
        phrases(
            r"""
            from now on / i(?:'d| would)? (?:really )?(?:prefer|rather)
            i (?:hate|can'?t stand|dislike|misread) / (?:house|new|golden|hard|ground) rules?
            whenever (?:i|you)
            (?:i|you|we|please|and|should|must|but) (?:always|never) (?!been|had|seen|heard|knew|used|
                tried|written|done|worked|ever|gets?|forgets?|give|gave|know|stops?|fails?|
                    thought|wanted|feel|felt|struggle|wonder|
                    loved|liked|end|fixed|made|found|went)[a-z]+
            always in / ^(?:always|never) [a-z]+ / when(?:ever)? you [a-z]+ .{0,40}(?:for me|use|please)
            please (?:always|never|don'?t|do not|use|keep|stick|avoid) / keep (?:your|answers|replies)
            please (?:answer|reply|respond|write|speak|talk) (?!to|him|her|them|back)
            never (?:by|with|in|on|at|from|to|via|as|before|after|through|for) / , never [a-z]+
            so(?: please)? (?:always|never|avoid) (?!\w+(?:s|ed)\b)[a-z]+
            always(?=[.!;]|$)
            my (?:favou?rite|preference) / nothing .{0,20}should reach me
            (?:should|must) (?:always|never|go to) / no [a-z -]{3,40} (?:on|after|before|without)  / call me
            unreadable
        """
        ),
    ),
    Cue(
        Kind.DECISION,
        3.0,
        phrases(
            r"""
            (?:i|we)(?:'ve| have)? (?:decided|chosen|settled|opted|agreed|picked|chose)
            (?:decided|chose|opted|settled|agreed) (?:to|on|for|that|against)
            (?:i|we)(?:'ll| will)? (?:go|going|went) (?:with|for)
            let'?s (?:use|stick|drop|skip|take|(?:go|keep|do|make) (?!\w+ing|it|this|that|up|on|each|
                our|some|a|the (?:difference|most)|in touch|sure))
            then (?:it'?s|we(?! (?:should|can|could|might))|no|let'?s) / agreed
            so we keep / we (?:fix|pause|target|drop|stay|stick|use|skip)
            (?:stays?|stay) (?:as|at|with|on|out|off|untouched|closed)
            we'?re (?:doing|dropping|skipping) (?!this|that|it|so|well) / (?:i'm|we're) excluding
            not (?:before|until|any ?more|any longer) / signed off
            approved / one [a-z]+ per [a-z]+
        """
        ),
    ),
    Cue(
        Kind.DECISION,
        1.5,
        phrases(
            r"""
            instead of / rather than / the plan is / because (?:the|it|we|of) / so we [a-z]+
            we (?:keep|use|move|do|take)
        """
        ),
    ),
    Cue(
        Kind.OUTCOME,
        2.5,
        phrases(
            r"""
            (?:is|are|was|were|got|been|all) (?:now )?(?:done|finished|completed?|fixed|resolved|closed|
                merged|shipped|deployed|released|rotated|live|through|over|booked|paid|signed|ready|sent|
                    out)
            (?:i|we)(?:'ve| have)? (?:just |now |already |finally |also |successfully )*(?:finished|
                completed|fixed|resolved|merged|shipped|deployed|released|rotated|booked|paid|signed|sent|
                    switched|tested|implemented|reached|achieved|improved|reduced|increased|managed|got|
                        passed|won|bought|received|launched|published|submitted|solved|scored|earned|
                            added|created|built|moved|started|learned|met)
            (?:went|goes) (?:out|well|live|through) / works? (?:now|fine|again) / connection works
            can be closed / passed / (?:i|we) said yes
            (?<!was )(?<!been )(?:confirmed|accepted|refunded|declined|rejected|filed|
                ordered) (?:the|my|our|all|his|her|their|\d+)
            (?:reduced|improved|increased|dropped|rose|fell) (?:\w+ ){0,5}(?:from|to|by) / done(?: then)?$
            (?:is|are) happy with
        """
        ),
    ),
    Cue(
        Kind.ISSUE,
        2.0,
        phrases(
            r"""
            (?:keeps?|is|are|was|been) (?:failing|crashing|broken|blocked|stuck|leaking|missing|wrong|off|
                down)
            errors? / exception / fails? / failed / bugs? / does(?:n'?t| not) work / not working / off by
            crash(?:es|ed|ing)? / deadlocks? / cancelled / delayed / warning / struggl(?:e|ing)
            in clear text / too (?:slow|large|long|late) / (?:have|had|having) (?:trouble|problems?|issues?)
        """
        ),
    ),
    Cue(
        Kind.NEXT_STEP,
        2.0,
        phrases(
            r"""
            WILL (?:ADVERB )*(?!(?:IDLE|ADVERB)\b)[a-z]+
            (?:i|we) (?:plan|intend|mean) to / i'm (?:scheduled|due|flying|offline|away|out of office|
                on (?:leave|holiday|vacation)|off to) / (?:is|are) (?:due|scheduled|planned)
            due (?:on|by|in|to be) / deadline / (?:^|[,.;:!?] |please |and )remind me
            (?:to be|be) (?:done|ready|finished|settled|delivered|completed) (?:by|until|before)
            by (?:end of|next|mon|tues|wednes|thurs|fri|satur|sun|tomorrow|tonight)\w* / tomorrow
            next (?:week|month|mon|tues|wednes|thurs|fri|satur|sun)\w* / appointment
            call with / put into / fly (?:to|out) / wants it
        """.replace("WILL", _WILL)
            .replace("IDLE", _IDLE)
            .replace("ADVERB", _ADVERB)
        ),
    ),
    # What people tell of their lives: alone it is small talk, with a name, a date or a number a fact.
    Cue(
        Kind.FACT,
        1.2,
        phrases(
            r"""
            i(?:'ve| have)? (?:just |recently |finally |also )?(?:went to|been to|visited|adopted|
                joined|attended|celebrated|travell?ed|graduated|grew up|was born|married|signed up|
                volunteered|retired|quit|lost my|got (?:accepted|married|engaged|promoted|hired|a|an|my)|
                moved to|met|ran|hiked|won)
            my (?:wife|husband|partner|spouse|girlfriend|boyfriend|son|daughter|kids?|children|mom|mother|dad|
                father|parents|sister|brother|family|grand(?:ma|pa|mother|father)|aunt|uncle|cousin|dog|cat|
                pets?|boss|manager|colleagues?|mentor|doctor|landlord)
            i (?:love|enjoy|collect|teach|study|speak|volunteer|practi[cs]e) (?!it|that|this|you|how)
            i(?:'m| am) (?:allergic|vegan|vegetarian|married|single|pregnant|retired)
            named / called / birthday / anniversary / hometown / for (?:\d+|a few|many) (?:years|months)
            """
        ),
    ),
    # What every request begins with: worth something only with a day or a thing in it.
    Cue(
        Kind.FACT,
        0.5,
        phrases(
            r"""
            (?:i|we) (?:want|need|would like) to / i'd like to / trying to / working on
        """
        ),
    ),
    Cue(
        Kind.FACT,
        1.0,
        phrases(
            r"""
            (?:my|our|their|his|her|the) [\w' -]{2,40}? (?:is|are|was|were|has|have|costs?|runs?|takes?|
                goes)
            ^(?!this|that|it|there|what)[\w' -]{3,40}? (?:is|are|has|have|runs|costs)
            i(?:'m| am) (?:a|an|the|from|based|working) / i (?:work|live|have|own|use|study|run|moved|grew)
            i'?ve (?:been|got|had) / (?:is|are|was|were) (?:on|in|at|called|named|located|based|closed)
            using / includ(?:es|ing) / says? / said
            (?:is|are) (?:the |a |an )?[a-z]+ (?:owner|lead|manager|head|director|engineer|developer|
                designer|contact|partner|client)
            runs (?:their|our|the|my) / (?:approves|handles|owns|manages|decides|pays|closes|signs)
        """
        ),
    ),
)

# What a plan is told by, whatever day stands beside it.
INTENDS = phrases(
    r"""
    (?:i|we|he|she|they|you|who|it|there)(?:'ll| will) / will / going to / gonna / plans? to / planning / due
    (?:must|need|needs|has|have|want|wants|hope|hoping|aim|aiming) to / deadline / scheduled / booked / let's
    remind / remember / (?:until|by) (?:the |next )?(?:end|noon|tomorrow|tonight|week|month|MONTH|\w+day)
    """.replace("MONTH", MONTH)
)
# What has been: a verb of the past that sets no day.
HAS_BEEN = Phrases(
    r"\b(?:was|were|went|did|had|got|met|saw|took|made|came|found|gave|told|said|felt|left|won|lost|spent|"
    r"(?:has|have|i've|we've) been|"
    r"(?<!to be )(?<!\bis )(?<!\bare )(?<!\bbe )(?<!\ba )(?<!\ban )"
    r"(?<!\bthe )(?<!\bmy )(?<!\bour )(?<!'m "
    r")(?<!'re )(?<!'s )"
    r"(?!need|plann|schedul|book|invit|sign|agree|decid|mov|postpon|reschedul|rebook|arrang|regist|reserv|"
    r"ask|"
    r"promis|offer|commit|enrol|hir|accept|confirm|delay|extend|order|cancel|speed|exceed|proceed|advanc)"
    r"[a-z]{3,}ed)\b"
)
# What is asked, said to another as advice, or put into somebody's mouth.
NOT_MEANT = Phrases(
    r"^(?:(?:(?:it|that|this)(?: all)? )?sounds? |can't wait|excited|concerned|worried|seeing|maybe|"
    r"i remember|"
    r"(?:(?:i|we)(?:'ll| will) |ill )?(?:see|talk to|speak to|catch up with) (?:you|ya|u)\b|"
    r"[\"“'‘]|[a-z]+: ?[\"“'‘]|[^.!]*\?|[^.!?]*\byou (?:might|could|should|can|may)\b)"
)

# That harm is done when it is forgotten, or that the speaker says how much it matters.
EMPHASIS = phrases(
    r"""
    this (?:one )?(?:really )?matters / this (?:is|one is|one's) (?:very |really |so )?(?:important|crucial)
    important: / need you to (?:know|remember) / whatever (?:you|happens) / life-threatening / dangerous
    anaphyla\w+ / epi-?pens? / emergency (?:number|contact|medication|dose|kit) / in an emergency / antidote
    poison(?:ous)? / under no circumstances / never ever / must (?:never|not)
    """
)

# An order not to, at its start: whoever gives it counts on it.
FORBIDS = Phrases(r"^(?:please,? |and |so |but )*(?:never|don'?t ever|do not ever)\b")
RESOLVES = Phrases(r"^(?:(?:i|we)(?:'ll| will| won't)|let'?s|lemme|gotta)\b")
# What replaces something said before, said so.
MOVES = phrases(
    r"""
    (?:not|no) (?:\S+ ){1,3}any ?(?:more|longer) / no longer / from now on / change of plans? / correction
    (?:has |have |was |were |is |are |been |got )*(?:moved|moves|postponed|rescheduled|rebooked|cancelled|
        canceled|pushed|shifted|extended|revised) / instead(?=[.,;!]|$)
    (?:goes?|went|going) (?:up|down) to / replaces?
    switch(?:ed|ing)? (?:to|from) / changed? (?:to|from|my mind) / instead of
    """
)
# What it says holds no longer: "from Tuesday to Friday", "tea instead of coffee", "no longer at the bakery".
_VALUE = r"(?P<old>(?:[^,.;:!?]|(?<=\d)[.,:](?=\d)){1,40}?)"
_VALUE_END = (
    r"(?=[,.;:!?]|$| (?:until|into|but|and|because|since|due|for|in|on|at|from|with|when|as|after|by) )"
)
OLD_VALUES = (
    Phrases(
        r"\b(?:mov(?:ed?|es|ing)|switch(?:ed|ing)?|chang(?:ed|es|ing)|rescheduled|rebooked|postponed|pushed|"
        r"shifted|goes|went|going|extended|raised|lowered|increased|reduced|up|down)"
        rf"(?: [\w'-]+){{0,4}}? from {_VALUE} (?:to|until|into)\b"
    ),
    Phrases(rf"\binstead of {_VALUE}{_VALUE_END}"),
    Phrases(rf"\bchanged (?:my|our) minds?\b[^.;:!?]{{0,80}}[.;:!?,] ?not {_VALUE}(?=, )"),
    Phrases(rf"\breplace[sd]? {_VALUE}{_VALUE_END}"),
    Phrases(r"\b(?:not|no) (?P<old>(?:\S+ ){1,3})any ?(?:more|longer)\b"),
    Phrases(r"\bno longer (?P<old>[^,.;:!?]{1,40})"),
)
# That a plan or a wish is another one.
ANNOUNCED = phrases(r"change of plans? / correction")
FROM_NOW_ON = phrases("from now on")
# That a thing was put off, called off or moved; people move, too, and push.
MOVED = phrases(
    r"""
    (?:is|are|was|were|been|being|got|gets|get|it's) (?:now |just |all |already )*(?:moved|pushed|shifted|
        brought forward|extended)
    moves to / (?<!\ba )(?<!\bthe )(?:postponed|rescheduled|rebooked|cancell?ed) / called off
    (?:moved|pushed|shifted) (?:the|our|my) (?:[\w'-]+ ){1,5}to
"""
)
_OF = r"(?:for|of|with|about|at|to|from|in|on|by) "
# The thing that was, and of what: "the dinner with Ana is cancelled", "I moved the call to Monday".
MOVED_THING = (
    Phrases(
        r"(?:^|[.;:!?,] |\b(?:and|but|so|that) )(?:(?:i|we)(?:'ve| have| had)? (?:got |had )?)?"
        rf"((?:[\w'#./-]+ ){{1,5}}?)(?:{_OF}([^,.;:!?]*?))?(?:(?:is|are|was|were|being|has been|have been|"
        r"got|gets) )?(?:now |just |all |already )*(?:moved|pushed|shifted|brought forward|extended|moves|"
        r"postponed|rescheduled|rebooked|cancell?ed|called off)\b"
    ),
    Phrases(
        r"\b(?:moved|pushed|shifted|postponed|rescheduled|rebooked|cancell?ed) (?:the|our|my|his|her|their) "
        rf"((?:[\w'#./-]+ ?){{1,5}}?)(?:{_OF}([^,.;:!?]*?))?(?=[,.;:!?]|$|\b(?:to|from|until|by|because) )"
    ),
)
# That a figure or a habit is another one now.
CHANGED = phrases(
    r"""
    (?:updated|changed|increased|decreased|raised|lowered|reduced|grown|expanded|reached)
    (?:goes?|went|going|is|are) (?:up|down) to / (?:is|are|has|have) now / now (?:is|are|has|have)
    now (?!\w+ss\b|this\b|as\b|is\b|was\b|has\b)[a-z]+s / from now on
    now (?:live|work) / (?:live|work)s? (?:in|at|for) [\w'’-]+ now
    """
)
# What may be an update of something said before.
CHANGE = phrases(
    r"""
    (?:has |have |was |were |is |are |been |got |now )*(?:updated|changed|increased|decreased|raised|
        lowered|reduced|grown|expanded|improved|reached)
    instead / actually / turns out / (?:up|down) (?:to|from)
    now (?:\w+ ){0,2}(?:is|are|has|have|targets?|includes?|stands?|at|on|covers?|supports?)
    (?:is|are|has|have|i'm|i've|we're|we've) now
    """
)
# What takes something back: it was never so. Only at the start of a clause: "it is easy to forget that".
RETRACT = Phrases(
    r"(?<![^ ])(?:^|(?<=[.;:!?,…–—-] )|(?<=\bno )|(?<=\boh )|(?<=\bsorry )|(?<=\bactually )|(?<=\bplease )|"
    r"(?<=\bway )|(?<=\band )|(?<=\bbut )|(?<=\bthink ))"
    r"(?:scratch that|strike that|forget (?:that|it|what i)|never ?mind|disregard|"
    r"ignore (?:that|it|what i|my last|this)|i was wrong|i misspoke|my mistake(?=[,.;:!]|$)|that was wrong|"
    r"i take (?:that|it) back|that'?s not (?:true|right))\b"
)

# What reports that something open is closed.
COMPLETION = phrases(
    r"""
    done / finished / completed? / is over / is through / rotated / revoked / resolved / fixed / closed
    can be closed / merged / shipped / deployed / released / is live / went out / sent / booked / ordered
    paid / signed / delivered / submitted / filed / renewed / handed in / picked up / (?:i|we) said yes
    (?:is|are) in(?=[,.;!]|$) / works now / back from / took place / written / applied / landed
"""
)

_CLAUSE_START = r"(?:^|[.;:!?,] |\b(?:and|but|so) )"
_MEANWHILE = r"(?:now |just |all |already |both |finally |also |recently |successfully )*"
_IS_DONE = (
    r"done|finished|completed?|over|through|rotated|revoked|resolved|fixed|closed|merged|shipped|deployed|"
    r"released|live|sent|booked|ordered|paid|signed|submitted|filed|renewed|handed in|picked up"
)
# The thing that is done: "the lease is signed", "Dentist done, no drilling". What was delivered only came.
COMPLETED_SUBJECT = Phrases(
    rf"{_CLAUSE_START}((?:[\w'#./-]+ ){{1,6}}?)(?:(?:is|are|was|were|has been|have been|got|can be) "
    rf"{_MEANWHILE}(?:(?:{_IS_DONE})\b|in(?=[,.;!]|$))|{_MEANWHILE}(?:{_IS_DONE})(?: then)?(?=[,.;:!]|$))"
)

# "I've sent the figures to Dana", "Filed the tax form, receipt 88".
COMPLETED_OBJECT = Phrases(
    rf"(?:{_CLAUSE_START}(?:i|we)(?:'ve| have)? |^){_MEANWHILE}(?:{_IS_DONE}|delivered) "
    r"((?:[\w'#./-]+ ?){1,6}?)(?=[,.;:!?]|$|\b(?:for|to|with|at|on|in|from|by|of|as|that|which|and|but|"
    r"using|via) )"
)

# Of what, for whom, with whom: "the course on first aid".
OF_THING = Phrases(r"\s*(?:of|on|about|for|from|to|in|with|at) ((?:[\w'-]+ ?){1,4})")

# What names no thing, or only a part of one.
NO_THING = phrases(
    r"""
    i / we / you / he / she / it / they / this / that / these / those / them / which / who / what / there
    everything / to / will / would / should / could / can / can't / after / before / once / when / if
    until / because / while / as / trying / get / getting / first / initial / part / some / most / half
    \d+ ?% / \d+ of / more / euros? / dollars? / pounds? / francs?
"""
)

# One that is not the one meant.
ANY_THING = phrases("an? / other / another / own")

# What a statement asks besides; "that it's rescheduled" is told all the same.
ASKED_BESIDE = Phrases(r"(?:; ?|^)asked: (?!.*\b(?:that|which)(?: it)?(?:'s| is| was| got| has been) ).*$")

HANDED_IN = phrases(
    r"(?:is|are) in(?=[,.;!]|$) / handed in / went out / sent / submitted / filed / delivered / posted"
)
HAND_IN = phrases(r"hand / send / submit / file / deliver / mail / post / turn in / give")

# What was arranged for a day to come: the arranging is done, the day itself is still ahead.
ARRANGED = phrases(
    r"""
    (?:is|are|got|have|'ve|i'm|we're|all) (?:now |just |already )?(?:re)?(?:booked|arranged|ordered|
        signed|paid)
    (?:i|we) said yes / (?:is|are) in(?=[,.;!]|$) / ^(?:re)?(?:booked|ordered|filed|signed)
    """
)

NOT_YET = phrases(
    r"""
    never / didn'?t / did not
    not (?:\w+ ){0,2}(?:done|finished|completed?|fixed|closed|merged|sent|ready) / isn'?t / aren'?t
    hasn'?t / haven'?t / almost / nearly / partly / half / not yet / still / until / once / when / if
    whether / asked / hop(?:e|ing) / last year / years? ago
    before / to be / will be / needs? to / must be / should be / wants? it
"""
)

ASKED = "Asked: "

# What asserts nothing.
HYPOTHETICAL = phrases(
    r"""
    just curious / just wondering / not planning / hypothetically / what if / what would / would it be
    if i (?:were|had|ever) / in theory / no plans? to / for fun / let'?s say / suppose / imagine
"""
)

# "My rate is …": a statement of its own, that a later one may replace.
OWN_CLAIM = Phrases(r"^(?:my|our) [\w' -]{2,40}? (?:is|are|was|goes|went|has) ")
