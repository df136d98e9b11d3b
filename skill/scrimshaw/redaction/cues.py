"""Secrets known by what is said around them: key blocks, URLs, headers, assignments, sentences.

Each reader is called where its cue stands; it looks at a bounded stretch and returns what it found. What
counts as a value is decided in redaction/values.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator

from scrimshaw.core.text.normalize import lowered
from scrimshaw.redaction.said import said
from scrimshaw.redaction.values import (
    MASKED,
    CuePlace,
    Hit,
    counts,
    is_mixed,
    is_random,
    is_value,
    kind_of_name,
)
from scrimshaw.redaction.words import NOUNS, Noun, any_of

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


def _key_block(place: CuePlace) -> list[Hit]:
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
    match = _KEY_TAIL.match(text, _block_start(text, max(0, end - 6000), end))
    return [Hit(*match.span(), "private-key")] if match and match.end() > end else []


def _block_start(text: str, floor: int, end: int) -> int:
    """Return where the unbroken block of base64 lines before *end* begins, else the start of its line."""
    start = text.rfind("\n", floor, end) + 1
    while start > floor + 1:
        previous = max(text.rfind("\n", floor, start - 1) + 1, floor)
        line = text[previous : start - 1].strip()
        if not line or re.fullmatch(r"[A-Za-z0-9+/=]{1,100}", line) is None:
            break
        start = previous
    return start


def _matched(pattern: re.Pattern[str], text: str, start: int, kind: str) -> list[Hit]:
    match = pattern.match(text, max(0, start))
    return [Hit(*match.span(), kind)] if match else []


# ---- assignments

_NAME_TABLE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
_ASSIGNMENT = re.compile(
    r"(?P<name>[\w.-]{1,100})(?:\\?[\"'`]|\])?(?P<op>\s{0,3}(?:=>|:=|:|==?)\s{0,3}|\s{1,2})(?:b|r|f|u)?"
    r"(?:(?P<quote>\\?[\"'`])(?P<quoted>[^\"'`\n\\]{3,400})(?=\\?[\"'`])|(?P<bare>[^\s\"'`,;<>\\&|]{4,400}))"
)


def _assigned(place: CuePlace) -> list[Hit]:
    text, _, position = place
    start = position
    while start > 0 and position - start < 60 and text[start - 1] in _NAME_TABLE:
        start -= 1
    match = _ASSIGNMENT.match(text, start)
    if match is None or match.end("name") < position:
        return []
    name, value = match["name"], match["quoted"] or match["bare"]
    if not match["op"].strip() and not name.startswith("-"):
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
_COOKIE_NAME = re.compile(r"sess|sid|token|auth|jwt", re.IGNORECASE)
_COOKIE_VALUE = re.compile(r"[^\s;\"',]{16,1000}")
# Programs that take a password by a letter: (the program, its options, what stands between option and value).
_TAKES = (
    ("login", "-p", "[ =]"),  # docker, podman, helm registry, az, oc
    ("redis-cli", "-a|--pass", "[ =]"),
    ("mysql", "-p", ""),
    ("mariadb", "-p", ""),
    ("mongo", "-p", "[ =]"),
    ("cqlsh", "-p", "[ =]"),
    ("7z", "-p", ""),
    ("zip", "-P", "[ ]?"),
    ("rar", "-h?p", ""),
    ("ldap", "-w", "[ ]?"),
    ("sqlcmd", "-P", "[ ]?"),
    ("bcp", "-P", "[ ]?"),
    ("smbclient", "-U", "[ =]?[^\\s%]{1,40}%"),
    ("psexec", "-p", "[ ]"),
    ("openssl", "-k", "[ ]"),
    ("htpasswd", "-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}", r" [^\s]{1,100} [^\s]{1,60} "),
    ("rabbitmqctl", "", r"(?:add_user|change_password) [^\s]{1,60} "),
    ("wpa_passphrase", "", r"[^\s]{1,40} "),
)
PROGRAMS = tuple(program for program, _, _ in _TAKES)
_OPTION = r"[^\n|;]{0,160}?\s"
_WORTH = r"[\"']?(?P<%s>[^\s\"'$-][^\s\"'|]{2,100})"
_COMMANDS = re.compile(
    r"(?: -u| --user)[ =]?[\"']?[^\s:\"'$]{1,64}:(?P<v1>[^\s\"'$][^\s\"']{3,119})"
    r"|sshpass\s{1,3}-p\s{0,3}[\"']?(?P<v2>[^\s\"'$][^\s\"']{2,119})"
    r"|identified\s{1,3}(?:with\s{1,3}\w{1,40}\s{1,3})?by\s{1,3}[\"'](?P<v3>[^\"'\n]{3,120})[\"']"
    r"|requirepass\s{1,3}[\"']?(?P<v4>[^\s\"'$][^\s\"']{3,119})"
    r"|-pass(?:in|out)?[ =][\"']?pass:(?P<v5>[^\s\"'$][^\s\"']{2,119})|"
    + "|".join(
        rf"{program}[\w-]{{0,12}}{_OPTION}(?:{options}){between}" + _WORTH % f"p{number}"
        for number, (program, options, between) in enumerate(_TAKES)
    )
)
_PIPED = re.compile(
    r"(?:echo|printf|<<<)\s{1,3}(?:-[ne]\s)?[\"']?(?:[^\s:\"'$|]{1,60}:)?(?P<value>[^\s\"'$|][^\s\"'|]{3,119})[\"']?\s{0,3}\|\s{0,3}(?:sudo\s{1,3})?$"
)
_PAYPAL = re.compile(r"access_token\$production\$[0-9a-z]{16}\$[0-9a-f]{32}")
_AZURE = re.compile(r"[\w~.-]{3}\dQ~[\w~.-]{31,36}")


def _url(place: CuePlace) -> list[Hit]:
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


def _bearer(place: CuePlace) -> list[Hit]:
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


def _basic(place: CuePlace) -> list[Hit]:
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


def _header(place: CuePlace) -> list[Hit]:
    text, lower, position = place
    match = _HEADER.match(lower, position)
    if match is None or not is_random(text[match.start("value") : match.end("value")]):
        return []
    return [Hit(*match.span("value"), "authorization")]


def _cookie(place: CuePlace) -> list[Hit]:
    """Read `a=b; session=c`, at most thirty of them."""
    text, _, position = place
    stretch = text[position : position + 1200].split("\n", 1)[0]
    hits = []
    for pair in stretch.split(";", 30)[:30]:
        name, equals, value = pair.partition("=")
        start = position + len(name) + 1
        position += len(pair) + 1
        match = _COOKIE_VALUE.match(value.lstrip("\"'"))
        if equals and match and _COOKIE_NAME.search(name[-60:]) and is_random(match.group()):
            start += len(value) - len(value.lstrip("\"'"))
            hits.append(Hit(start, start + len(match.group()), "cookie"))
    return hits


def _command(place: CuePlace) -> list[Hit]:
    text, lower, position = place
    if lower.startswith(("chpasswd", "sudo "), position):
        piped = _PIPED.search(text, max(0, position - 200), position)
        return [Hit(*piped.span("value"), "password")] if piped and is_value(piped["value"]) else []
    match = _COMMANDS.match(text, position) or _COMMANDS.match(lower, position)
    if match is None or match.lastgroup is None:
        return []
    value = match[match.lastgroup]
    if not is_value(value) or re.fullmatch(r"\d+:\d+", value):
        return []
    return [Hit(*match.span(match.lastgroup), "password")]


def _azure(place: CuePlace) -> list[Hit]:
    return _matched(_AZURE, place.text, place.position - 4, "azure-secret")


def _key(place: CuePlace) -> list[Hit]:
    _, lower, position = place
    if lower.startswith("private ", position - 8) and (
        block := _key_block(place._replace(position=position - 8))
    ):
        return block
    if lower.startswith("putty-user-", position - 11):
        lines = lower.find("private-lines", position, position + 4000)
        return _matched(_PUTTY, lower, lines, "private-key") if lines > 0 else []
    return _assigned(place)


def _pass(place: CuePlace) -> list[Hit]:
    _, lower, position = place
    for command, before in (
        ("sshpass", 3),
        ("requirepass", 7),
        ("chpasswd", 2),
        ("-passin", 1),
        ("-passout", 1),
        ("-pass ", 1),
    ):
        if lower.startswith(command, position - before):
            return _command(place._replace(position=position - before))
    return _assigned(place)


def _auth(place: CuePlace) -> list[Hit]:
    _, lower, position = place
    if lower.startswith("authorization", position):
        return _header(place)
    return _assigned(place)


def _token(place: CuePlace) -> list[Hit]:
    text, lower, position = place
    if lower.startswith("$production$", position + 5):
        return _matched(_PAYPAL, text, position - 7, "paypal-token")
    return _assigned(place)


Reader = Callable[[CuePlace], list[Hit]]


def _told(noun: Noun) -> tuple[str, Reader]:
    """Return the cue of *noun*: what its own reader finds and what is said behind it."""
    own = _NAMED.get(noun.stem)
    if own is None:
        return noun.stem, lambda place: said(place, noun)
    return noun.stem, lambda place: own(place) + said(place, noun)


_NAMED: dict[str, Reader] = {
    **dict.fromkeys(("pw", "secret", "cred", "kennw"), _assigned),
    "cookie": _cookie,
    "key": _key,
    "pass": _pass,
    "token": _token,
}
_READERS: dict[str, list[Reader]] = {}
for _word, _read in (
    *(("://", _url), ("bearer", _bearer), ("basic ", _basic), ("auth", _auth), ("q~", _azure)),
    *((word, _assigned) for word in ("sig", "sessid", "sessionid", "connect.sid")),
    *((word, _command) for word in (" -u", " --user", "sudo ", "identified ", *PROGRAMS)),
    *map(_told, NOUNS),
):
    _READERS.setdefault(_word, []).append(_read)
_LETTER = re.compile(r"[^\W\d_]+")
# A cue is looked for where one of its words stands; those that have none, everywhere.
_EVERYWHERE = tuple(cue for cue in _READERS if max(map(len, _LETTER.findall(cue)), default=0) < 2)
_BY_STEM: dict[str, tuple[str, ...]] = {}
for _word in _READERS:
    if _word not in _EVERYWHERE:
        _stem = max(_LETTER.findall(_word), key=len)
        _BY_STEM[_stem] = (*_BY_STEM.get(_stem, ()), _word)
_STEM = re.compile(any_of(_BY_STEM))
_APART = bytes(b if b > 127 or chr(b).isalpha() else 32 for b in range(256))
_MOST_WORDS = 40_000
_plain: set[bytes] = set()  # words that hold no cue: text is made of few different ones
_telling: dict[bytes, tuple[str, ...]] = {}  # the cues of those that do


def _cues_in(lower: str) -> set[str]:
    """Return the cues that may stand in *lower*: each different word is looked at once, and remembered."""
    found = {cue for cue in _EVERYWHERE if cue in lower}
    for word in set(lower.encode("utf-8", "replace").translate(_APART).split()) - _plain:
        cues = _telling.get(word)
        if cues is None:
            if len(_plain) + len(_telling) >= _MOST_WORDS:
                _plain.clear()
                _telling.clear()
            letters = word.decode("utf-8", "replace")
            cues = ()
            if _STEM.search(letters):
                cues = tuple(cue for stem, cues in _BY_STEM.items() if stem in letters for cue in cues)
            if len(word) < 40 and cues:
                _telling[word] = cues
            elif len(word) < 40:
                _plain.add(word)
        found.update(cues)
    return found


def cued(text: str) -> Iterator[Hit]:
    """Yield the secrets of *text* that something around them gives away."""
    lower = lowered(text)
    for cue in _cues_in(lower):
        position = lower.find(cue)
        while position >= 0:
            place = CuePlace(text, lower, position)
            for read in _READERS[cue]:
                yield from read(place)
            position = lower.find(cue, position + len(cue))
