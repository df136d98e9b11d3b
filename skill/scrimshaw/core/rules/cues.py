"""The tables: how people say things, as words and patterns.

Everything the rules know of language is here and nowhere else: which words decide, prefer, plan,
report or change something, which only fill. No entry names what a conversation is about. English;
other languages have no cues, and their short statements are kept for their numbers and names.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from scrimshaw.core.model import Kind


def _any(*alternatives: str) -> re.Pattern[str]:
    return re.compile(r"(?:" + "|".join(alternatives) + r")", re.IGNORECASE)


def _words(*alternatives: str) -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(alternatives) + r")\b", re.IGNORECASE)


class Cue(NamedTuple):
    """A way of saying something: what kind of statement it makes, and how strongly."""

    kind: Kind
    weight: float
    pattern: re.Pattern[str]


# The kind whose cues weigh most wins; earlier entries win ties.
KIND_CUES: tuple[Cue, ...] = (
    Cue(
        Kind.PREFERENCE,
        3.0,
        _words(
            r"from now on",
            r"i(?:'d| would)? (?:really )?(?:prefer|rather)",
            r"i (?:hate|can'?t stand|dislike|misread)",
            r"(?:house|new|golden|hard|ground) rules?",
            r"whenever (?:i|you)",
            r"(?:i|you|we|please|and|should|must|but) (?:always|never) (?!been|had|seen|heard|knew|used|tried|written|done|worked|ever)[a-z]+",
            r"always in",
            r"^(?:always|never) [a-z]+",
            r"when(?:ever)? you [a-z]+ .{0,40}(?:for me|use|please)",
            r"please (?:always|never|don'?t|do not|use|keep|stick|avoid)",
            r"keep (?:your|answers|replies)",
            r"my (?:favou?rite|preference)",
            r"nothing .{0,20}should reach me",
            r"(?:should|must) (?:always|never|go to)",
            r"no [a-z -]{3,40} (?:on|after|before|without) ",
            r"call me",
            r"unreadable",
        ),
    ),
    Cue(
        Kind.DECISION,
        3.0,
        _words(
            r"(?:i|we)(?:'ve| have)? (?:decided|chosen|settled|opted|agreed|picked|chose)",
            r"(?:decided|chose|opted|settled|agreed) (?:to|on|for|that|against)",
            r"(?:i|we)(?:'ll| will)? (?:go|going|went) (?:with|for)",
            r"let'?s (?:go|use|keep|do|stick|drop|skip|take|make)",
            r"then (?:it'?s|we|no|let'?s)",
            r"agreed",
            r"so we keep",
            r"we (?:fix|pause|target|drop|stay|stick|use|skip) ",
            r"(?:stays?|stay) (?:as|at|with|on)",
            r"not (?:before|until|any ?more|any longer)",
            r"signed off",
            r"approved",
            r"one [a-z]+ per [a-z]+",
        ),
    ),
    Cue(
        Kind.DECISION,
        1.5,
        _words(
            r"instead of", r"rather than", r"the plan is", r"because (?:the|it|we|of)", r"so we [a-z]+", r"we (?:keep|use|move|do|take) "
        ),
    ),
    Cue(
        Kind.OUTCOME,
        2.5,
        _words(
            r"(?:is|are|was|were|got|been|all) (?:now )?(?:done|finished|completed?|fixed|resolved|closed|merged|shipped|"
            r"deployed|released|rotated|live|through|over|booked|paid|signed|ready|sent|out)",
            r"(?:i|we)(?:'ve| have)? (?:just |now |already |finally |also |successfully )*(?:finished|completed|fixed|resolved|"
            r"merged|shipped|deployed|released|rotated|booked|paid|signed|sent|switched|tested|implemented|reached|"
            r"achieved|improved|reduced|increased|managed|got|passed|won|bought|received|launched|published|"
            r"submitted|solved|scored|earned|added|created|built|moved|started|learned|met)",
            r"(?:went|goes) (?:out|well|live|through)",
            r"works? (?:now|fine|again)",
            r"connection works",
            r"can be closed",
            r"passed",
            r"(?:reduced|improved|increased|dropped|rose|fell) (?:\w+ ){0,5}(?:from|to|by)",
            r"done(?: then)?$",
            r"(?:is|are) happy with",
        ),
    ),
    Cue(
        Kind.ISSUE,
        2.0,
        _words(
            r"(?:keeps?|is|are|was|been) (?:failing|crashing|broken|blocked|stuck|leaking|missing|wrong|off|down)",
            r"errors?",
            r"exception",
            r"fails?",
            r"failed",
            r"bugs?",
            r"does(?:n'?t| not) work",
            r"not working",
            r"off by",
            r"crash(?:es|ed|ing)?",
            r"deadlocks?",
            r"cancelled",
            r"delayed",
            r"warning",
            r"struggl(?:e|ing)",
            r"in clear text",
            r"too (?:slow|large|long|late)",
            r"(?:have|had|having) (?:trouble|problems?|issues?)",
            r"Error\b",
        ),
    ),
    Cue(
        Kind.NEXT_STEP,
        2.0,
        _words(
            r"(?:i|we)'?(?:ll| will)",
            r"(?:i|we) (?:must|have to|should|plan to|intend to|am going to)",
            r"i'm (?:going to|planning|aiming|scheduled|due|flying|meeting|offline|away|out of office|on (?:leave|holiday|vacation))",
            r"we'?re (?:going to|planning|aiming|meeting)",
            r"(?:is|are) (?:due|scheduled|planned)",
            r"due (?:on|by|in|to be)",
            r"deadline",
            r"remind me",
            r"remember to",
            r"(?:to be|be) (?:done|ready|finished|settled|delivered|completed) (?:by|until|before)",
            r"by (?:end of|next|mon|tues|wednes|thurs|fri|satur|sun|tomorrow|tonight)\w*",
            r"tomorrow",
            r"next (?:week|month|mon|tues|wednes|thurs|fri|satur|sun)\w*",
            r"appointment",
            r"meeting (?:on|with|at)",
            r"call with",
            r"goal (?:is|of)",
            r"put into",
            r"fly (?:to|out)",
            r"wants it",
        ),
    ),
    # What every request begins with: worth something only with a day or a thing in it.
    Cue(Kind.FACT, 0.5, _words(r"(?:i|we) (?:want|need|would like) to", r"i'd like to", r"trying to", r"working on")),
    Cue(
        Kind.FACT,
        1.0,
        _words(
            r"(?:my|our|their|his|her|the) [\w' -]{2,40}? (?:is|are|was|were|has|have|costs?|runs?|takes?|goes)",
            r"i(?:'m| am) (?:a|an|the|from|based|working)",
            r"i (?:work|live|have|own|use|study|run|moved|grew)",
            r"i'?ve (?:been|got|had)",
            r"(?:is|are|was|were) (?:on|in|at|called|named|located|based|closed)",
            r"using",
            r"includ(?:es|ing)",
            r"(?:is|are) (?:the |a |an )?[a-z]+ (?:owner|lead|manager|head|director|engineer|developer|designer|contact|partner|client)",
            r"runs (?:their|our|the|my)",
            r"(?:approves|handles|owns|manages|decides|pays|closes|signs)",
        ),
    ),
)

# What people plan by.
WEIGHTY = _words(r"deadlines?", r"due", r"goals?", r"targets?", r"milestones?", r"budget", r"total", r"limit(?:ed)?", r"at most", r"at least", r"every")
# What replaces something said before.
CHANGE = _words(
    r"(?:not|no) (?:\S+ ){1,3}any ?(?:more|longer)",
    r"no longer",
    r"from now on",
    r"change of plans?",
    r"(?:has |have |was |were |is |are |been |got |now )*(?:moved?|moves|shifted|pushed|postponed|rescheduled|extended|"
    r"rebooked|cancelled|canceled|updated|changed|increased|decreased|raised|lowered|reduced|grown|expanded|revised)",
    r"(?:goes?|went|going) (?:up|down) to",
    r"instead",
    r"replaces?",
    r"switch(?:ed|ing)? (?:to|from)",
    r"now (?:\w+ ){0,2}(?:is|are|has|have|targets?|includes?|stands?|at|on|covers?|supports?)",
    r"(?:is|are|has|have|i'm|i've|we're|we've) now",
    r"actually",
    r"turns out",
    r"correction",
    r"up (?:to|from)",
    r"down (?:to|from)",
)

# What takes something back: it was never so.
RETRACT = _words(
    r"scratch that",
    r"strike that",
    r"forget (?:that|it|what i)",
    r"never ?mind",
    r"disregard",
    r"ignore (?:that|it|what i|my last|this)",
    r"i was wrong",
    r"i misspoke",
    r"my mistake",
    r"that was wrong",
    r"i take (?:that|it) back",
    r"that'?s not (?:true|right)",
)

# What reports that something open is closed.
COMPLETION = _words(
    r"done",
    r"finished",
    r"completed?",
    r"is over",
    r"is through",
    r"rotated",
    r"revoked",
    r"resolved",
    r"fixed",
    r"closed",
    r"can be closed",
    r"merged",
    r"shipped",
    r"deployed",
    r"released",
    r"is live",
    r"went out",
    r"sent",
    r"booked",
    r"paid",
    r"signed",
    r"delivered",
    r"submitted",
    r"works now",
    r"back from",
    r"took place",
    r"written",
    r"applied",
    r"landed",
)
COMPLETED_SUBJECT = re.compile(
    r"(?:^|[.;] |^the |, )((?:[\w'-]+ ){1,6}?)(?:is |are |was |were |has been |have been |got )?(?:now |all |already )?"
    r"(?:done|finished|completed?|over|through|rotated|resolved|fixed|closed|merged|shipped|deployed|released|live|sent|booked|paid|"
    r"signed|delivered|submitted|can be closed)\b",
    re.IGNORECASE,
)
NOT_YET = _words(
    r"not (?:\w+ ){0,2}(?:done|finished|completed?|fixed|closed|merged|sent|ready)",
    r"isn'?t",
    r"aren'?t",
    r"hasn'?t",
    r"haven'?t",
    r"almost",
    r"nearly",
    r"partly",
    r"half",
    r"not yet",
    r"still",
    r"until",
    r"once",
    r"when",
    r"if",
    r"before",
    r"to be",
    r"will be",
    r"needs? to",
    r"must be",
    r"should be",
    r"wants? it",
)

ASKED = "Asked: "
# What asserts nothing.
HYPOTHETICAL = _words(
    r"just curious",
    r"just wondering",
    r"not planning",
    r"hypothetically",
    r"what if",
    r"what would",
    r"would it be",
    r"if i (?:were|had|ever)",
    r"in theory",
    r"no plans? to",
    r"for fun",
    r"let'?s say",
    r"suppose",
    r"imagine",
)
QUESTION_START = re.compile(
    r"^(?:(?:and|but|so|also|or|hmm+|ok|okay|then|now|wait|well)[, ]+)*"
    r"(?:what|when|where|which|who|whom|whose|why|how|is|are|was|were|do|does|did|can|could|should|shall|would|will|has|have|am|any)"
    r"(?:'s|'re|n't)?\s+(?:\w+)",
    re.IGNORECASE,
)
# Where, inside a sentence, a request or a question begins.
ASKING = re.compile(
    r"(?:^|[,;:.—–-]\s*|\s)(?:so |and |but |or |then |maybe |perhaps |also )*"
    r"(?:(?:can|could|would|will) (?:you|i|we|someone)\b|please (?:help|give|show|tell|explain|provide|suggest|review|check)"
    r"|(?:do|did|does|is|are|should|shall|was|were) (?:you|i|we|it|there|this|that|these|my)\b"
    r"|(?:how|what|why|when|where|which|who) (?:(?:\w+ ){0,4}?(?:can|could|do|does|did|should|would|will|is|are|am) |to |about |if |exactly|else|kind |sort )"
    r"|any (?:ideas?|tips|chance|thoughts|suggestions|advice)\b|(?:help|tell|show|give|walk) me\b|i'?d (?:love|appreciate|like) (?:some|your|to (?:know|hear|see|get))"
    r"|i (?:was|am|'m) wondering|i'?m wondering|wondering if|let me know|(?:i'?m |but )?(?:i'?m )?not (?:really |quite |entirely )?sure (?:how|what|where|which|if|whether|about))",
    re.IGNORECASE,
)
# A request may still tell something: "…, considering I'm using X".
GIVEN = re.compile(
    r"(?:,\s*|\s)(?:considering(?: that)?|given(?: that)?|since|because|as|especially (?:since|as)|knowing(?: that)?|"
    r"assuming|and)\s+(?=(?:i|i'm|i've|we|we're|we've|my|our|the|it|it's)\b)",
    re.IGNORECASE,
)
CONFIRM = re.compile(
    r"^(?:yes|yep|yeah|right|correct|exactly|sure|agreed|ok|okay|good|perfect|sounds good|makes sense|do it|go ahead|fine|true|"
    r"no|nope)\b[,.! ]*",
    re.IGNORECASE,
)
IMPERATIVE = re.compile(
    r"^(?:please |now |then |and |also |quick:? )*"
    r"(?:add|apply|ask|build|bump|call|change|check|clean|close|commit|compare|configure|convert|copy|count|create|delete|deploy|"
    r"disable|do|download|draft|drop|enable|explain|export|fetch|file|find|fix|format|generate|get|give|have|implement|"
    r"import|improve|install|investigate|launch|let|list|look|make|merge|migrate|move|open|order|pick|plan|post|prepare|print|pull|"
    r"push|put|read|refactor|release|remove|rename|replace|rerun|reset|restart|restore|retry|review|revert|rewrite|"
    r"run|scale|search|see|send|set|ship|show|sort|split|start|stop|summari[sz]e|switch|tag|take|tell|test|translate|"
    r"try|turn|undo|update|upgrade|upload|use|verify|wait|write)\b(?!-|'| (?:with|is|was|has|itself|of|went|took)\b)",
    re.IGNORECASE,
)

# What only fills.
FILLER_ONLY = re.compile(
    r"^(?:ok(?:ay)?|oh|ah|oops|ugh|hm+|well|so|yeah|yes|yep|right|sure|great|good|perfect|nice|cool|clear|alright|fine|thanks?(?: a lot| you)?|"
    r"see you(?: \w+){0,2}|talk (?:soon|later)|bye|good night|thank you|got it|makes sense|sounds good|agreed|exactly|correct|wow|hello|hi|hey|(?:good )?morning|understood)\b[\s,]*(?:then|so|"
    r"very much|again|all|everyone)?[.!…]*$",
    re.IGNORECASE,
)
LEAD_CONNECTIVE = re.compile(r"^(?:and|but|so|then|also|or|plus|yes|yep|yeah|ok|okay|ugh|oops|hm+)\s+(?=\S+\s)", re.IGNORECASE)
LEAD_FILLER = re.compile(
    r"^(?:(?:scratch that|strike that|never ?mind|ok(?:ay)?|oh|ah|hm+|uh|um|well|so|yeah|yes|yep|right|sure|great|good|perfect|nice|cool|alright|all right|hey(?: there)?|hi(?: there)?|hello|"
    r"(?:good )?morning|btw|by the way|fyi|also|and|but|anyway|anyways|honestly|basically|ugh|oops|wow|haha|lol|clear|makes sense|"
    r"just so you know|for the record|one more thing|i think|i guess|i mean|you know|look|listen|then|thanks(?: a lot)?|thank you(?: so much)?|got it|sounds good|agreed|quick (?:note|update|one))"
    r"(?:\s*[,.!:;…—–-]+\s*|\s+(?=(?:i|i'm|i've|we|it's|then|no|let's|the|my|and|so|that|there|this|[A-Z0-9])\b)))+",
    re.IGNORECASE,
)
LEAD_LABEL = re.compile(
    r"^[^:.!?\d]{0,40}\b(?:rules?|note|notes|reminder|update|background|heads[- ]up|fyi|info|news|change of plans?|decision|"
    r"people|side note|status)\b[^:.!?\d]{0,40}:\s+(?=\S)",
    re.IGNORECASE,
)
KIND_OF_LABEL: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (_words(r"rules?"), Kind.PREFERENCE),
    (_words(r"decision", r"change of plans?"), Kind.DECISION),
    (_words(r"reminder"), Kind.NEXT_STEP),
)
ANNOUNCEMENT = re.compile(
    r"^(?:here (?:is|are)|here's|two|three|four|five|a few|some|a couple|one|another|my|the)\b[^.:!?]{0,60}\b"
    r"(?:rules?|things?|points?|notes?|updates?|questions?|log|output|code|example|snippet|draft|list|version)\b[^.:!?\d]*[.:]?$",
    re.IGNORECASE,
)
# "… so here's my code:" before something pasted.
SHOWING = re.compile(
    r"(?:^|[,;.]\s*|\s)(?:(?:so|and|but|for example|something like)[, ]+)*(?:here(?:'s| is| are)|this is|i'm thinking(?: of)? something like|"
    r"i've got (?:the following|this)|(?:looks?|something|is set up|set up|defined|structured) like this|as follows|like so)\b[^.!?]*:\s*$",
    re.IGNORECASE,
)
# A clause that says only that something is wanted, or how the speaker feels about it.
VAGUE = re.compile(
    r"^(?:and |but |so |also |because |since |as |then |or )*(?:i'?m |i am |i |we |it'?s |it is |that'?s |this is |maybe |perhaps |something like)"
    r"(?:really |just |also |still |now |currently |not |would |'d )*"
    r"(?:(?:want|need|like|hope|hoping|wanting|looking|trying) (?:to |for )(?:(?:make|be) sure|ensure|see|know|understand|learn|get|some|find|use|do|"
    r"implement|handle|improve|optimi[sz]e|consider|avoid|create|add|figure|discuss|review|help|be|have)|"
    r"(?:quite |so )?sure|having (?:trouble|a hard time|difficulty|some)|struggling|wondering|curious|worried|concerned|excited|eager|confused|stuck|important|we can|i can|that\b)",
    re.IGNORECASE,
)
CLAUSE_BREAK = re.compile(
    r",\s+(?=(?:and|but|so|because|since|which|while|as|especially|considering|given|maybe|or|also|then|where|including|specifically|like|plus|although|though)\b)"
    r"|;\s+|\s+(?=(?:and|but|so) (?:i|i'm|i've|i'd|we|we're|we've|it's)\b)|,\s+(?=(?:i|i'm|i've|i'd|we|we're|we've)\b)",
    re.IGNORECASE,
)
TAIL_FILLER = re.compile(
    r"(?:(?:[,;]\s*|\s+)(?:please|thanks(?: a lot)?|thank you|thx|haha|lol|you know|i guess|right|and|but|so|because|also|or|maybe|hang on|if that makes sense))+[.!]*$",
    re.IGNORECASE,
)
LEAD_SELF = re.compile(
    r"^(?:i'm|i am)\s+(?:(?:currently|now|also|just|really|still|kinda|kind of|sorta|sort of|a bit|a little|so|pretty|very)\s+)*"
    r"(?=\w+ing\b|(?:worried|nervous|stressed|excited|concerned|curious|motivated|torn|anxious|overwhelmed|proud|confused|frustrated|relieved|stuck)\b)",
    re.IGNORECASE,
)
# What a request begins with, before what is asked for.
LEAD_REQUEST = re.compile(
    r"^(?:(?:and|but|so|or|then|maybe|perhaps|also)[, ]+)*(?:(?:can|could|would|will) you (?:please |also |maybe )*(?:help me (?:to |with |out )?|give me |tell me |"
    r"show me |explain |provide |suggest )?|please (?:help me (?:to |with )?)?|i(?:'m| was| am)? wondering (?:if |how |what )?)",
    re.IGNORECASE,
)
DANGLING = re.compile(r"\b(?:on|about|with|of|to|that|for|and|or|but|by|from|at|in|the|a|an|my|if|whether|how|what|because|like|know|see|understand)$", re.IGNORECASE)
# How an assistant begins to say what it will do.
LEAD_ASSISTANT = re.compile(r"^(?:(?:then|and|so) )?(?:i'll|i will|i'd|i would) ", re.IGNORECASE)
# "My rate is …": a statement of its own, that a later one may replace.
OWN_CLAIM = re.compile(r"^(?:my|our) [\w' -]{2,40}? (?:is|are|was|goes|went|has) ", re.IGNORECASE)
# A name that begins a sentence: what it does follows.
NAME_FIRST = re.compile(r"^[A-Z][a-z]{2,}(?:'s)? (?:(?!this|is\b|was\b|has\b|does\b)[a-z]{3,}s|is|was|has|said|told|checked|asked|wants) ")
# A reason belongs to what it is given for.
REASON = _words(r"reason", r"because", r"since", r"otherwise", r"so that", r"so (?:i|we|it|they)", r"that'?s why", r"due to", r"were? a mistake")
# Points at something said before without naming it.
POINTS_BACK = _words(r"it", r"them", r"that one", r"same (?:day|time|place|way)", r"the others?")
# A sentence that leans on the one before it.
LEANING = re.compile(
    r"^(?:(?:it|its|it's|this|that|that's|these|those|they|they're|he|she|him|her|his|their|there|then|so|because|reason|also|otherwise|"
    r"only|which|who|but|hence|thus|therefore|including|especially|by|until|same|both|not|one|happy)\b|and (?:it|that|this|they|then))",
    re.IGNORECASE,
)
# Things an assistant says around its answer.
ASSISTANT_FILLER = re.compile(
    r"^(?:understood|got it|noted|sure|certainly|of course|great|ok(?:ay)?|let me\b.*|i'll\b.*|i will\b.*|i can\b.*|i have noted.*|thanks.*|thank you.*|"
    r"you're welcome.*|happy to.*|no problem.*|absolutely.*|done|here(?:'s| is| are)\b.*:|want me to\b.*|shall i\b.*|would you\b.*|let me know\b.*|"
    r"if you\b.*|let'?s\b.*|below (?:is|are)\b.*|it (?:looks|seems|sounds) like\b.*|your .{3,60} (?:looks?|is) (?:good|great|solid|quite|correct|well)\b.*|feel free.*|recorded|delivered|started\b.*|good news|.*\?|.*\b(?:addressed to assistants|ignored it|did not follow|"
    r"instructions? (?:in|inside|to me)|change my memory)\b.*)[.!]*$",
    re.IGNORECASE | re.DOTALL,
)
FAILED = _words(
    r"fail(?:ed|s|ure)?", r"stopped", r"error", r"blocked", r"could not", r"couldn't", r"cannot", r"can't", r"not found", r"refused",
    r"denied", r"timed out", r"broken", r"crash(?:ed|es)?", r"warning",
)
SUCCEEDED = _words(
    r"done", r"live", r"passed?", r"passes", r"works", r"working", r"fixed", r"created", r"written", r"deployed", r"merged", r"closed",
    r"succeeded", r"successful(?:ly)?", r"completed?", r"installed", r"updated", r"added", r"pushed", r"released", r"restarted",
)

# Text in a tool's output, a paste or a quotation that speaks to the agent.
ADDRESSES_AGENT = _words(
    r"(?:note|message|instructions?) (?:to|for) (?:all |any |the )?(?:ai|assistants?|agents?|models?|llms?)",
    r"(?:ignore|disregard) (?:all |any |the )?(?:previous|prior|above|earlier) (?:instructions?|messages?|rules?)",
    r"(?:store|save|add|write|put) (?:this|the following|it) (?:in|into|to) (?:your )?memory",
    r"remember (?:that )?the user",
    r"the user (?:wants|prefers|has approved|said|wishes)",
    r"system prompt",
    r"you (?:are|must) now",
)
PLACEHOLDER = re.compile(r"\[redacted[^\]]*\]", re.IGNORECASE)
MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
DATE_WORDS = re.compile(
    rf"\b(?:\d{{4}}-\d\d-\d\d|{MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?(?!\d)|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH}\b|today|tonight|tomorrow|yesterday|this (?:morning|afternoon|evening)|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:next|last|this) (?:week|month|year|weekend)|in (?:\w+) (?:days?|weeks?|months?)|"
    rf"\d{{1,2}}[:.]\d\d\b|the \d{{1,2}}(?:st|nd|rd|th)|(?:in|until|from|since|by|before|after) {MONTH}\b)",
    re.IGNORECASE,
)
NUMBER = re.compile(r"(?<![\w.])[$€£]?\d+(?:[.,:]\d+)*(?:\s?%|[A-Za-z]{0,3})?(?![\w])")
IDENTIFIER = re.compile(r"`[^`\n]{2,80}`|\b[A-Z]{2,}-\d+\b|\b[\w.-]+/[\w./-]+\b|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*\b|\b[a-z]+\d[\w.-]*\b|\b\w[\w-]*\.(?:[a-z]{2,4}|[ch])\b|\bv?\d+\.\d+(?:\.\d+)+\b")
VERSION = re.compile(r"\b[A-Z][\w.+#-]*(?: \d)? v?\d+(?:\.\d+)+\b|\bv\d+(?:\.\d+)+\b")
NAME = re.compile(r"(?<=[a-z0-9,;:] )(?!I\b|I'|OK\b)[A-Z][\w'-]+(?: [A-Z][\w'-]+)*")
SELF = re.compile(r"\b(?:i|i'm|i've|i'll|my|me|we|our|us|we're|we've)\b", re.IGNORECASE)


def has_anchor(text: str) -> bool:
    """Tell whether *text* holds something that can be found again: a number, a date, a name, an identifier."""
    return any(pattern.search(text) for pattern in (NUMBER, DATE_WORDS, IDENTIFIER, NAME, NAME_FIRST))


def has_hard_anchor(text: str) -> bool:
    """Tell whether *text* holds a number or a date."""
    return bool(NUMBER.search(text) or DATE_WORDS.search(text))
