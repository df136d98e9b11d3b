"""How an assistant reports: what it says around its answer, and how success and failure read.

Tables only.
"""

from __future__ import annotations

from scrimshaw.core.language.patterns import Phrases, phrases

# Things an assistant says around its answer.
ASSISTANT_FILLER = Phrases(
    r"(?s)^(?:understood|got it|noted|sure|certainly|of course|great|ok(?:ay)?|let me\b.*|i'll\b.*|"
    r"i will\b.*|i can\b.*|i have noted.*|thanks.*|thank you.*|you're welcome.*|happy to.*|no problem.*|"
    r"absolutely.*|done|here(?:'s| is| are)\b.*:|want me to\b.*|shall i\b.*|would you\b.*|let me know\b.*|"
    r"if you\b.*|let'?s\b.*|below (?:is|are)\b.*|it (?:looks|seems|sounds) like\b.*|"
    r"your .{3,60} (?:looks?|is) (?:good|great|solid|quite|correct|well)\b.*|feel free.*|recorded|"
    r"delivered|started\b.*|now(?:,? let'?s| you can| run| try)\b.*|(?:run|try|test) (?:it|this)\b.*|"
    r"good news|you (?:said|told me|mentioned)\b.*|.*\?|.*\b(?:addressed to assistants|ignored it"
    r"|did not follow|"
    r"instructions? (?:in|inside|to me)|change my memory)\b.*|"
    r"(?:i'?ve |i have |i )?(?:now |also )?(?:saved|noted|stored|recorded|added|remembered|wrote|written|"
    r"put)\b.{0,60}\b(?:to|in|into|down in) (?:my |your |the |long-term )*`?(?:memory|user|profile)"
    r"(?:\.md)?`?)[.!]*$"
)

# How an assistant begins to say what it will do.
LEAD_ASSISTANT = Phrases(r"^(?:(?:then|and|so) )?(?:i'll|i will|i'd|i would|i've|i have) ")

_YES = r"^(?:(?:ok(?:ay)?|sure|great|yes|perfect|right|of course|certainly|all)\b[,.!]* )*"
# How it answers an order: that it was carried out, or that it will be.
DONE = Phrases(
    _YES + r"(?:done\b|(?:i've|i have|it's|it is) (?:now |just |already )?(?:\w+ed|done|sent|paid|made|put|"
    r"written|taken|bought|told|set)\b(?! (?:to|that)\b))"
)
PROMISED = Phrases(
    _YES
    + r"(?:(?:will do|on it|i'll|i will|noted|got it|right away)\b(?! (?:love|enjoy|try|keep|see))|[.!]*$)"
)

FAILED = phrases(
    r"""
    fail(?:ed|s|ure)? / stopped / error / blocked / could not / couldn't / cannot / can't / not found
    refused / denied / timed out / broken / crash(?:ed|es)? / warning
"""
)

SUCCEEDED = phrases(
    r"""
    done / live / passed? / passes / works / working / fixed / created / written / deployed / merged
    closed / succeeded / successful(?:ly)? / completed? / installed / updated / added / pushed / released
    restarted
"""
)

# Text in a tool's output, a paste or a quotation that speaks to the agent.
ADDRESSES_AGENT = phrases(
    r"""
    (?:note|message|instructions?) (?:to|for) (?:all |any |the )?(?:ai|assistants?|agents?|models?|llms?)
    (?:ignore|disregard) (?:all |any |the )?(?:previous|prior|above|earlier) (?:instructions?|messages?|
        rules?)
    (?:store|save|add|write|put) (?:this|the following|it) (?:in|into|to) (?:your )?memory
    remember (?:that )?the user / the user (?:wants|prefers|has approved|said|wishes) / system prompt
    you (?:are|must) now
"""
)
