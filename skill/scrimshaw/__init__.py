"""Scrimshaw: the memory of an OpenClaw agent, kept in the `## Observations` section of MEMORY.md."""

__version__ = "0.7.0"
