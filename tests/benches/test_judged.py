"""Lines drawn for readers, and their verdicts counted."""

import json

import pytest
from bench import judged


def _files(tmp_path):
    files = []
    for version in ("old", "new"):
        rows = [
            {
                "version": version,
                "genre": genre,
                "part": "Log",
                "day": "2026-01-05",
                "line": f"- {version} {n}",
            }
            for genre in ("a", "b")
            for n in range(5)
        ]
        files.append(tmp_path / f"{version}.json")
        files[-1].write_text(json.dumps(rows))
    return files


def _drawn(tmp_path):
    sheet, key = tmp_path / "sheet.tsv", tmp_path / "key.json"
    judged.main(["draw", str(sheet), str(key), *map(str, _files(tmp_path)), "--count", "4"])
    return sheet, key


def test_a_sheet_holds_as_many_lines_of_each_version_and_genre_and_does_not_say_whose(tmp_path):
    sheet, key = _drawn(tmp_path)

    drawn = json.loads(key.read_text())
    assert sorted((one["version"], one["genre"]) for one in drawn) == [
        *[("new", "a")] * 2,
        *[("new", "b")] * 2,
        *[("old", "a")] * 2,
        *[("old", "b")] * 2,
    ]
    rows = sheet.read_text().split(judged.HEAD)[1].strip().split("\n")
    assert [row.split("\t")[4] for row in rows] == [one["line"] for one in drawn]


def test_verdicts_are_counted_by_version_with_flaws_apart(tmp_path, capsys):
    sheet, key = _drawn(tmp_path)
    drawn = json.loads(key.read_text())
    label = {"new": "U", "old": "D-frag"}
    rows = [f"{n}\t{label[one['version']]}\t\t\t{one['line']}" for n, one in enumerate(drawn, start=1)]
    sheet.write_text("\n".join([judged.HEAD, *rows]))

    judged.main(["count", str(sheet), "--key", str(key)])

    printed = [[cell.strip() for cell in row.split("|")[1:-1]] for row in capsys.readouterr().out.split("\n")]
    assert ["new", "all", "4", "100%", "0%", "0%"] in printed
    assert ["old", "all", "4", "0%", "100%", "0%"] in printed


def test_an_unknown_verdict_is_named(tmp_path):
    sheet, key = _drawn(tmp_path)
    sheet.write_text(f"{judged.HEAD}\n1\tgood\t\t\t- x\n")

    with pytest.raises(SystemExit, match="line 1: 'good' is none of"):
        judged.main(["count", str(sheet), "--key", str(key)])
