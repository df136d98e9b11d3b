"""What the doctor says of search: by which model it really is."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.doctor.cases import about, examined, machine

from scrimshaw.doctor import Severity
from scrimshaw.index import embedding, multilingual

MODEL = "nomic-embed-text"


class _Ollama(http.server.BaseHTTPRequestHandler):
    models: tuple[str, ...] = ()

    def do_GET(self) -> None:  # the library's name
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"models": [{"name": name} for name in type(self).models]}).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the library's name
        pass


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[_Ollama]]:
    """An Ollama on this machine; it has no model yet."""
    server = http.server.HTTPServer(("127.0.0.1", 0), _Ollama)
    _Ollama.models = ()
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{server.server_port}")
    yield _Ollama
    server.shutdown()
    server.server_close()


def _examined(root: Path, *, installed: bool, monkeypatch: pytest.MonkeyPatch) -> tuple[Severity, str]:
    place = machine(root)
    (place.workspace / ".scrimshaw" / "config.yaml").write_text(f"embeddings: ollama/{MODEL}\n")
    monkeypatch.setattr(
        embedding, "_missing", lambda _: "" if installed else "no embedding model is installed"
    )
    (found, *_) = about(examined(place), "search")
    return found.severity, found.what


@pytest.mark.parametrize(
    ("installed", "served"),
    [(True, f"by meaning with {embedding.BUNDLED}"), (False, "search is by words alone")],
)
def test_an_ollama_that_is_away_is_told_with_what_serves_instead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: bool, served: str
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")

    severity, what = _examined(tmp_path, installed=installed, monkeypatch=monkeypatch)

    assert severity is Severity.WARNING
    assert "it cannot be reached" in what
    assert served in what


def test_a_model_that_ollama_has_not_got_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ollama: type[_Ollama]
) -> None:
    ollama.models = ("qwen3:8b",)

    severity, what = _examined(tmp_path, installed=False, monkeypatch=monkeypatch)

    assert (severity, f"has no model {MODEL}" in what) == (Severity.WARNING, True)


def test_an_ollama_that_has_the_model_is_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ollama: type[_Ollama]
) -> None:
    ollama.models = (f"{MODEL}:latest",)

    severity, what = _examined(tmp_path, installed=False, monkeypatch=monkeypatch)

    assert severity is Severity.OK
    assert f"by words and by meaning (ollama/{MODEL})" in what


@pytest.mark.parametrize(
    ("lacking", "configured", "count"),
    [
        ("it is not installed", "", 1),
        ("it is not installed", "embeddings: off\n", 0),
        ("it is not installed", "weigh_by_meaning: false\n", 0),
        ("", "", 0),
    ],
)
def test_weighing_by_meaning_that_cannot_be_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacking: str, configured: str, count: int
) -> None:
    place = machine(tmp_path)
    (place.workspace / ".scrimshaw" / "config.yaml").write_text(configured)
    monkeypatch.setattr(multilingual, "why_no_reader", lambda: lacking)
    monkeypatch.delenv("SCRIMSHAW_WEIGH_BY_MEANING")

    found = about(examined(place), "rules")

    told = "other languages: it is not installed"
    assert [(one.severity, told in one.what) for one in found] == [(Severity.NOTE, True)] * count
