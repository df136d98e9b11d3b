"""Secrets known by what is said around them: key blocks, URLs, headers, assignments, sentences.

Each reader is called where its cue stands, with the text, the text in lower case (same positions)
and the position; it looks at a bounded stretch and returns what it found. What
counts as a value is decided in scrimshaw/secret_values. All quantifiers are bounded.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from typing import NamedTuple

from scrimshaw.secret_values import (
    MASKED,
    PROSE,
    counts,
    is_mixed,
    is_password,
    is_random,
    is_value,
    kind_of_name,
)


class Hit(NamedTuple):
    """Where a secret stands, and of what kind it is."""

    start: int
    end: int
    kind: str


class Place(NamedTuple):
    """Where a cue stands: the text, the same in lower case with the same positions, and the position."""

    text: str
    lower: str
    position: int


# ---- private keys, whole or cut off at either end

_KEY_HEAD = re.compile(r"-{2,5}\s?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?\s?-{0,5}")
_KEY_LINE = re.compile(
    r"(?:\s|\\[nrt]|[>|*\"',+\\-]){0,16}(?:[A-Za-z0-9+/=]{16,8000}|[A-Z][A-Za-z-]{2,20}: [^\n\\]{1,100})"
)
_KEY_REST = re.compile(
    r"[\sA-Za-z0-9+/=\\\"',>|*]{0,120}?-{2,5}\s?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?\s?-{0,5}"
    r"|(?:\s|\\[nr]){0,4}[A-Za-z0-9+/]{1,15}={1,2}"
)
_KEY_TAIL = re.compile(
    r"(?:[A-Za-z0-9+/=]{1,100}(?:\s"
    r"|\\[nr]){1,4}){1,200}-{2,5}\s?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?\s?-{0,5}"
)
_PUTTY = re.compile(r"private-lines: ?\d{1,3}(?:(?:\s|\\[nr]){1,4}[A-Za-z0-9+/=]{4,100}){1,200}")


def _key_block(place: Place) -> list[Hit]:
    text, _, position = place
    begin = text.rfind("BEGIN ", max(0, position - 50), position)
    end = text.rfind("END ", max(0, position - 50), position)
    if begin < 0 and end < 0:
        return []
    if end > begin:
        return _key_tail(text, end)
    head = _KEY_HEAD.match(
        text, text.rfind("\n", 0, begin) + 1 if text[begin - 5 : begin] != "-----" else begin - 5
    )
    if head is None:
        return []
    stop = head.end()
    while line := _KEY_LINE.match(text, stop):
        stop = line.end()
    rest = _KEY_REST.match(text, stop)
    stop = rest.end() if rest else stop
    return [Hit(head.start(), stop, "private-key")] if stop > head.end() else []


def _key_tail(text: str, end: int) -> list[Hit]:
    """Find the lines before an END line whose BEGIN was cut off."""
    floor = max(0, end - 6000)
    for start in _line_starts(text, floor, end):
        if (match := _KEY_TAIL.match(text, start)) and match.end() > end:
            return [Hit(*match.span(), "private-key")]
    return []


def _line_starts(text: str, floor: int, end: int) -> list[int]:
    """Return where the unbroken block of base64 lines before *end* begins, if there is one."""
    start = text.rfind("\n", floor, end) + 1
    while start > floor + 1:
        previous = max(text.rfind("\n", floor, start - 1) + 1, floor)
        line = text[previous : start - 1].strip()
        if not line or re.fullmatch(r"[A-Za-z0-9+/=]{1,100}", line) is None:
            break
        start = previous
    return [start]


def _putty(place: Place) -> list[Hit]:
    _, lower, position = place
    match = _PUTTY.match(lower, position)
    return [Hit(*match.span(), "private-key")] if match else []


# ---- assignments

_NAME_TABLE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
_ASSIGNMENT = re.compile(
    r"(?P<name>[\w.-]{1,100})(?:\\?[\"'`]|\])?(?P<op>\s{0,3}(?:=>|:=|:|==?)\s{0,3}|\s{1,2})(?:b|r|f|u)?"
    r"(?:(?P<quote>\\?[\"'`])(?P<quoted>[^\"'`\n\\]{3,400})(?=\\?[\"'`])|(?P<bare>[^\s\"'`,;<>\\&|]{4,400}))"
)


def _assigned(place: Place) -> list[Hit]:
    text, _, position = place
    start = position
    while start > 0 and position - start < 60 and text[start - 1] in _NAME_TABLE:
        start -= 1
    match = _ASSIGNMENT.match(text, start)
    if match is None or match.end("name") < position:
        return []
    name, value = match["name"], match["quoted"] or match["bare"]
    if not match["op"].strip() and not name.startswith("--"):
        return []
    group = "quoted" if match["quoted"] else "bare"
    if name in ("PASS", "pass") and group == "bare" and ":" in match["op"]:  # a test's outcome
        return []
    if group == "bare":
        value = value.rstrip(").]}!?:")
    kind = kind_of_name(name)
    if kind is None or not counts(kind, name, value, is_quoted=group == "quoted"):
        return []
    return [Hit(match.start(group), match.start(group) + len(value), kind)]


# ---- sentences

_TOLD = re.compile(
    r"(?:password|passphrase|passcode|passwort|passwd|pwd|pw|pin)\b['’\"]?s?"
    r"(?:\s+(?:for|of|on|at|in|from)\s+[^\n.:=!?]{1,60}?)?"
    r"(?:\s*[:=]|\s+(?:(?:is\s+|was\s+|has\s+been\s+)?(?:changed|set|reset|rotated|updated)\s+to"
    r"|is\s+now|is|was|will\s+be|ist|lautet|(?P<to>to)))"
    r"\s*:?\s*(?P<mark>[\"'`“*]{0,2})(?P<value>[^\n\"`”]{3,120})"
)
_CHANGED = re.compile(r"\b(?:chang|set|reset|updat|rotat)\w*\b[^.!?\n]{0,40}$")
_WITH = re.compile(r"(?:password|passphrase|passwd|pwd|pw)\s+(?P<value>[^\s\"'`]{5,80})")
_BEFORE = re.compile(
    r"(?P<value>[^\s\"'`]{6,80})[\"'`”]?,?\s+(?:is|was|as)\s+(?:the|my|our|your|his|her"
    r"|their)\s+(?:[\w-]+\s+){0,3}$"
)


def _told(place: Place) -> list[Hit]:
    text, lower, position = place
    match = _TOLD.match(lower, position)
    if match is not None and (not match["to"] or _CHANGED.search(lower, max(0, position - 60), position)):
        start = match.start("value")
        value = text[start : match.end("value")]
        if match["mark"]:
            value = re.split(r"[\"'`”*]", value)[0]
            if (
                3 <= len(value) <= 80
                and is_value(value)
                and not value.islower() | (" " in value and "phrase" not in match.group())
            ):
                return [Hit(start, start + len(value), "password")]
        return _spoken(value, start, is_phrase=lower.startswith("passphrase", position))
    match = _WITH.match(lower, position)
    if match is not None:
        value = text[match.start("value") : match.end("value")].rstrip(".,;:!?)")
        follows_login = "login " in lower[max(0, position - 60) : position]
        if len(value) >= 6 and is_password(value) and (follows_login or is_mixed(value)):
            return [Hit(match.start("value"), match.start("value") + len(value), "password")]
    if not lower.startswith(" ", position - 1):
        return []
    before = _BEFORE.search(text, max(0, position - 110), position)
    if before is not None and is_mixed(before["value"]) and is_password(before["value"]):
        return [Hit(before.start("value"), before.end("value"), "password")]
    return []


def _spoken(rest: str, start: int, *, is_phrase: bool) -> list[Hit]:
    """Read the password from the words after "the password is"."""
    if is_phrase and (phrase := re.match(r"(?:[a-zA-Z]{3,12}[ -]){3,7}[a-zA-Z]{3,12}(?=[.,;!?)\s]|$)", rest)):
        words = re.split("[ -]", phrase.group().lower())
        if PROSE.isdisjoint(words[1:]):
            return [Hit(start, start + phrase.end(), "password")]
    word = re.match(r"\S+", rest)
    if word is None:
        return []
    value = word.group().rstrip(".,;:!?)*'\"")
    is_alone = re.match(r"\s*(?:[.,;!?)]|$|\()", rest[len(value) :]) is not None
    plain = (
        value.isalpha() and len(value) >= 5 and value.lower() not in PROSE and is_alone and is_value(value)
    )
    if (is_password(value) and value.lower() not in PROSE) or plain:
        return [Hit(start, start + len(value), "password")]
    return []


_KEY_TOLD = re.compile(
    r"(?:token|secret|key|credentials?)(?:\s+(?:for|of|to)\s+[\w .-]{1,40}?)?(?:\s+(?:is\s+now"
    r"|is|was|are)\s*:?|:)\s*[\"'`*]{0,2}"
    r"(?P<value>[^\s\"'`*,;]{8,200})"
)
_LOGIN = re.compile(
    r"credentials?(?:\s+(?:for|of|to)\s+[\w .-]{1,40}?)?(?:\s+(?:are|is)\s*:?"
    r"|:)\s*[^\s:/]{1,64}\s?[/:]\s?(?P<value>[^\s\"'`,;]{4,80})"
)


def _named(place: Place) -> list[Hit]:
    """Read what follows "token", "secret", "key": an assignment, else a sentence."""
    text, lower, position = place
    if hits := _assigned(place):
        return hits
    match = _KEY_TOLD.match(lower, position)
    if match is not None:
        value = text[match.start("value") : match.end("value")].rstrip(".!?)")
        if is_random(value):
            return [Hit(match.start("value"), match.start("value") + len(value), "secret")]
    match = _LOGIN.match(lower, position)
    if match is not None:
        value = text[match.start("value") : match.end("value")].rstrip(".!?)")
        if is_password(value) and is_mixed(value):
            return [Hit(match.start("value"), match.start("value") + len(value), "password")]
    return []


def _password(place: Place) -> list[Hit]:
    return _assigned(place) or _told(place)


# ---- URLs, headers, commands

_USERINFO = re.compile(
    r"(?P<user>[^\s/@:\"'<>`\\]{0,120}):(?P<value>[^\s/@\"'<>`\\]{1,200}(?:@[^\s/@\"'<>`\\.]{1,40})?)@(?=[\w\[$.-])"
)
_USER_TOKEN = re.compile(r"(?P<value>[A-Za-z0-9_-]{20,200})@(?=[\w.-]+\.)")
_WEBHOOK = re.compile(
    r"(?:hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/(?P<v1>[\w/+-]{10,200})"
    r"|(?:\w+\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/(?P<v2>\d{10,25}/[\w-]{20,120})"
    r"|[\w.-]{1,80}\.webhook\.office\.com/webhookb2/(?P<v3>[\w@/-]{30,300})"
    r"|[\w.-]{1,80}\.logic\.azure\.com[^\s\"']{0,200}?[?&]sig=(?P<v4>[\w%-]{20,100})"
    r"|chat\.googleapis\.com/v1/spaces/(?P<v5>[\w/-]{5,60}\?[^\s\"'<>]{20,300})"
    r"|hooks\.zapier\.com/hooks/catch/(?P<v6>[\w/]{8,80})|hook\.[\w.]{2,20}\.make\.com/(?P<v7>\w{20,80})"
    r"|maker\.ifttt\.com/trigger/[\w-]{1,80}/(?:json/)?with/key/(?P<v8>[\w-]{15,80})"
    r"|api\.telegram\.org/bot(?P<v9>\d{6,12}:[\w-]{30,50})|open\.(?:feishu\.cn"
    r"|larksuite\.com)/open-apis/bot/v2/hook/(?P<v10>[\w-]{20,60})"
    r"|[\w.-]{0,40}mattermost[\w.-]{0,60}/hooks/(?P<v11>[a-z0-9]{20,40})"
    r"|[\w.-]{1,80}/rest/\d+/(?P<v12>[a-z0-9]{16})/)"
)
_BEARER = re.compile(r"bearer[\"']?[\s:=]{1,3}[\"']?(?P<value>[A-Za-z0-9._~+/=-]{12,4000})")
_BASIC = re.compile(r"basic\s{1,3}(?P<value>[A-Za-z0-9+/]{8,400}={0,2})")
_HEADER = re.compile(
    r"authorization\\?[\"']?\s?[:=,]\s?\\?[\"']?(?:[a-z-]{2,20}\s{1,2})?(?P<value>[^\s\"'\\,;]{12,2000})"
)
_COOKIE = re.compile(
    r"[\w.-]{0,30}(?:sess|sid|token|auth|jwt)[\w.-]{0,30}=(?P<value>[^\s;\"',]{16,1000})", re.IGNORECASE
)
_COMMANDS = re.compile(
    r"(?:-u|-user)[ =][\"']?[^\s:\"'$]{1,64}:(?P<v1>[^\s\"'$]{4,120})"
    r"|sshpass\s+-p\s*[\"']?(?P<v2>[^\s\"'$]{3,120})"
    r"|identified\s+(?:with\s+\w+\s+)?by\s+[\"'](?P<v3>[^\"'\n]{3,120})[\"']"
    r"|requirepass\s+[\"']?(?P<v4>[^\s\"'$]{4,120})"
    r"|mysql(?:dump|admin)?\b[^\n|;]{0,120}?\s-p(?P<v5>[^\s\"'$-][^\s\"'$]{3,100})"
)
_PAYPAL = re.compile(r"access_token\$production\$[0-9a-z]{16}\$[0-9a-f]{32}")
_AZURE = re.compile(r"[\w~.-]{3}\dQ~[\w~.-]{31,36}")


def _url(place: Place) -> list[Hit]:
    text, _, position = place
    after = position + 3
    if (match := _WEBHOOK.match(text, after)) and match.lastgroup:
        return [Hit(*match.span(match.lastgroup), "webhook")]
    if text.find("@", after, after + 360) < 0:
        return []
    match = _USERINFO.match(text, after)
    if match is not None:
        value = match["value"]
        is_code = (
            value.startswith(("$", "{", "%(", "[redacted", "<", "*")) or MASKED.search(value) is not None
        )
        if is_code or value.lower() in ("password", "pass", "pwd", "pw", "port", "secret", "token"):
            return []
        return [Hit(*match.span("value"), "url-password")]
    match = _USER_TOKEN.match(text, after)
    return [Hit(*match.span("value"), "url-password")] if match and is_random(match["value"]) else []


def _bearer(place: Place) -> list[Hit]:
    text, _, position = place
    match = _BEARER.match(
        text[position : position + 4100].replace(text[position : position + 6], "bearer", 1)
    )
    if (
        match is None
        or not (is_random(match["value"]) or is_mixed(match["value"]))
        or not is_value(match["value"])
    ):
        return []
    return [Hit(position + match.start("value"), position + match.end("value"), "bearer")]


def _basic(place: Place) -> list[Hit]:
    text, _, position = place
    match = _BASIC.match("basic" + text[position + 5 : position + 420])
    if match is None:
        return []
    try:
        decoded = base64.b64decode(match["value"] + "=" * (-len(match["value"]) % 4), validate=True)
    except binascii.Error:
        return []
    if b":" not in decoded or not decoded.isascii() or any(byte < 32 for byte in decoded):
        return []
    return [Hit(position + match.start("value"), position + match.end("value"), "basic-auth")]


def _header(place: Place) -> list[Hit]:
    text, lower, position = place
    match = _HEADER.match(lower, position)
    if match is None or not is_random(text[match.start("value") : match.end("value")]):
        return []
    return [Hit(*match.span("value"), "authorization")]


def _cookie(place: Place) -> list[Hit]:
    text, _, position = place
    stretch = text[position : position + 1200].split("\n", 1)[0]
    return [
        Hit(position + match.start("value"), position + match.end("value"), "cookie")
        for match in _COOKIE.finditer(stretch)
        if is_random(match["value"])
    ]


def _command(place: Place) -> list[Hit]:
    text, lower, position = place
    match = _COMMANDS.match(text, position) or _COMMANDS.match(lower, position)
    if match is None or match.lastgroup is None or not is_value(text[slice(*match.span(match.lastgroup))]):
        return []
    return [Hit(*match.span(match.lastgroup), "password")]


def _azure(place: Place) -> list[Hit]:
    text, _, position = place
    match = _AZURE.match(text, max(0, position - 4))
    return [Hit(*match.span(), "azure-secret")] if match else []


def _paypal(place: Place) -> list[Hit]:
    text, _, position = place
    match = _PAYPAL.match(text, position - 7)
    return [Hit(*match.span(), "paypal-token")] if match else []


def _key(place: Place) -> list[Hit]:
    _, lower, position = place
    if lower.startswith("private ", position - 8):
        return _key_block(place._replace(position=position - 8))
    if lower.startswith("putty-user-", position - 11):
        lines = lower.find("private-lines", position, position + 4000)
        return _putty(place._replace(position=lines)) if lines > 0 else []
    return _named(place)


def _pass(place: Place) -> list[Hit]:
    _, lower, position = place
    for command, before in (("sshpass", 3), ("requirepass", 7)):
        if lower.startswith(command, position - before):
            return _command(place._replace(position=position - before))
    return _password(place)


def _auth(place: Place) -> list[Hit]:
    _, lower, position = place
    if lower.startswith("authorization", position):
        return _header(place)
    return _assigned(place)


def _token(place: Place) -> list[Hit]:
    _, lower, position = place
    if lower.startswith("$production$", position + 5):
        return _paypal(place)
    return _named(place)


CUES: tuple[tuple[str, Callable[[Place], list[Hit]]], ...] = (
    *(("://", _url), ("bearer", _bearer), ("basic ", _basic), ("auth", _auth), ("cookie", _cookie)),
    *(("pass", _pass), ("pw", _password), ("secret", _named), ("token", _token), ("key", _key)),
    *(("credential", _named), ("sig", _assigned), ("q~", _azure)),
    *(("-u", _command), ("identified ", _command), ("mysql", _command)),
)
