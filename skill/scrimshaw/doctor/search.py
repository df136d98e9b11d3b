"""Search: does it find by meaning, too, and how far did the index come?"""

from __future__ import annotations

from collections.abc import Iterator

from scrimshaw.doctor.finding import Finding, note, ok, warning
from scrimshaw.doctor.sight import LedgerSight, WorkspaceSight
from scrimshaw.index import embedding
from scrimshaw.jobs import indexing
from scrimshaw.resources import adding

_TOPIC = "search"
_MANY = 1_000  # more lines without a vector than a daemon lets wait


def check_search(sight: WorkspaceSight) -> Iterator[Finding]:
    """Judge how a workspace can be searched; loads no model."""
    if not isinstance(sight.ledger, LedgerSight):
        return
    settings, layout = sight.target.config.settings, sight.target.layout
    if why := indexing.why_no_vectors(settings):
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
    model, made = indexing.progress(layout, settings)
    waiting = max(0, sight.ledger.counts.observations - made)
    if waiting > _MANY:
        yield note(
            _TOPIC,
            f"{waiting:,} lines are found by words alone so far: they have no vector of {model} yet.",
            "scrimshaw reindex --keep-vectors; or let a daemon do it: scrimshaw run",
        )
        return
    yield ok(_TOPIC, f"by words and by meaning ({model}), {made:,} lines so far")
