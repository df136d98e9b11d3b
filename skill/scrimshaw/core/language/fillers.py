"""The words that only fill, ask or lead on: what is trimmed from a statement, and what is no statement.

Tables only. No entry names what a conversation is about. English; other languages have no entries,
and their short statements stay as they are.
"""

from __future__ import annotations

import re

from scrimshaw.core.language.patterns import Phrases, phrases
from scrimshaw.core.types import Kind

QUESTION_START = Phrases(
    r"^(?:(?:and|but|so|also|or|hmm+|ok|okay|then|now|wait|well)[, ]+)*(?:what|when|where|which|who|whom|"
    r"whose|why|how|is|are|was|were|do|does|did|can|could|should|shall|would|will|has|have|am|any)(?:'s|"
    r"'re|n't)?\s+(?:\w+)"
)

# "Remember that time we got lost?" asks, and asks for nothing to be remembered.
RECALLING = Phrases(r"^(?:hey |oh |and |so )*(?:you )?remember\b")

# Where, inside a sentence, a request or a question begins.
ASKING = Phrases(
    r"(?:^|[,;:.—–-]\s*|\s)(?:so |and |but |or |then |maybe |perhaps |also )*(?:(?:can|could|would|"
    r"will) (?:you|i|we|someone)\b|please (?:help|give|show|tell|explain|provide|suggest|review|check)|"
    r"(?:(?<=^)|(?<=[,;:.—–-] )|(?<=\bso )|(?<=\band )|(?<=\bbut )|(?<=\bor )|(?<=\bthen ))"
    r"(?:do|did|does|is|are|should|shall|was|were) (?:you|i|we|it|there|this|that|these|my)\b|(?:how|what|"
    r"why|when|where|which|who) (?:to |about |if |exactly|else|kind |sort )|(?<!that's )(?<!like )(?:how|"
    r"what|"
    r"why) (?:\w+ ){0,4}?(?:can|could|do|does|did|should|would|will|is|are|am) |any (?:ideas?|tips|chance|"
    r"thoughts|suggestions|advice)\b|"
    r"(?:help|tell|show|give|walk) me\b|i'?d (?:love|appreciate|like) (?:some|your|to (?:know|hear|see|"
    r"get))|i (?:was|am|'m) wondering|i'?m wondering|wondering if|let me know|(?:i'?m |"
    r"but )?(?:i'?m )?not (?:really |quite |entirely )?sure (?:how|what|where|which|if|whether|about))"
)

# What asks in a sentence that ends with a question mark; in any other the same words only lead a
# clause ("the rate, which is 4 %", "when it is full").
WONDERING = Phrases(
    r"(?:^|[,;:.—–-]\s*|\s)(?:so |and |but |or |then |maybe |perhaps |also )*(?:(?<!\bi )(?<!\bwe )"
    r"(?<!\byou )(?<!\bthey )(?:do|did|does|is|are|should|shall|was|were) (?:you|i|we|it|there|this|that|"
    r"these|my)\b|(?:when|where|(?<!, )which|who) "
    r"(?:\w+ ){0,4}?(?:can|could|do|does|did|should|would|will|is|are|am) )"
)

# "Then it's tea" settles a question: "Tea it is".
THEN_IT_IS = Phrases(
    r"^(?:(?:ok(?:ay)?|right|good|fine|well|yes|all right|alright)[,. ]+)*(?:then|so) it(?:'s| is) "
    r"(?!a |an |the |not |too |time|just |only |going |"
    r"like )(?P<what>[a-z][\w-]+(?: [\w-]+){0,4})(?=[.,;!]|$)"
)

GREETING = Phrases(r"^greetings\b")

# Nothing but what an answer or the sentence before is about: "put that in the list", "can you work it out".
POINTS_ONLY = Phrases(r"\b(?:it|that|this|those|these|them)\b")

# A request may still tell something: "…, considering I'm using X".
GIVEN = Phrases(
    r"(?:,\s*|\s)(?:considering(?: that)?|given(?: that)?|since|because|as|especially (?:since|as)|"
    r"knowing(?: that)?|assuming|and)\s+(?=(?:i|i'm|i've|we|we're|we've|my|our|the|it|it's)\b)"
)

CONFIRM = Phrases(
    r"^(?:yes|yep|yeah|right|correct|exactly|sure|agreed|ok|okay|good|perfect|sounds good|makes sense|"
    r"do it|go ahead|fine|true|no|nope)\b[,.! ]*"
)

IMPERATIVE = Phrases(
    r"^(?:please |now |then |and |also |quick:? )*(?:add|apply|ask|build|bump|call|change|check|clean|"
    r"close|commit|compare|configure|convert|copy|count|create|delete|deploy|disable|do|download|draft|"
    r"drop|enable|explain|export|fetch|file|find|fix|format|generate|get|give|have|implement|import|"
    r"improve|install|investigate|launch|let|list|look|make|merge|migrate|move|open|order|pick|plan|post|"
    r"prepare|print|pull|push|put|read|refactor|release|remove|rename|replace|rerun|reset|restart|restore|"
    r"retry|review|revert|rewrite|run|scale|search|see|send|set|ship|show|sort|split|start|stop|"
    r"summari[sz]e|switch|tag|take|tell|test|translate|try|turn|undo|update|upgrade|upload|use|verify|"
    r"wait|write)\b(?!-|'| (?:with|is|was|has|itself|of|went|took|care)\b)"
)

# What only fills.
FILLER_ONLY = Phrases(
    r"^(?:ok(?:ay)?|oh|ah|oops|ugh|hm+|well|so|yeah|yes|yep|right|sure|great|good|perfect|nice|cool|clear|"
    r"alright|fine|thanks?(?: a lot| you)?|see you(?: \w+){0,2}|talk (?:soon|later)|bye|good night|"
    r"thank you|got it|makes sense|sounds good|agreed|exactly|correct|wow|hello|hi|hey|(?:good )?morning|"
    r"understood|by the way|btw|anyway)\b[\s,]*(?:then|so|very much|again|all|everyone)?[.!…]*$"
)

# A name called, or one word cried out.
CALL_ONLY = Phrases(
    r"^(?:[^\W\d]+!+|(?:(?:hey|hi|hello|dear|thanks|thank you|cheers|wow|oh|congrats|congratulations|"
    r"yeah|yes|sure|"
    r"absolutely|definitely|totally|appreciate it)(?: so much| a lot| there)?[,! ]+)+(?:[^\W\d]+)?[.!]*)$"
)

# Praise and thanks for an answer.
THANKS_ONLY = Phrases(r"\W*(?:(?:thanks?|thank you|thx|ty|cheers|so much|a lot|very much)\W*)+$")
PRAISE_ONLY = Phrases(
    r"^(?:(?:oh|wow|yeah|yes|aw+|haha)[,! ]+)*(?:(?:(?:(?:that|those|these|this|it|they|you|your \w+)"
    r"(?:'s|'re| is| are| was| were| sounds?| looks?| has been|(?: must have)? been)|sounds?|looks?|what|"
    r"such|"
    r"good|great) |(?=(?:so|really|very) ))(?:a |an |some |all |really |very |so |such |pretty |quite |"
    r"just |to )*"
    r"(?:great|good|helpful|useful|awesome|interesting|amazing|nice|perfect|sweet|cool|lovely|fantastic|"
    r"wonderful|"
    r"right|brilliant|idea|point|hear|fun|delicious|incredible|exciting)"
    r"(?: (?!at|in|for|with|on)[a-z]+){0,2}|(?:thanks|thank you)(?: so much| a lot)? for [a-z' ]{3,60}"
    r"|(?:i )?(?:really )?appreciate (?:it|that|the offer|you|your \w+)|speak soon)(?:,? [a-z]+)?[.!]*$"
)

# What is left of "…, and I was wondering" when the question is cut off.
CUT_SHORT = Phrases(r"(?:,?\s+(?:and|so|but|because|that))?\s+(?:(?:i|we) )?(?:was|am|were)$")

# What is wished to another, or said on leaving.
WISHES = Phrases(
    r"^(?:have an? (?!look|go\b|word|meeting|call|think)|(?:i )?(?:hope|hoping) (?:you|your|all|"
    r"everything|things|it|to see)|"
    r"wish(?:ing)? you|(?:good|best of) luck|happy (?!with|about|to|that)|see (?:you|ya)\b|"
    r"talk (?:to (?:you|ya)|soon)|"
    r"take care|congrat|enjoy\b|stay (?:safe|strong|positive|warm|well|tuned|true|healthy|motivated|"
    r"in touch)|hang in)"
)

LAUGH = Phrases(r"^(?:lol|lmao|ha(?:ha)+|ugh+|omg|phew|yay|woo+hoo+|happy \w+day)\b")

LEAD_CONNECTIVE = Phrases(r"^(?:and|but|so|then|also|or|plus|yes|yep|yeah|ok|okay|ugh|oops|hm+)\s+(?=\S+\s)")

LEAD_FILLER = Phrases(
    r"^(?:(?:scratch that|strike that|never ?mind|ok(?:ay)?|oh|ah|hm+|uh|well|so|yeah|yes|yep|right|"
    r"um(?!\s+(?:\d|so\b|a\b))|sure|great|good|perfect|nice|cool|alright|all right|"
    r"(?:hey|hi|hello)(?: (?:there|[a-z]+(?=[,!.])))?|"
    r"aw+|"
    r"(?:good )?morning|btw|by the way|fyi|also|and|but|anyway|anyways|honestly|basically|ugh|oops|wow|"
    r"haha|lol|clear|makes sense|just so you know|for the record|one more thing|i think|i guess|i mean|"
    r"you know|look|listen|then|thanks(?: a lot)?|thank you(?: so much)?|got it|sounds good|agreed|"
    r"quick (?:note|update|one))(?:\s*[,.!:;…—–-]+\s*|\s+(?=(?:i|i'm|i've|we|it's|then|no|let's|the|my|"
    r"and|so|that|there|this|[a-z0-9])\b)))+"
)

LEAD_LABEL = Phrases(
    r"^[^:.!?\d]{0,40}\b(?:rules?|note|notes|reminder|update|background|heads[- ]up|fyi|info|news|"
    r"change of plans?|decision|people|side note|status)\b[^:.!?\d]{0,40}:\s+(?=\S)"
)

KIND_OF_LABEL: tuple[tuple[Phrases, Kind], ...] = (
    (phrases(r"rules?"), Kind.PREFERENCE),
    (phrases(r"decision / change of plans?"), Kind.DECISION),
    (phrases(r"reminder"), Kind.NEXT_STEP),
)

ANNOUNCEMENT = Phrases(
    r"^(?:here (?:is|are)|here's|two|three|four|five|a few|some|a couple|one|another|my|"
    r"the)\b[^.:!?]{0,60}\b(?:rules?|things?|points?|notes?|updates?|questions?|log|output|code|example|"
    r"snippet|draft|list|version)\b[^.:!?\d]*[.:]?$"
)

# "… so here's my code:" before something pasted.
SHOWING = Phrases(
    r"(?:^|[,;.]\s*|\s)(?:(?:so|and|but|for example|something like)[, ]+)*(?:here(?:'s| is| are)|this is|"
    r"i'm thinking(?: of)? something like|i've got (?:the following|this)|(?:looks?|something|is set up|"
    r"set up|defined|structured) like this|as follows|like so)\b[^.!?]*:\s*$"
)

# A clause that says only that something is wanted, or how the speaker feels about it.
VAGUE = Phrases(
    r"^(?:and |but |so |also |because |since |as |then |or )*(?:i'?m |i am |i |we |it'?s |it is |that'?s |"
    r"this is |maybe |perhaps |something like)(?:really |just |also |still |now |currently |not |would |"
    r"'d )*(?:(?:want|need|like|hope|hoping|wanting|looking|trying) (?:to |for )(?:(?:make|be) sure|"
    r"ensure|see|know|understand|learn|get|some|find|use|do|implement|handle|improve|optimi[sz]e|consider|"
    r"avoid|create|add|figure|discuss|review|help|be|have)|(?:quite |so )?sure|having (?:trouble|"
    r"a hard time|difficulty|some)|struggling|wondering|curious|worried|concerned|excited|eager|confused|"
    r"stuck|important|we can|i can|that\b)"
)

CLAUSE_BREAK = re.compile(
    r",\s+(?=(?:and|but|so|because|since|which|while|as|especially|considering|given|maybe|or|also|then|"
    r"where|including|specifically|like|plus|although|though)\b)|;\s+|\s+(?=(?:and|but|so) (?:i|i'm|i've|"
    r"i'd|we|we're|we've|it's)\b)|,\s+(?=(?:i|i'm|i've|i'd|we|we're|we've)\b)",
    re.IGNORECASE,
)

TAIL_FILLER = Phrases(
    r"(?:(?:[,;]\s*|\s+)(?:please|btw|by the way|thanks(?: a lot)?|thank you|thx|haha|lol|you know|i guess|"
    r"right|and|but|"
    r"so|because|also|or(?: maybe)?|hang on|if that makes sense))+[.!]*$"
)

# What fills inside a sentence.
INNER_WORDS = (  # one of them stands in each
    "btw", "by the way", "that makes sense", "mentioned", "suggested", " said", "you know", "honestly",
    "guess", "i mean", "kinda", "sorta", "really", " just",
    "actually", "currently", "definitely", "basically",
)  # fmt: skip
INNER_FILLER = Phrases(
    r",? (?:btw|by the way|if that makes sense|(?:like|as) (?:you|i) (?:said|mentioned|suggested))(?=[.,;]|"
    r"$)|"
    r", (?:you know|honestly|i guess|i mean|to be honest)(?=,)| (?:kinda|sorta)(?= )|(?:(?<=\bi )|"
    r"(?<=\bi'm )|"
    r"(?<=\bi've )|(?<=\bwe )|(?<=\bwe're )|(?<=\bwe've ))(?:(?:really|just|actually|currently|definitely|"
    r"basically) )+(?=\w)"
)

LEAD_SELF = Phrases(
    r"^(?:i'm|i am)\s+(?:(?:currently|now|also|just|really|still|kinda|kind of|sorta|sort of|a bit|"
    r"a little|so|pretty|very)\s+)*(?=\w+ing\b|(?:worried|nervous|stressed|excited|concerned|curious|"
    r"motivated|torn|anxious|overwhelmed|proud|confused|frustrated|relieved|stuck)\b)"
)

# What a request begins with, before what is asked for.
LEAD_REQUEST = Phrases(
    r"^(?:(?:and|but|so|or|then|maybe|perhaps|also)[, ]+)*(?:(?:can|could|would|will) you (?:please |"
    r"also |maybe )*(?:help me (?:to |with |out )?|give me |tell me |show me |explain |provide |"
    r"suggest )?|please (?:help me (?:to |with )?)?|i(?:'m| was| am)? wondering (?:if |how |what )?)"
)

DANGLING = Phrases(
    r"\b(?:on|about|with|of|to|that|for|and|or|but|by|from|at|in|the|a|an|my|if|whether|how|what|because|"
    r"like|know|see|understand)$"
)

# A sentence that leans on the one before it.
LEANING = Phrases(
    r"^(?:(?:it|its|it's|this|that|that's|these|those|they|they're|he|she|him|her|his|their|there|then|so|"
    r"because|reason|also|otherwise|only|which|who|but|hence|thus|therefore|including|especially|by|until|"
    r"same|both|not|one|happy)\b|and (?:it|that|this|they|then))"
)

# Points at something said before without naming it.
POINTS_BACK = phrases(
    r"""
    it / them / that one / same (?:day|time|place|way) / the others? / him / (?:that|this|those)$
    (?:for|to|with|from|give|ask|tell|told|call|see) her$
"""
)

# A part of what was just named: "The budget is 340".
PART_OF = Phrases(
    r"^the (?!plan\b|reason\b|problem\b|rest\b)[a-z]+ (?:is|are|was|were|will be|starts?|ends?) "
)

# A reason belongs to what it is given for.
REASON = phrases(
    r"""
    reason / because / since / otherwise / so that / so (?:i|we|it|they) / that'?s why / due to
    were? a mistake
"""
)
