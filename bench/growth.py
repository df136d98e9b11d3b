"""How a time grows with a size: the exponent e of time ~ size^e, by least squares over the logarithms."""

from __future__ import annotations

import math
from collections.abc import Sequence


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """Return the fitted exponent of *points* (size, time); 1.0 is growth in proportion, 0.0 none."""
    sizes = [math.log(size) for size, _ in points]
    times = [math.log(time) for _, time in points]
    middle, level = sum(sizes) / len(sizes), sum(times) / len(times)
    spread = sum((size - middle) ** 2 for size in sizes)
    return sum((s - middle) * (t - level) for s, t in zip(sizes, times, strict=True)) / spread
