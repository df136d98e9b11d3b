"""The language layer: what words tell, whatever reads them. It knows no observer and no subject.

`cues` tells how people decide, prefer, plan, report, change and take back; `fillers` what only fills, asks or
leads on; `reports` how an assistant says that something is done or failed. All three are tables of patterns
whose text stands in files (scrimshaw/data), read and compiled when first used. English; a statement in
another language is weighed by what it holds. `grammatical_subject` tells of whom a statement speaks.
"""

from __future__ import annotations

from scrimshaw.core.language.patterns import PatternTable, Phrases, phrases

cues = PatternTable("cues")
fillers = PatternTable("fillers")
reports = PatternTable("reports")
ASKED = "Asked: "  # what a question kept for its date or number begins with

__all__ = ("ASKED", "PatternTable", "Phrases", "cues", "fillers", "phrases", "reports")
