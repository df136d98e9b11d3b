"""Invented secrets of many kinds, put together at run time so that no scanner finds one in this file.

Tokens known by their shape, keys, URLs and headers stand here; what people say, by language and markup, in
bench/secret_speech. It is one corpus: `corpus` draws all of it.

`corpus(each)` gives that many samples of every kind, each in a different surrounding; the secret is
what must be gone afterwards, the rest must stay.
"""

from __future__ import annotations

import base64
import json
import random
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from bench.secret_speech import commanded, tellings

UPPER, LOWER, DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789"
BASE62, HEX, WORD = UPPER + LOWER + DIGITS, DIGITS + "abcdef", UPPER + LOWER + DIGITS + "-_"
UPDIG, LOWDIG = UPPER + DIGITS, LOWER + DIGITS


class Sample(NamedTuple):
    """A text with a secret in it; *group* is the class that recall is reported by."""

    group: str
    kind: str
    secret: str
    text: str


# kind: parts; a string is itself, a pair is so many letters of an alphabet
Parts = tuple[str | tuple[int, str], ...]
TOKENS: dict[str, Parts] = {
    "aws": ("AK" + "IA", (16, UPDIG)),
    "aws-session": ("AS" + "IA", (16, UPDIG)),
    "gcp": ("AI" + "za", (35, WORD)),
    "google-oauth": ("ya" + "29.", (80, WORD)),
    "google-secret": ("GOC" + "SPX-", (28, WORD)),
    "google-refresh": ("1/" + "/0", (60, WORD)),
    "alibaba": ("LT" + "AI", (20, BASE62)),
    "tencent": ("AK" + "ID", (32, BASE62)),
    "digitalocean": ("dop" + "_v1_", (64, HEX)),
    "heroku": ("HRKU" + "-AA", (58, WORD)),
    "fly": ("fm" + "2_", (120, BASE62)),
    "render": ("rn" + "d_", (32, BASE62)),
    "netlify": ("nf" + "p_", (36, BASE62)),
    "supabase": ("sb" + "p_", (40, HEX)),
    "planetscale": ("pscale" + "_tkn_", (43, WORD)),
    "neon": ("na" + "pi_", (64, LOWDIG)),
    "databricks": ("da" + "pi", (32, HEX)),
    "vault": ("hv" + "s.", (90, WORD)),
    "terraform": ((14, BASE62), ".atlas" + "v1.", (67, WORD)),
    "doppler": ("dp" + ".pt.", (43, BASE62)),
    "pulumi": ("pu" + "l-", (40, HEX)),
    "age": ("AGE-SECRET" + "-KEY-1", (58, UPDIG)),
    "tailscale": ("ts" + "key-auth-", (14, BASE62), "-", (32, BASE62)),
    "github": ("gh" + "p_", (36, BASE62)),
    "github-oauth": ("gh" + "o_", (36, BASE62)),
    "github-app": ("gh" + "s_", (36, BASE62)),
    "github-fine": ("github" + "_pat_", (22, BASE62), "_", (59, BASE62)),
    "gitlab": ("gl" + "pat-", (20, WORD)),
    "gitlab-runner": ("gl" + "rt-", (20, WORD)),
    "bitbucket": ("AT" + "BB", (32, BASE62)),
    "atlassian": ("ATA" + "TT3", (180, WORD), "=", (8, HEX)),
    "npm": ("np" + "m_", (36, BASE62)),
    "pypi": ("py" + "pi-AgE", (120, WORD)),
    "rubygems": ("ruby" + "gems_", (48, HEX)),
    "crates": ("ci" + "o", (32, BASE62)),
    "docker": ("dckr" + "_pat_", (27, WORD)),
    "nuget": ("oy" + "2", (43, LOWDIG)),
    "jfrog": ("AK" + "Cp", (69, BASE62)),
    "buildkite": ("bk" + "ua_", (40, HEX)),
    "sonar": ("sq" + "u_", (40, HEX)),
    "prefect": ("pn" + "u_", (36, BASE62)),
    "slack-bot": ("xo" + "xb-", (12, DIGITS), "-", (12, DIGITS), "-", (24, BASE62)),
    "slack-user": ("xo" + "xp-", (12, DIGITS), "-", (12, DIGITS), "-", (32, HEX)),
    "slack-app": ("xa" + "pp-1-", (11, UPDIG), "-", (13, DIGITS), "-", (64, HEX)),
    "discord": ("M", (23, BASE62), ".", (6, WORD), ".", (27, WORD)),
    "telegram": ((10, "123456789"), ":A" + "A", (33, WORD)),
    "stripe": ("sk" + "_live_", (24, BASE62)),
    "stripe-restricted": ("rk" + "_live_", (24, BASE62)),
    "stripe-webhook": ("wh" + "sec_", (32, BASE62)),
    "square": ("sq0" + "atp-", (22, WORD)),
    "shopify": ("shp" + "at_", (32, HEX)),
    "plaid": (
        "access-" + "production-",
        (8, HEX),
        "-",
        (4, HEX),
        "-",
        (4, HEX),
        "-",
        (4, HEX),
        "-",
        (12, HEX),
    ),
    "razorpay": ("rzp" + "_live_", (14, BASE62)),
    "paypal": ("access_token$" + "production$", (16, LOWDIG), "$", (32, HEX)),
    "easypost": ("EZ" + "AK", (54, BASE62)),
    "anthropic": ("sk-" + "ant-api03-", (93, WORD), "AA"),
    "openai": ("sk-" + "proj-", (74, WORD)),
    "openai-classic": ("sk" + "-", (48, BASE62)),
    "openrouter": ("sk-" + "or-v1-", (64, HEX)),
    "huggingface": ("h" + "f_", (34, UPPER + LOWER)),
    "replicate": ("r" + "8_", (37, BASE62)),
    "groq": ("gs" + "k_", (52, BASE62)),
    "xai": ("xa" + "i-", (80, BASE62)),
    "perplexity": ("pp" + "lx-", (48, BASE62)),
    "nvidia": ("nv" + "api-", (64, WORD)),
    "elevenlabs": ("s" + "k_", (48, HEX)),
    "langsmith": ("lsv2" + "_pt_", (32, HEX), "_", (10, HEX)),
    "pinecone": ("pc" + "sk_", (64, BASE62)),
    "tavily": ("tv" + "ly-", (32, BASE62)),
    "sendgrid": ("S" + "G.", (22, WORD), ".", (43, WORD)),
    "mailgun": ("ke" + "y-", (32, HEX)),
    "mailchimp": ((32, HEX), "-u" + "s12"),
    "brevo": ("xkey" + "sib-", (64, HEX), "-", (16, BASE62)),
    "resend": ("r" + "e_", (8, BASE62), "_", (24, BASE62)),
    "twilio": ("S" + "K", (32, HEX)),
    "newrelic": ("NR" + "AK-", (27, UPDIG)),
    "grafana": ("gl" + "sa_", (32, BASE62), "_", (8, HEX)),
    "sentry": ("sntr" + "yu_", (64, HEX)),
    "dynatrace": ("dt0" + "c01.", (24, UPDIG), ".", (64, UPDIG)),
    "posthog": ("ph" + "x_", (43, BASE62)),
    "notion": ("nt" + "n_", (46, BASE62)),
    "airtable": ("pa" + "t", (14, BASE62), ".", (64, HEX)),
    "linear": ("lin" + "_api_", (40, BASE62)),
    "clickup": ("p" + "k_", (8, DIGITS), "_", (32, UPDIG)),
    "figma": ("fig" + "d_", (40, WORD)),
    "contentful": ("CF" + "PAT-", (43, WORD)),
    "hubspot": ("pat-" + "na1-", (8, HEX), "-", (4, HEX), "-", (4, HEX), "-", (4, HEX), "-", (12, HEX)),
    "postman": ("PM" + "AK-", (24, HEX), "-", (34, HEX)),
    "facebook": ("EA" + "A", (180, BASE62)),
    "azure-client": ((3, BASE62), "8" + "Q~", (34, BASE62)),
    "jwt": ("ey" + "JhbGciOiJIUzI1NiJ9.ey" + "J", (60, WORD), ".", (43, WORD)),
}
AROUND = (
    "the key is {} and it works",
    "API_TOKEN={}",
    '{{"token": "{}", "ttl": 3600}}',
    "curl -H 'X-Token: {}' https://api.example/v1/items",
    "I pasted {} by mistake, sorry",
    "origin\thttps://x-access-token:{}@git.example/acme/app.git (fetch)",
    "const client = new Client('{}');",
    "  value: {}\n  other: 12",
    "{}",
    "see `{}`.",
    "日本語のメモ {} です",
    "export KEY={} && ./run.sh --fast",
    "Error: invalid credentials ({}) for user deploy",
    "id=7|{}|active",
    'env:\n  - name: X\n    value: "{}"',
)


def corpus(each: int, seed: int = 7) -> Iterator[Sample]:
    """Yield *each* samples of every kind of secret."""
    rng = random.Random(seed)
    for kind, parts in TOKENS.items():
        for number in range(each):
            secret = "".join(p if isinstance(p, str) else _letters(rng, *p) for p in parts)
            yield Sample("token", kind, secret, AROUND[(number + len(kind)) % len(AROUND)].format(secret))
    for group, kinds in SAID.items():
        for kind, (make, around) in kinds.items():
            for number in range(each):
                secret = make(rng)
                yield Sample(group, kind, secret, around[number % len(around)].format(secret))
    for number in range(each):
        yield _key_block(rng, number)
        yield _basic(rng, number)
    for told in (*tellings(max(1, each // 5), rng), *commanded(each, rng)):
        yield Sample(told.language, f"{told.thing}, {told.form}", told.secret, told.text)


def leaks(sample: Sample, text: str) -> bool:
    """Whether the secret, or either end of it, is still in *text*."""
    secret, text = sample.secret, re.sub(r"\[redacted:[a-z0-9-]+\]", "[]", text)
    if sample.kind.startswith("seed,"):
        return sum(word in text for word in secret.split()) > 3
    ends = (secret[:5], secret[-5:]) if len(secret) >= 10 else ()
    return secret in text or any(end in text and end not in sample.text.replace(secret, "") for end in ends)


def _letters(rng: random.Random, count: int, alphabet: str) -> str:
    return "".join(rng.choice(alphabet) for _ in range(count))


def _typed(rng: random.Random) -> str:
    """Return a password as people make them: words, a number, a sign."""
    words = (
        "quokka",
        "Lantern",
        "river",
        "Marble",
        "tulip",
        "Harbor",
        "velvet",
        "Copper",
        "walnut",
        "Saffron",
    )
    first, second, number = rng.choice(words), rng.choice(words), rng.randrange(10, 9999)
    return rng.choice(
        (f"{first}-{second}-{number}", f"{first}{number}!", f"{first}_{second}{number}", f"{number}{first}#")
    )


def _hexadecimal(rng: random.Random) -> str:
    return _letters(rng, rng.choice((32, 40, 64)), HEX)


def _mixed(rng: random.Random) -> str:
    return _letters(rng, rng.randrange(20, 44), BASE62)


Make = Callable[[random.Random], str]
PASSWORD_SETTINGS = (
    "DB_PASSWORD={}",
    'password: "{}"',
    "spring.datasource.password={}",
    '"smtp_password": "{}",',
    "export PGPASSWORD='{}'",
    "mysql -h db1 -u root -p{} ledger",
    "./tool --user admin --password {}",
    "sshpass -p {} ssh host",
    "  passwd: {}\n",
    "ADMIN_PASS={}",
)
SECRET_SETTINGS = (
    "AWS_SECRET_ACCESS_KEY={}",
    "client_secret: {}",
    'apiKey: "{}",',
    "DATADOG_API_KEY={}",
    "_authToken={}",
    "?api_key={}&page=2",
    "--token {} --verbose",
    "session_secret = '{}'",
    "ENCRYPTION_KEY={}",
    '\\"accessToken\\": \\"{}\\"',
)
SAID: dict[str, dict[str, tuple[Make, tuple[str, ...]]]] = {
    "assignment": {
        "password": (_typed, PASSWORD_SETTINGS),
        "hexadecimal": (_hexadecimal, SECRET_SETTINGS),
        "mixed": (_mixed, SECRET_SETTINGS),
    },
    "url": {
        "database": (
            _typed,
            ("postgres://ledger:{}@db1.example:5432/x", "use mysql://root:{}@localhost/app now"),
        ),
        "broker": (
            _typed,
            (
                "amqps://svc:{}@mq.example/vhost",
                "redis://:{}@cache:6379/0",
                '"mongodb+srv://u:{}@c0.example/"',
            ),
        ),
        "site": (
            _typed,
            ("https://bob:{}@intranet.example/wiki", "git clone https://deploy:{}@git.example/a.git"),
        ),
    },
    "header": {
        "bearer": (
            _mixed,
            (
                "Authorization: Bearer {}",
                "-H 'authorization: bearer {}'",
                'headers={{"Authorization": "Bearer {}"}}',
            ),
        ),
        "token": (_hexadecimal, ("Authorization: token {}", '"Authorization": "ApiKey {}"')),
        "cookie": (
            _mixed,
            ("Cookie: sessionid={}; theme=dark", "set-cookie: auth_token={}; Path=/; HttpOnly"),
        ),
    },
    "webhook": {
        "slack": (
            lambda rng: (
                "T"
                + _letters(rng, 8, UPDIG)
                + "/B"
                + _letters(rng, 8, UPDIG)
                + "/"
                + _letters(rng, 24, BASE62)
            ),
            (
                "https://hooks.slack.com/" + "services/{}",
                'webhook_url: "https://hooks.slack.com/' + 'services/{}"',
            ),
        ),
        "discord": (
            lambda rng: _letters(rng, 18, "123456789") + "/" + _letters(rng, 68, WORD),
            ("post to https://discord.com/api/" + "webhooks/{} when done",),
        ),
        "teams": (
            lambda rng: (
                _letters(rng, 36, HEX)
                + "@"
                + _letters(rng, 36, HEX)
                + "/IncomingWebhook/"
                + _letters(rng, 32, HEX)
            ),
            ("https://acme.webhook.office.com/" + "webhookb2/{}",),
        ),
        "zapier": (
            lambda rng: _letters(rng, 7, DIGITS) + "/" + _letters(rng, 7, LOWDIG),
            ("https://hooks.zapier.com/hooks/" + "catch/{}/",),
        ),
    },
    "sentence": {
        "password": (
            _typed,
            (
                "the password is {}",
                "Password: {}",
                "my wifi password is {}, write it down",
                "the admin password for the staging box is {}.",
                "I changed the password to {} today",
                "log in as mara with password {} please",
                "the passphrase is '{}'",
                "{} is the new password",
                "pw: {}",
                "The password was reset to {}.",
            ),
        ),
        "phrase": (
            lambda rng: " ".join(
                rng.choice(("copper", "horse", "battery", "staple", "violet", "anchor")) for _ in range(5)
            ),
            ("the passphrase is {}", 'passphrase: "{}"', "Passphrase for the vault is {}."),
        ),
        "key": (_mixed, ("the api key is {}", "our deploy token is {}, keep it safe", "secret: {}")),
    },
}


def _key_block(rng: random.Random, number: int) -> Sample:
    """Return a private key: whole, without its end, without its beginning, or as a JSON string."""
    lines = [_letters(rng, 64, BASE62 + "+/") for _ in range(5)]
    name = rng.choice(("RSA ", "OPENSSH ", "EC ", ""))
    begin, end = f"-----BEGIN {name}PRIVATE " + "KEY-----", f"-----END {name}PRIVATE " + "KEY-----"
    match number % 4:
        case 0:
            text = "\n".join(["here it is", begin, *lines, end, "thanks"])
        case 1:
            text = "\n".join(["cut off:", begin, *lines])
        case 2:
            text = "\n".join(["tail:", *lines, end, "done"])
        case _:
            text = json.dumps({"key": "\n".join([begin, *lines, end])})
    return Sample("private-key", "block", lines[rng.randrange(5)], text)


def _basic(rng: random.Random, number: int) -> Sample:
    secret = base64.b64encode(f"deploy:{_typed(rng)}".encode()).decode()
    texts = ("Authorization: Basic {}", "curl -H 'authorization: basic {}' https://x.example")
    return Sample("header", "basic", secret, texts[number % 2].format(secret))
