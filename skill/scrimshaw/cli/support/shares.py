"""A number between two others on the command line; "nan" lies between none."""

from __future__ import annotations

import math

import click


class Share(click.FloatRange):
    """A range of click's that refuses what is no number."""

    def convert(self, value: float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value!r} is not a number", param, ctx)
        return number
