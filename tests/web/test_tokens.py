"""Nobody gets in: tokens that are none, over, foreign, unsigned or taken back, and those of other agents."""

from __future__ import annotations

import base64
import json
import stat
from datetime import UTC, datetime, timedelta

import jwt
import pytest
import time_machine
from click.testing import CliRunner
from tests.web.conftest import V2, Served

from scrimshaw.cli import group
from scrimshaw.web.tokens import Refused

SAID = {"content": "The spare key is under the third pot."}
OLD = "an-older-programs-own-secret-" + "0" * 12


def forged(served: Served, token: str, **claims: object) -> str:
    """Return *token* with other claims and `alg: none`."""

    def part(told: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(told).encode()).decode().rstrip("=")

    own = jwt.decode(token, options={"verify_signature": False})
    return f"{part({'alg': 'none', 'typ': 'JWT'})}.{part({**own, **claims})}."


def test_no_token_is_refused_with_how_to_get_one(served: Served) -> None:
    told = served.post("/store", SAID, token=None)

    assert told.status_code == 401
    assert told.headers["www-authenticate"] == "Bearer"
    assert "scrimshaw token create" in told.json()["next"]


def test_what_does_not_hold_is_refused(served: Served, tmp_path: object) -> None:
    good = served.token()
    secret = (served.book.folder / "secret").read_text()
    claims = jwt.decode(good, options={"verify_signature": False})
    past = int((datetime.now(UTC) - timedelta(minutes=1)).timestamp())
    wrong = {
        "nothing like one": "abc",
        "unsigned": forged(served, good),
        "unsigned, of more": forged(served, good, scope="owner", agents=["*"]),
        "another secret's": jwt.encode(claims, OLD, algorithm="HS256"),
        "another algorithm's": jwt.encode(claims, secret, algorithm="HS512"),
        "over": jwt.encode({**claims, "exp": past}, secret, algorithm="HS256"),
        "never given out": jwt.encode({**claims, "jti": "0" * 16}, secret, algorithm="HS256"),
        "no claims of ours": jwt.encode({"sub": "albert"}, secret, algorithm="HS256"),
        "endless": "a." * 10_000,
        "cut": good[:-4],
    }

    answers = {name: served.post("/store", SAID, token=token).status_code for name, token in wrong.items()}

    assert answers == dict.fromkeys(wrong, 401)
    assert served.post("/store", SAID, token=good).status_code == 201  # the control


def test_claims_in_the_token_do_not_widen_what_was_given_out(served: Served) -> None:
    good = served.token(scope="read")
    secret = (served.book.folder / "secret").read_text()
    claims = jwt.decode(good, options={"verify_signature": False})
    widened = jwt.encode({**claims, "scope": "owner", "agents": ["*"]}, secret, algorithm="HS256")

    assert served.post("/store", SAID, token=widened).status_code == 403


def test_a_token_that_was_taken_back_ends_at_once(served: Served) -> None:
    token, grant = served.book.issue(("albert",), served.book.check(served.token()).scope, None)
    assert served.post("/store", SAID, token=token).status_code == 201

    served.book.revoke(grant.id[:6])

    assert served.post("/store", SAID, token=token).status_code == 401


def test_a_token_that_has_held_ends_with_its_time(served: Served) -> None:
    token = served.token(lasts=timedelta(hours=1))
    until = jwt.decode(token, options={"verify_signature": False})["exp"]

    answers = []
    for seconds in (-60, -1, 1):
        with time_machine.travel(until + seconds, tick=False):
            answers.append(served.get("/stats", token=token).status_code)

    assert answers == [200, 200, 401]


def test_a_signature_is_computed_once_and_again_when_the_secret_is_another(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    token, computed = served.token(), []
    decode = jwt.decode
    monkeypatch.setattr(jwt, "decode", lambda *args, **how: computed.append(args) or decode(*args, **how))

    for _ in range(3):
        served.book.check(token)
    assert len(computed) == 1
    served.book.rotate()
    for _ in range(2):
        with pytest.raises(Refused):
            served.book.check(token)
    assert len(computed) == 3  # what does not hold is not kept


def test_a_new_secret_ends_every_token(served: Served) -> None:
    token = served.token()
    assert served.get("/stats", token=token).status_code == 200

    assert served.book.rotate() == 1

    assert served.get("/stats", token=token).status_code == 401
    assert served.get("/stats", token=served.token()).status_code == 200


def test_secret_and_list_are_the_owners_alone_and_hold_no_token(served: Served) -> None:
    token = served.token()

    for name in ("secret", "tokens.json"):
        path = served.book.folder / name
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert token.rpartition(".")[2] not in path.read_text()
    assert stat.S_IMODE(served.book.folder.stat().st_mode) == 0o700


def test_scopes_hold(served: Served) -> None:
    reader = served.token(scope="read")

    assert served.post("/store", SAID, token=reader).status_code == 403
    assert served.post("/search", {"query": "key"}, token=reader).status_code in (200, 404)


def test_an_agents_token_sees_and_changes_nothing_of_anothers(served: Served) -> None:
    albert, berta = served.token("albert"), served.token("berta")
    served.post("/store", SAID, token=albert)
    served.post("/store", {"content": "Berta waters the third pot."}, token=berta)

    assert served.post("/search", {"query": "pot"}, token=berta).json()["working_count"] == 1
    assert served.post("/search", {"query": "pot", "agent": "albert"}, token=berta).status_code == 403
    assert served.post("/store", {**SAID, "agent": "albert"}, token=berta).status_code == 403
    assert served.get("/recall?q=pot&agent=albert", token=berta).status_code == 403
    assert list(served.get("/stats", token=berta).json()["episodic"]["agents"]) == ["berta"]
    assert served.get("/agents", token=berta).json()["agents"] == ["berta"]
    both = served.token("albert", "berta", scope="read")
    assert served.post("/search", {"query": "pot"}, token=both).json()["working_count"] == 2  # the control


def test_whether_another_agent_exists_is_not_told(served: Served) -> None:
    served.post("/store", SAID)
    berta = served.token("berta")

    there = served.get("/recall?q=pot&agent=albert", token=berta)
    nowhere = served.get("/recall?q=pot&agent=nobody", token=berta)

    assert there.json() == nowhere.json()


@pytest.mark.parametrize("name", ["../albert", "..", ".scrimshaw-server", "a/b", "%2e%2e", "Albert\0", ""])
def test_no_name_of_an_agent_leads_out_of_the_home(served: Served, name: str) -> None:
    every = served.token("*", scope="owner")
    before = sorted(path.name for path in served.home.iterdir())

    told = served.post("/store", {**SAID, "agent": name}, token=every)

    assert told.status_code in (400, 422)
    assert sorted(path.name for path in served.home.iterdir()) == before


def test_an_older_programs_tokens_do_what_is_configured_and_nothing_else(served: Served) -> None:
    config = {
        "SCRIMSHAW_SERVER_JWT_SECRET": "${OLD_SECRET}",
        "OLD_SECRET": OLD,
        "SCRIMSHAW_SERVER_CLAIMS": "{'user=albert': 'albert write'}",
    }
    other = Served(served.home, config)

    def store(**claims: object) -> int:
        return other.post("/store", SAID, token=jwt.encode(claims, OLD, algorithm="HS256")).status_code

    assert store(user="albert") == 201
    assert store(user="berta") == 401
    assert store(sub="albert", scope="owner", agents=["*"]) == 401
    assert store() == 401
    assert other.post("/store", SAID, token=other.token()).status_code == 201


def test_guessing_is_slowed_down(served: Served) -> None:
    codes = [served.ask("GET", f"{V2}/stats", token="guess").status_code for _ in range(60)]

    assert codes[0] == 401
    assert codes[-1] == 429
    other = served.ask("GET", f"{V2}/stats", token="guess", client=("127.0.0.2", 1)).status_code
    assert other == 401


def test_a_token_that_asks_too_often_waits(served: Served) -> None:
    slow = Served(served.home, {"SCRIMSHAW_SERVER_RATE": "2"})
    token = slow.token()

    codes = [slow.get("/agents", token=token).status_code for _ in range(12)]

    assert codes[:4] == [200] * 4
    assert 429 in codes


def test_the_folder_that_is_set_is_what_serve_and_token_are_about(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", served.env["HOME"])
    monkeypatch.setenv("SCRIMSHAW_MEMORY_EPISODIC_DATA_DIR", str(served.home))
    made = CliRunner().invoke(group, ["token", "create", "--agent", "albert", "--scope", "write"])
    assert made.exit_code == 0, made.output

    told = served.post("/store", SAID, token=made.output.split()[-1])

    assert told.status_code == 201
    assert (served.home / "albert").is_dir()
    asked = ["service", "install", "--serve", "--dry-run"]
    refused = CliRunner().invoke(group, asked, standalone_mode=False)
    assert refused.return_value == 1
    assert "memory.episodic.data_dir" in refused.stderr
