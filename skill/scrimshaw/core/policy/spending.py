"""Money, pure: what a call can cost at most, what is spent, and whether the one more still fits.

A cap is the owner's: so many tokens, so many dollars, for a day and for a month of their own calendar. A call
that *could* pass one is refused before it is made, so what counts beforehand is the most it can cost. A price
that is not known is None, never 0: then the dollar caps bind what is known, and the token caps everything.

Dollars are whole microdollars, rounded up. Knows no clock, no ledger and no model.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from math import ceil
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from scrimshaw.core.prompting.fence import Prompt

MICRODOLLARS = 1_000_000

# No tokenizer needs more: dense ASCII (hex, JSON) comes to a token for two bytes, scripts that it does not
# know to one for each byte.
_ASCII_BYTES_A_TOKEN = 2
_FRAME_TOKENS = 100  # what a protocol puts around a question

Price = tuple[float, float]  # dollars for a million tokens in and out
Period = Literal["day", "month"]
Unit = Literal["tokens", "dollars"]


class Amount(NamedTuple):
    """What a call uses, or can use at most. *microdollars* None: the price is not known."""

    tokens_in: int
    tokens_out: int
    microdollars: int | None

    @property
    def tokens(self) -> int:
        """Both directions together: what a cap counts."""
        return self.tokens_in + self.tokens_out


class Caps(NamedTuple):
    """The owner's limits; 0: none."""

    tokens_a_day: int = 0
    tokens_a_month: int = 0
    microdollars_a_day: int = 0
    microdollars_a_month: int = 0


class Spent(NamedTuple):
    """What is spent or reserved in a period; the *unpriced* calls are in the tokens alone."""

    tokens: int = 0
    microdollars: int = 0
    unpriced: int = 0


class SpendSpan(NamedTuple):
    """The days, both included, whose calls count for a period's cap."""

    first: date
    last: date


class SpendRefusal(NamedTuple):
    """The cap that a call could pass, and by how much."""

    unit: Unit
    period: Period
    cap: int  # tokens or microdollars
    spent: int
    needed: int  # the most the call can cost; 0 for dollars when the price is not known

    @property
    def left(self) -> int:
        """What the cap still leaves."""
        return max(0, self.cap - self.spent)

    @property
    def is_for_good(self) -> bool:
        """Whether the call will not fit into a new day or month either."""
        return self.needed > self.cap

    def __str__(self) -> str:
        """Return the reason in words."""
        cap, needed = shown(self.cap, self.unit), shown(self.needed, self.unit)
        named = f"the cap of {cap} a {self.period}"
        if self.is_for_good:
            return f"{named} is smaller than one question, which may take {needed}"
        if not self.needed:
            return f"{named} is used up"
        return f"{named} leaves {shown(self.left, self.unit)}, and the next question may take {needed}"


def shown(number: int, unit: Unit) -> str:
    """Return an amount for a person."""
    return f"{number:,} tokens" if unit == "tokens" else dollars(number)


def dollars(microdollars: int) -> str:
    """Return dollars for a person: two decimals, four below ten cents; never "$0.00" for something."""
    if 0 < microdollars < 100:
        return "less than $0.0001"
    decimals = 4 if 0 < microdollars < MICRODOLLARS // 10 else 2
    return f"${microdollars / MICRODOLLARS:,.{decimals}f}"


def microdollars_of(said: float) -> int:
    """Return a cap in dollars as microdollars, at least 1 for anything above 0: 0 stands for no cap."""
    return max(1, round(said * MICRODOLLARS)) if said > 0 else 0


def cost(tokens_in: int, tokens_out: int, price: Price | None) -> int | None:
    """Return the microdollars of so many tokens; None when there are any and the price is not known."""
    if not tokens_in and not tokens_out:
        return 0
    if price is None:
        return None
    return ceil(round(tokens_in * price[0] + tokens_out * price[1], 6))


def most(prompt: Prompt, price: Price | None) -> Amount:
    """Return the most that one try of *prompt* can cost."""
    tokens_in = _FRAME_TOKENS + sum(_most_tokens(text) for text in (prompt.system, prompt.text))
    return Amount(tokens_in, prompt.most_output_tokens, cost(tokens_in, prompt.most_output_tokens, price))


def _most_tokens(text: str) -> int:
    ascii_bytes = len(text.encode("ascii", "ignore"))
    other_bytes = len(text.encode("utf-8", "replace")) - ascii_bytes
    return -(-ascii_bytes // _ASCII_BYTES_A_TOKEN) + other_bytes


def span_of(period: Period, today: date) -> SpendSpan:
    """Return the days that count for *today*'s cap.

    Later days count, too, one for the day and a month for the month: where the clock was set back, or the
    zone changed, what was just spent lies in the future, and must not be free because of that. Not further:
    a clock that was once a year ahead must not stop everything for a year.
    """
    if period == "day":
        return SpendSpan(today, _later(today, 1))
    return SpendSpan(today.replace(day=1), _later(today, 31))


def _later(day: date, days: int) -> date:
    return day + timedelta(days=min(days, (date.max - day).days))


def refusal(caps: Caps, today: Spent, month: Spent, needed: Amount) -> SpendRefusal | None:
    """Return the first cap that a call of at most *needed* could pass; None when it may be made."""
    bounds: Iterable[tuple[Unit, Period, int, int]] = (
        ("tokens", "day", caps.tokens_a_day, today.tokens),
        ("tokens", "month", caps.tokens_a_month, month.tokens),
        ("dollars", "day", caps.microdollars_a_day, today.microdollars),
        ("dollars", "month", caps.microdollars_a_month, month.microdollars),
    )
    found = [
        SpendRefusal(
            unit, period, cap, spent, needed.tokens if unit == "tokens" else needed.microdollars or 0
        )
        for unit, period, cap, spent in bounds
        if cap and _could_pass(unit, cap, spent, needed)
    ]
    # The longest hold decides when to ask again.
    return max(found, key=lambda one: one.period == "month", default=None)


def _could_pass(unit: Unit, cap: int, spent: int, needed: Amount) -> bool:
    if unit == "tokens":
        return spent + needed.tokens > cap
    if needed.microdollars is None:
        return spent >= cap
    # A free model (on this machine) never reaches a cap in dollars.
    return needed.microdollars > 0 and spent + needed.microdollars > cap


def goes_on_at(refused: SpendRefusal, now: datetime, zone: ZoneInfo) -> datetime | None:
    """Return when the owner's next day, or next month, begins; None when that will not help."""
    if refused.is_for_good:
        return None
    today = now.astimezone(zone).date()
    if refused.period == "day":
        first = _later(today, 1)
    else:
        first = _later(today.replace(day=28), 4).replace(day=1)
    return datetime.combine(first, time(), zone)
