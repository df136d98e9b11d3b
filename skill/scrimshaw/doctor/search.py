"""Search: does it find by meaning, too, and how far did the index come?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scrimshaw.core.text.plural import counted
from scrimshaw.doctor.finding import Finding, note, ok, warning
from scrimshaw.doctor.sight import LedgerSight, WorkspaceSight
from scrimshaw.index import embedding
from scrimshaw.resources import adding
from scrimshaw.services.search import index

_TOPIC = "search"
_MANY = 1_000  # more lines without a vector than a daemon lets wait


def check_search(sight: WorkspaceSight) -> Iterator[Finding]:
    """Judge how a workspace can be searched; loads no model, asks a server of the owner's own."""
    if not isinstance(sight.ledger, LedgerSight):
        return
    settings, layout = sight.target.config.settings, sight.target.layout
    if why := index.why_no_vectors(settings):
        if settings.embeddings == embedding.OFF:
            yield ok(_TOPIC, "by words alone, as embeddings: off says")
        elif settings.embeddings == embedding.AUTO and not settings.embeddings_folder:
            yield note(
                _TOPIC,
                f"By words alone: {why}. With one, what was said in other words is found, too.",
                adding("semantic"),
            )
        else:
            yield warning(
                _TOPIC, f"By words alone: {why}.", "mend embeddings_folder, or set embeddings: auto"
            )
        return
    asked, away = index.model_of(settings), embedding.why_away(settings.embeddings)
    if away:
        other = index.stand_in(settings)
        served = "words alone" if other is None else f"words, and by meaning with {_named(other)} instead"
        yield warning(
            _TOPIC,
            f"{asked[0]} gives no vectors now ({away}): search is by {served}.",
            "start Ollama, and fetch the model once: ollama pull "
            f"{asked[0].partition('/')[2]}; or set embeddings: auto",
        )
        if other is None:
            return
        asked = other
    place, made = index.progress(layout, asked)
    model = place if asked[0] == embedding.AUTO else asked[0]
    waiting = max(0, sight.ledger.counts.observations - made)
    if waiting > _MANY:
        yield note(
            _TOPIC,
            f"{counted(waiting, 'line is', 'lines are')} found by words alone so far: no vector of {model} "
            "yet.",
            "scrimshaw reindex --keep-vectors; or let a daemon do it: scrimshaw run",
        )
    elif not away:
        yield ok(_TOPIC, f"by words and by meaning ({model}), {counted(made, 'line')} so far")


def _named(asked: tuple[str, Path | None]) -> str:
    return asked[1].name if asked[1] else embedding.BUNDLED
