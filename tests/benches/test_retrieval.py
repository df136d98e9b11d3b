"""`python -m bench retrieval`, on a set small enough to know the answers."""

import json

from bench import retrieval
from tests.benches.test_questions import TALK


def run(capsys, *arguments):
    code = retrieval.main([*arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_small_set_is_answered_by_several_systems(tmp_path, capsys):
    (tmp_path / "locomo.json").write_text(json.dumps([TALK]))

    code, told = run(capsys, "--data", str(tmp_path), "--only", "FTS5", "lexical", "--sets", "LoCoMo")

    table = next(one for one in told["tables"] if one["title"].startswith("LoCoMo, turns: any@k"))
    assert code == 0
    assert {row["system"]: row["@1"] for row in table["rows"]} == {
        "FTS5 porter": 1.0,
        "FTS5, our words": 1.0,
        "scrimshaw lexical": 1.0,
    }


def test_what_is_absent_is_said(tmp_path, capsys):
    code, told = run(capsys, "--data", str(tmp_path), "--only", "FTS5", "--sets", "LoCoMo", "BEAM")

    assert code == 0
    assert {line.partition(":")[0] for line in told["skipped"]} == {
        "LoCoMo",
        "LoCoMo's observations",
        "LongMemEval",
        "BEAM",
    }
