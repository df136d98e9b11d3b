"""Dialogues with a person at a terminal, one key or answer at a time."""
