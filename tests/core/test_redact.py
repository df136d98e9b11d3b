"""Secrets out of text: by shape, by what is said around them, and nothing that is none."""

from __future__ import annotations

import pytest
from bench.secret_corpus import Sample, corpus
from hypothesis import given
from hypothesis import strategies as st

from scrimshaw.redact import redact

SAMPLES = list(corpus(each=2))


@pytest.mark.parametrize("sample", SAMPLES[::2], ids=[f"{s.group}-{s.kind}" for s in SAMPLES[::2]])
def test_a_secret_of_each_kind_is_taken_out(sample: Sample) -> None:
    redacted = redact(sample.text)

    assert sample.secret not in redacted.text
    assert "[redacted:" in redacted.text
    assert sum(redacted.counts.values()) >= 1


def test_nearly_every_secret_of_a_large_corpus_is_taken_out() -> None:
    samples = list(corpus(each=10, seed=23))

    missed = [s for s in samples if s.secret in redact(s.text).text]

    assert len({(s.group, s.kind) for s in samples}) >= 100
    assert len(missed) <= len(samples) * 0.01


@pytest.mark.parametrize("sample", SAMPLES, ids=[f"{s.group}-{s.kind}" for s in SAMPLES])
def test_redacting_twice_changes_nothing(sample: Sample) -> None:
    once = redact(sample.text).text

    assert (once, {}) == redact(once)


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


@pytest.mark.parametrize("size", [200_000])
@pytest.mark.parametrize(
    "piece", ["a", "eyJ", "://a:", "-----BEGIN PRIVATE KEY-----", "password ", "key=", "A1-", "\\n", "pw is "]
)
def test_hostile_text_is_read_in_linear_time(piece: str, size: int) -> None:
    text = piece * (size // len(piece))

    assert redact(text).text  # a backtracking pattern would never come back


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
