"""A small labelled set for the gate: things said, faithful notes of them, and a note turned round.

Slots make many cases of each: {name}, {thing}, {id}, {n}, {m}, {day} (a date in words) and {date} (the
same, computed). Nothing here is from a real conversation.
"""

from __future__ import annotations

from typing import NamedTuple


class Said(NamedTuple):
    """What was said, notes that say the same, and one that says the opposite ("" when there is none)."""

    text: str
    notes: tuple[str, ...]
    turned: str


USER = (
    Said(
        "Please keep answers to {n} lines at most, {name} reads them on the phone.",
        (
            "User wants answers of at most {n} lines; {name} reads them on a phone",
            "Keeps answers to {n} lines because {name} reads on the phone",
        ),
        "User does not want answers kept to {n} lines for {name}",
    ),
    Said(
        "We decided to use {thing} for the {id} job, {name} signed it off.",
        (
            "Decided: {thing} for the {id} job, signed off by {name}",
            "User decided to use {thing} for {id}; {name} signed off",
        ),
        "User decided not to use {thing} for the {id} job",
    ),
    Said(
        "The review with {name} is {day} at 14:30, room {n}.",
        ("Review with {name} on {date} at 14:30 in room {n}", "{date} 14:30: review with {name}, room {n}"),
        "The review with {name} is not on {date} at 14:30",
    ),
    Said(
        "{name} pays {n} euros an hour for {thing} work, billed in {m} day cycles.",
        (
            "{name} pays {n} EUR per hour for {thing} work, billed every {m} days",
            "Rate for {thing} work: {n} euros an hour, paid by {name}, {m} day cycles",
        ),
        "{name} never pays {n} euros an hour for {thing} work",
    ),
    Said(
        "Never restart {id} without asking {name} first, it took us {n} minutes to recover.",
        (
            "Never restart {id} without asking {name}; recovery took {n} minutes",
            "User: do not restart {id} before asking {name}",
        ),
        "Restart {id} at any time, recovery took {n} minutes, {name} agrees",
    ),
    Said(
        "I moved from {thing} to the new {id} cluster, it holds {n} GB now.",
        (
            "Moved from {thing} to the {id} cluster, which holds {n} GB",
            "User now runs on {id} ({n} GB), no longer on {thing}",
        ),
        "User has not moved from {thing} to the {id} cluster",
    ),
    Said(
        "The contract with {name} ends {day}, after that we have {n} days to renew.",
        (
            "Contract with {name} ends on {date}; {n} days to renew after that",
            "{name}'s contract ends {date}, renewal within {n} days",
        ),
        "The contract with {name} does not end on {date}",
    ),
    Said(
        "My sister {name} is allergic to {thing}, so no {thing} at dinner.",
        (
            "User's sister {name} is allergic to {thing}",
            "Sister {name} is allergic to {thing}: none of it at dinner",
        ),
        "User's sister {name} is not allergic to {thing}",
    ),
    Said(
        "{id} is fixed, I tested it {n} times with {name}'s data and it passed.",
        (
            "{id} is fixed; tested {n} times with {name}'s data",
            "User tested {id} {n} times with data from {name}: passed",
        ),
        "{id} is fixed but failed {n} times with {name}'s data",
    ),
    Said(
        "I like {thing} best for this, {name} prefers the one from the {n} page catalogue.",
        (
            "User likes {thing} best; {name} prefers the one from the {n} page catalogue",
            "Likes {thing} best for this",
        ),
        "User does not like {thing} for this",
    ),
    Said(
        "Send the {thing} report to {name} by {day}, {n} pages are enough.",
        (
            "Send the {thing} report to {name} by {date}; {n} pages are enough",
            "Due {date}: {thing} report for {name}, {n} pages",
        ),
        "Do not send the {thing} report to {name} by {date}",
    ),
    Said(
        "The door budget for {id} was approved by {name}, {n} thousand, not a cent more.",
        (
            "{name} approved {n} thousand for the {id} door budget, not a cent more",
            "Budget for {id}: {n} thousand, approved by {name}, no more than that",
        ),
        "The door budget for {id} was rejected by {name}, {n} thousand, not a cent more",
    ),
    Said(
        "We enabled {thing} on {id} yesterday, {name} wants to watch {n} dashboards for a week.",
        (
            "Enabled {thing} on {id} yesterday; {name} watches {n} dashboards for a week",
            "{thing} is enabled on {id}, {name} wants to watch {n} dashboards",
        ),
        "We disabled {thing} on {id} yesterday, {name} wants to watch {n} dashboards",
    ),
    Said(
        "I can't make the {thing} meeting {day}, {name} will take it with the {n} others.",
        (
            "User cannot make the {thing} meeting on {date}; {name} takes it with the {n} others",
            "Not at the {thing} meeting on {date}, {name} takes it",
        ),
        "User can make the {thing} meeting on {date}",
    ),
)
TOOL = (
    Said(
        "deploy {id}: ok\nservice {thing} running {n} replicas, owner {name}\nfinished in {m} s",
        (
            "Deployed {id}: {thing} running with {n} replicas",
            "{id} deploy ok in {m} s, {thing} has {n} replicas",
        ),
        "deploy {id} failed, {thing} not running",
    ),
    Said(
        "FAIL {id}: {thing} expected {n} got {m}\nassigned {name}",
        ("{id} failed: {thing} expected {n}, got {m}", "Test {id} fails for {thing}: {n} expected, {m} got"),
        "PASS {id}: {thing} expected {n}, got {m}",
    ),
)
ASSISTANT = (
    Said(
        "I suggest {thing} for {id}: it needs {n} MB and {name} already knows it.",
        (
            "Assistant suggested {thing} for {id}: {n} MB, {name} knows it",
            "Assistant suggests {thing} ({n} MB) for {id}",
        ),
        "Assistant suggested not to use {thing} for {id}",
    ),
    Said(
        "{id} is done: {thing} moved to {n} partitions, {name} notified, {m} errors left.",
        (
            "{id} is done: {thing} moved to {n} partitions, {m} errors left",
            "{thing} moved to {n} partitions ({id}), {name} notified",
        ),
        "{id} is not done: {thing} moved to {n} partitions",
    ),
)
NAMES = ("Priyanka", "Osvaldo", "Mirela", "Tobiah", "Ingeborg", "Kwabena", "Shirin", "Laszlo")
THINGS = ("redis", "parquet", "walnuts", "terraform", "lavender", "nginx", "basil", "kafka")
IDS = ("OPS-918", "db-prod-07", "FH_2240", "v4.18.1", "svc/billing-3", "PX-77b")
DAYS = (
    ("tomorrow", "2026-11-17"),
    ("on 3 December", "2026-12-03"),
    ("next week Thursday", "2026-11-26"),
    ("in two weeks", "2026-11-30"),
    ("on Friday", "2026-11-20"),
    ("2026-12-11", "2026-12-11"),
)
