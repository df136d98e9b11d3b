"""An Ollama in this process, as far as vectors go."""

import hashlib
import http.server
import json

_WORDS = ("bill", "invoice", "pays", "barn", "press")


def ollama_vector(text: str) -> list[float]:
    """Return 768 numbers: what a text is about, and a little of its own."""
    about = [5.0 * (word in text.lower()) for word in _WORDS]
    about[0] = about[1] = max(about[:2])  # a bill is an invoice
    own = hashlib.sha256(text.encode()).digest() * 24
    return [*about, *(byte / 2550 for byte in own[: 768 - len(about)])]


class OllamaServer(http.server.BaseHTTPRequestHandler):
    """An Ollama that gives 768 numbers for a text."""

    asked: list[str] = []  # noqa: RUF012  # a test's
    looks = 0  # at the models it has
    is_away = False

    def do_POST(self) -> None:  # the library's name
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        if self.is_away:
            self.send_error(503)
            return
        type(self).asked += [text for text in texts if text != "search_document: ."]  # how long is a vector?
        content = json.dumps({"embeddings": [ollama_vector(text) for text in texts]}).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self) -> None:  # the library's name
        type(self).looks += 1
        self.send_response(503 if self.is_away else 200)
        self.end_headers()
        self.wfile.write(json.dumps({"models": [{"name": "nomic-embed-text:latest"}]}).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the library's name
        pass
