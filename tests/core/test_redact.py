"""Secrets out of text: by shape, by what is said around them, and nothing that is none."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import orjson
import pytest
from bench.look_alikes import look_alikes
from bench.redaction import DEFAULT_SESSIONS, session_texts
from bench.secret_corpus import corpus, leaks
from hypothesis import given
from hypothesis import strategies as st

from scrimshaw.redaction import redact
from scrimshaw.sources.openclaw_jsonl import JsonlSource
from scrimshaw.sources.openclaw_sqlite import SqliteSource

SAMPLES = list(corpus(each=2))
SEEDS = (3, 23, 20261120)


def test_a_secret_of_each_kind_is_taken_out_and_counted() -> None:
    first = {(sample.group, sample.kind): sample for sample in reversed(SAMPLES)}

    left = [s.text for s in first.values() if leaks(s, (done := redact(s.text)).text) or not done.counts]

    assert len(left) <= len(first) * 0.01, left


@pytest.mark.parametrize("seed", SEEDS)
def test_nearly_every_secret_of_a_large_corpus_is_taken_out_in_every_language(seed: int) -> None:
    total, missed = Counter[str](), Counter[str]()
    examples = []
    for sample in (drawn := list(corpus(each=5, seed=seed))):
        total[sample.group] += 1
        if leaks(sample, redact(sample.text).text):
            missed[sample.group] += 1
            examples.append(sample.text)

    assert len({(s.group, s.kind) for s in drawn}) >= 200
    assert total.keys() >= {"en", "de", "es", "fr", "pt", "it", "zh", "ja"}
    assert {group: missed[group] for group in total if missed[group] > total[group] * 0.01} == {}, examples


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_that_only_looks_like_a_secret_is_taken_out(seed: int) -> None:
    texts = list(look_alikes(random.Random(seed)))

    assert len(texts) >= 300
    assert [(text, redact(text).text) for text in texts if redact(text).counts] == []


def test_nothing_is_taken_out_of_real_coding_sessions() -> None:
    texts = list(session_texts(DEFAULT_SESSIONS))
    if not texts:
        pytest.skip("the evaluation data is not here")

    assert [redact(text).text for text in texts if redact(text).counts] == []


@pytest.mark.parametrize("sample", ["dev-sqlite", "dev-jsonl"])
def test_of_a_hosts_own_transcripts_only_the_planted_secrets_are_taken_out(
    samples_folder: Path, sample: str
) -> None:
    folder = samples_folder / sample
    stored = folder / "openclaw-agent.sqlite"
    source = SqliteSource(stored, "main") if stored.is_file() else JsonlSource(folder / "sessions", "main")
    listed = orjson.loads((folder / "truth.json").read_bytes())["must_not_contain"]
    planted = [one["literal"] for one in listed if one["class"] == "secret"]

    texts = [
        text
        for state in source.sessions()
        for page in source.pages(state, None)
        for entry in page.entries
        for text in (entry.text, *(call.arguments for call in entry.calls))
    ]

    clean = [redact(text).text for text in texts]
    assert [(literal, text) for literal in planted for text in clean if literal in text] == []
    others = [text for text in texts if redact(text).counts and not any(one in text for one in planted)]
    assert others == []


@pytest.mark.parametrize(
    "said",
    [
        "Le mot de passe de son espace est {}.",
        "Le mot de passe de son compte est {}.",
        "Le mot de passe de l'espace client, c'est {}",
        "Las claves son {}.",
        "Le digicode de l'immeuble, c'est {}",
    ],
)
def test_a_word_that_is_a_verb_in_one_language_hides_no_secret_in_another(said: str) -> None:
    value = "84" + "B19" if "digicode" in said else "Pivoine" + "-Loire-" + "58"

    assert value not in redact(said.format(value)).text


def test_redacting_twice_changes_nothing() -> None:
    once = [redact(sample.text).text for sample in SAMPLES]

    assert [text for text in once if redact(text) != (text, {})] == []


def test_the_text_around_a_secret_stays() -> None:
    secret = "gh" + "p_" + "Ab3dEf6hIj" * 4

    redacted = redact(f"origin is {secret}, rotate it with Priya at 16:55")

    assert redacted.text == "origin is [redacted:github-token], rotate it with Priya at 16:55"
    assert redacted.counts == {"github-token": 1}


def test_two_secrets_of_one_kind_are_counted() -> None:
    secret = "AK" + "IA" + "Q7FZ3MWVT5XK2LDB"

    assert redact(f"{secret} and {secret}").counts == {"aws-key": 2}


def test_user_host_and_path_of_a_url_stay() -> None:
    redacted = redact("postgres://ledger:" + "Wm4-quokka-77" + "@db1.example:5432/x")

    assert redacted.text == "postgres://ledger:[redacted:url-password]@db1.example:5432/x"


def test_of_a_cookie_header_only_the_session_goes() -> None:
    value = "s%3A" + "kL9f2Qp8xVb3nM7cR5tY1wE6"

    redacted = redact(f"Cookie: theme=dark; sid={value}; lang=en")

    assert redacted.text == "Cookie: theme=dark; sid=[redacted:cookie]; lang=en"
    assert redacted.counts == {"cookie": 1}


WRAPPED = {
    "anthropic-key": "sk" + "-ant-api03-" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5z" * 3,
    "openai-key": "sk" + "-proj-" + "Qx7Lm2Vb9_Tz4Rk8-Wn1Yc6Hd3" * 5,
    "jwt": ".".join(("ey" + "JhbGciOiJIUzI1NiJ9", "ey" + "JzdWIiOiI0ODIxNyIs" * 9, "Zk3Vq8Lx1Rt6" * 4)),
}


@pytest.mark.parametrize("kind", WRAPPED)
@pytest.mark.parametrize("width", [60, 76])
@pytest.mark.parametrize("wrap", ["\n", "\r\n", "\n> ", "\n    ", "\\n"])
def test_a_token_goes_over_the_lines_that_it_is_wrapped_to(kind: str, width: int, wrap: str) -> None:
    token = WRAPPED[kind]
    lines = wrap.join(token[start : start + width] for start in range(0, len(token), width))

    redacted = redact(f"the till key is {lines} and the shop opens at 9.")

    assert redacted.text == f"the till key is [redacted:{kind}] and the shop opens at 9."
    assert redacted.counts == {kind: 1}


@pytest.mark.parametrize(
    "line",
    [
        "rotate it on 2026-12-01, please",
        "Hamburg2024 is the name of the branch",
        "screenshot20261130.png shows where",
        "python3.12-slim is the image",
        "release-2.3.1-rc4 uses it",
        "20th of May is when it ends",
        "PORT2=5432",
        "H2O is water",
        "feature/tokens-2026-11 is the branch",
    ],
)
def test_the_line_below_a_token_stays(line: str) -> None:
    token = "gh" + "p_" + "Ab3dEf6hIj" * 4

    assert redact(f"it is {token}\n{line}").text == f"it is [redacted:github-token]\n{line}"


def test_two_tokens_in_lines_of_their_own_are_two() -> None:
    secret = "gh" + "p_" + "Ab3dEf6hIj" * 4

    assert redact(f"{secret}\n{secret}").counts == {"github-token": 2}


def test_a_key_block_goes_as_a_whole_and_the_words_around_it_stay() -> None:
    block = (
        "-----BEGIN OPENSSH PRIVATE "
        + "KEY-----\n"
        + ("Qx7" * 22 + "\n") * 4
        + "-----END OPENSSH PRIVATE "
        + "KEY-----"
    )

    assert (
        redact(f"hang on\n{block}\nhm no, ignore it").text
        == "hang on\n[redacted:private-key]\nhm no, ignore it"
    )


@pytest.mark.parametrize(
    "text",
    [
        "token: string",
        "const token = await getToken();",
        "apiKey: process.env.OPENAI_API_KEY",
        "password = os.environ['DB_PASSWORD']",
        "DB_PASSWORD=${DB_PASSWORD}",
        "DB_PASSWORD=<your password>",
        "password: [redacted:password]",
        "the password is correct",
        "Le mot de passe, c'est important de le changer souvent.",
        "the password is wrong, try again",
        "the password is required",
        "The token is expired",
        "we used 48123 tokens, max_tokens=8192",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "id 6f1c8a52-93d4-4e0b-8a2f-1f9d3c5b7e64",
        "type='password' autocomplete='current-password'",
        "if (!password) throw new Error('Password required')",
        "https://example.com/@scope/package@1.2.3",
        "git@github.com:acme/app.git",
        "https://user:${PASSWORD}@host/",
        "--- PASS: TestCreditNote/case_01 (0.00s)",
        '"childSessionKey": "agent:main:subagent:008bfc99-806c-4feb-ba48-e46dee2481f8"',
        "primary key id bigserial, foreign key invoice_id",
        "Authorization: Bearer <token>",
        "Bearer token authentication",
        "basic authentication is off",
        "sk-learn-compatible-estimators-and-more",
        "the key is to keep it short",
        "-----BEGIN CERTIFICATE----- and its private key",
        "postgres 13.16 on bill-prod-pg, database ledger, 412 GB",
    ],
)
def test_text_that_only_speaks_of_secrets_stays_as_it_is(text: str) -> None:
    assert (text, {}) == redact(text)


HOSTILE = (
    *("a", "eyJ", "://a:", "-----BEGIN PRIVATE KEY-----", "password ", "key=", "A1-", "\\n", "pw is "),
    *(
        "password is ",
        "PIN: 4711 ",
        "seed ab ",
        "seed word ",
        "code for the alarm ",
        "password,",
        "token |\n",
    ),
    *(
        "password\n",
        "login a ",
        "<password ",
        "1111 1111 ",
        "12345 ",
        "DE89 3704 0044 ",
        "is the password ",
        '"',
    ),
    *(
        "密码是",
        "パスワードは",
        "admin / ",
        "zip -P ",
        "a" * 30 + " is the pass ",
        "secret\\",
        "key **",
        "mysql ",
    ),
    *(
        "recovery codes 1a-2b ",
        "password for a ",
        "password (",
        "echo a | sudo ",
        "key " + " " * 50,
        "cookie=a;",
        "sk" + "-ant-api03-aB3dE5fG7hI9jK1lM3nO5pQ\n",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0\na1B2c3D4e5\n",
    ),
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_is_read_in_linear_time(piece: str) -> None:
    text = piece * (100_000 // len(piece))

    assert redact(text).text  # a backtracking pattern would never come back


def test_a_secret_goes_whole_where_markup_runs_through_it() -> None:
    first, second = "Wm4" + "quokka", "77" + "tulip"

    for text in (
        f"**Password:** `{first}-`**{second}**",
        f"password: {first}*{second}*",
        f"Password: **{first}**-{second}",
        f"pw: „{first}&{second}“",
    ):
        cleaned = redact(text).text
        assert [part for part in (first, second) if part in cleaned] == [], cleaned


MIXED = "Tru" + "bel7!kat"
TYPED = "blau" + "wal2019"
IN_GROUPS = " ".join(("qwme", "tzxu", "plok", "vbne"))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f'SMTP_PASS="ab {MIXED} cd" and port 587', 'SMTP_PASS="[redacted:password]" and port 587'),
        (
            f'{{"user": "mara", "password": "my {MIXED} secret"}}',
            '{"user": "mara", "password": "[redacted:password]"}',
        ),
        (f'the vault passphrase is "{MIXED} und mehr".', 'the vault passphrase is "[redacted:password]".'),
        (f'the till password is "ab K9x2{"Qm7Z"} cd".', 'the till password is "[redacted:password]".'),
        (f"my gmail app password is {IN_GROUPS}.", "my gmail app password is [redacted:password]."),
        (f"App password: {IN_GROUPS}", "App password: [redacted:password]"),
        (f'SMTP_PASSWORD="{IN_GROUPS}"', 'SMTP_PASSWORD="[redacted:password]"'),
        (
            f"Das App-Passwort lautet {IN_GROUPS} und gilt.",
            "Das App-Passwort lautet [redacted:password] und gilt.",
        ),
        (
            f"La contraseña de aplicación es {IN_GROUPS}.",
            "La contraseña de aplicación es [redacted:password].",
        ),
    ],
)
def test_a_password_with_blanks_goes_as_a_whole(text: str, left: str) -> None:
    assert redact(text).text == left


@pytest.mark.parametrize(
    "text",
    [
        'password: "must have 8 characters and a digit"',
        '"password": "see 1Password"',
        'the password is "in 1Password, vault Ops2"',
        'PASSWORD_HELP = "Use at least 12 characters"',
        '"password": "ask mara2@example.com about it"',
        '"password": "The password for iPhone15 is wrong"',
        "my app password is sent with your mail",
        "the app password is kept over here with them",
        "An app password is used when 2FA is on.",
        "the app password page does work well",
        '"password": "this will work fine"',
    ],
)
def test_a_sentence_behind_the_word_for_a_password_stays(text: str) -> None:
    assert redact(text) == (text, {})


SCRAMBLED = "K9x" + "2Qm7Z"


@pytest.mark.parametrize(
    "value",
    [
        f"example!{SCRAMBLED}",
        f"admin.{SCRAMBLED}",
        f"secret#{SCRAMBLED}",
        f"password@{TYPED}",
        f"value!{TYPED}",
        f"string_{TYPED}",
        "my-Katze" + "-2019",
        "the_Katze" + "_2019",
        "Sommer." + "Hamburg2024",
        "mara." + "katze2019",
        "KATZE" + "_2019",
    ],
)
@pytest.mark.parametrize("said", ["the wifi password is {}", "password: {}", "Das Passwort ist {}."])
def test_a_password_that_begins_with_an_everyday_word_is_taken_out(said: str, value: str) -> None:
    assert redact(said.format(value)).text == said.format("[redacted:password]")


@pytest.mark.parametrize("said", ["my Cursor API key: {}", "CURSOR_API_KEY={}", "X-Api-Key: {}"])
def test_a_key_that_begins_with_the_word_for_one_is_taken_out(said: str) -> None:
    value = "key" + "_" + "5a1a156bf4c2f50558f13561" * 2

    assert value not in redact(said.format(value)).text


@pytest.mark.parametrize(
    "text",
    [
        "password: config.dbPassword",
        "password: config.db2.password",
        "password: settings.OAUTH2_SECRET",
        "password: hashlib.sha256",
        "token: process.env.S3_KEY_V2",
        "password = self.s3KeyV2",
        "password: your-32-character-key",
        "API_KEY=your_api_key_12345",
        "password: get_password_v2()",
        "the password is DB_PASSWORD_2",
        "private_key: ed25519.Ed25519PrivateKey",
        "password: my-secret-name",
        "password list: notes2024.txt",
        "passwords: export2024.csv",
        "login: build2024.example.com",
        "the password is text-embedding-3-small",
        "the password is the-same-one",
        "secret: vault-kv2/path",
    ],
)
def test_a_variable_or_a_placeholder_in_a_secrets_place_stays(text: str) -> None:
    assert redact(text) == (text, {})


HASH = "a8f3b2c1d4e5f607" + "c1d4e5f6"


@pytest.mark.parametrize(
    "text",
    [
        "our hotel in Porto is the Ribeira, confirmation code 4471220, breakfast at 8.",
        "the confirmation code of our hotel in Porto is 4471220.",
        "My flight confirmation code is X7K9PQ",
        "Bestätigungscode fürs Hotel: 83KD72",
        "código de confirmación del hotel: 83KD72",
        "code de confirmation du vol : 83KD72",
        "my address is 12 MG Road, Bengaluru, PIN code 560001.",
        "la clave del proyecto es ABC-4821.",
        "my password manager is Bitwarden2024.",
        "Mein Passwort-Manager ist Bitwarden2024.",
        "Passwortmanager: Bitwarden2024",
        f"my ssh public key is {'AAAAC3NzaC1lZDI1NTE5'}{HASH}",
        f"the key fingerprint is SHA256:{HASH}",
        f"S3 key: uploads/2026/11/{HASH}.png",
        f"the cache key is v3-linux-{HASH}",
        "the time code is 010203",
    ],
)
def test_the_number_of_a_booking_and_a_key_of_no_lock_stay(text: str) -> None:
    assert redact(text) == (text, {})


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("Your confirmation code is {}.", "482913"),
        ("Dein Bestätigungscode lautet {}", "482913"),
        ("your one time code is {}", "482913"),
        ("the door code of the hotel is {}", "48213"),
        ("The hotel is lovely. Then it came: your confirmation code is {}", "482913"),
        ("my address is on the card, its PIN code is {}", "560001"),
        ("my card's PIN code is {}", "560001"),
        ("la clave del wifi es {}", "ABC-4821"),
        ("my password manager password is {}", MIXED),
        ("the session key is {}", HASH),
        ("the private key is {}", HASH),
    ],
)
def test_beside_them_a_secret_still_goes(said: str, value: str) -> None:
    assert value not in redact(said.format(value)).text


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("the password that I use for the tablet is {}", TYPED),
        ("Das Passwort, das ich für das Tablet nutze, ist {}", TYPED),
        ("La contraseña que uso para la tableta es {}", TYPED),
        ("the password should be {} from now on.", TYPED),
        ("请记住，WiFi密码已改为{}", TYPED),
        ("路由器的密码换成了{}", TYPED),
        ("Retiens : le code de la porte est le {}.", "4821"),
        ("My BitLocker recovery key is {}.", "-".join(str(482913 + 70507 * n)[:6] for n in range(8))),
        ('Das WLAN-Passwort ist "{}".', "hedge" + "hog"),
        ('La contraseña del wifi es "{}"', "hedge" + "hog"),
    ],
)
def test_a_secret_goes_in_other_ways_that_people_tell_it(said: str, value: str) -> None:
    assert value not in redact(said.format(value)).text


@pytest.mark.parametrize(
    "text",
    [
        "the password that we agreed on is base64-encoded",
        "the password should be at least 12characters",
        "the password should be sha256-hashed",
        "the password that he forgot is in the safe",
        "The password should be alphanumeric.",
        "the password which we use is the same everywhere",
        'Das Passwort ist "falsch", sagt die Seite.',
        'La página dice que la contraseña es "incorrecta".',
        'Le mot de passe est "invalide".',
        "密码换了3次",
        "密码已改为SHA256加密",
        "le mot de passe est le même que le tien",
        "la clave es el trabajo",
        "the build numbers are 482913-482914 and 482915-482916",
    ],
)
def test_what_only_sounds_like_these_ways_stays(text: str) -> None:
    assert redact(text) == (text, {})


PIECES = st.sampled_from(
    [
        *(
            "password",
            "pass",
            " is ",
            ": ",
            "=",
            '"',
            "'",
            "token",
            "[redacted:",
            "]",
            "key",
            "Bearer ",
            "://",
            "@",
        ),
        *(
            "a:b",
            "\n",
            "hunter2X",
            "-----BEGIN RSA PRIVATE " + "KEY-----",
            "Authorization: ",
            "sk" + "-",
            "x9" * 12,
        ),
        *("Qr7" * 9, "İ", "…", ".", "--"),
    ]
)


@given(st.lists(PIECES | st.text(max_size=8), max_size=16).map("".join))
def test_redacting_any_text_is_stable(text: str) -> None:
    once = redact(text).text

    assert (once, {}) == redact(once)
