"""What of a line may leave the ledger for a file that others read: a dated file, an archive, an export.

What people type into their section is theirs, and MEMORY.md and the ledger hold it as typed, secrets
included. A dated file is a copy that they did not make, and one that the host searches; an archive is carried
to other machines. There their words are redacted, as everybody else's were before they were noted.
"""

from __future__ import annotations

from dataclasses import replace

from scrimshaw.core.types import Author, Claim, Observation


def without_secrets(observation: Observation) -> Observation:
    """Return *observation* with a person's own words redacted; the very same when there is nothing to do."""
    if observation.author is not Author.PERSON:
        return observation
    from scrimshaw.redaction import redact  # not in a run with nothing new

    def clean(text: str) -> str:
        return redact(text).text

    claim, refers_to = observation.claim, observation.refers_to
    return replace(
        observation,
        text=clean(observation.text),
        claim=Claim(*map(clean, claim)) if claim else claim,
        refers_to=refers_to._replace(phrase=clean(refers_to.phrase)) if refers_to else refers_to,
        pattern=clean(observation.pattern),
    )
