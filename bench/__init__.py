"""Reproducible measurements: `python -m bench NAME`. None of this is part of the product."""
