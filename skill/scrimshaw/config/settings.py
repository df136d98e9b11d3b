"""What can be set, with the default of each and the note that the sample file prints."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field
from datetime import timedelta
from typing import Any, Literal, NamedTuple

from scrimshaw.errors import Exit, UserError

_DURATION = re.compile(r"^(\d+)\s*(s|m|h|d)$")
_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}

SessionChoice = Literal["direct", "group", "channel", "cron", "subagent", "hook"]
OFFLINE = "offline"
# Of a file; a block holds settings or blocks.
_OF_MEMORY = ("working", "episodic", "embedding", "consolidation")
_BLOCKS = ("server", "memory", *(f"memory_{name}" for name in _OF_MEMORY))
DEFAULT = "default"
LARGEST_WINDOW = 20_000  # tokens


def seconds(text: str) -> int:
    """Return the seconds of a duration such as "30s", "15m", "4h" or "2d"; raise ValueError for another."""
    match = _DURATION.match(text.strip())
    if not match:
        raise ValueError(f"{text!r} is not a duration; write for example 30s, 15m, 4h or 2d")
    return int(match[1]) * _UNIT_SECONDS[match[2]]


def age_of(text: str, undone: str, next_step: str = 'write it as "24h" or "7d"') -> timedelta:
    """Return a duration that a person or a program gives; UserError says what is wrong and *undone*."""
    try:
        return timedelta(seconds=seconds(text))
    except (ValueError, TypeError, OverflowError, AttributeError) as error:
        why = str(error) if isinstance(error, ValueError) else f"{text!r} is not a duration that can be"
        raise UserError(f"{why}. {undone}", next_step=next_step, exit_code=Exit.USAGE) from error


def _setting(
    default: Any,  # noqa: ANN401  # of the field's own type
    note: str,
    *,
    least: int | None = None,
    most: int | None = None,
    form: str = "",  # what it is besides its type; config/check knows what is right for each
) -> Any:  # noqa: ANN401  # what dataclasses.field returns
    metadata = {"note": note, "least": least, "most": most, "form": form}
    if isinstance(default, dict):
        return field(default_factory=lambda: dict(default), metadata=metadata)
    return field(default=default, metadata=metadata)


def default_of(item: Field[Any]) -> Any:  # noqa: ANN401  # of the field's own type
    """Return the default of a setting."""
    return item.default if item.default_factory is MISSING else item.default_factory()


def flattened(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return *said* with its blocks as single names: memory: {working: {ttl: 7d}} as one."""
    flat: dict[str, Any] = {}
    for name, value in said.items():
        is_block = isinstance(value, dict) and name in _BLOCKS
        flat |= (
            flattened({f"{name}_{inner}": one for inner, one in value.items()}) if is_block else {name: value}
        )
    return flat


def renamed(said: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return *said*, of a file or the environment, with the names of today for those of earlier releases."""
    size = said.get("observation_threshold")
    if type(size) is not int or size > LARGEST_WINDOW or "window_tokens" in said:
        return said
    others = {name: value for name, value in said.items() if name != "observation_threshold"}
    return {**others, "window_tokens": size}


@dataclass(frozen=True, slots=True)
class Settings:
    """What can be set, for everyone or for one agent. The notes become the sample file."""

    observation_chars: int = _setting(
        14_000,
        "The most the section may take, in UTF-16 units as the host counts. The host's own limits and\n"
        "what else stands in MEMORY.md lower it; `scrimshaw status` prints the arithmetic.",
        least=500,
        most=200_000,
    )
    sessions: tuple[SessionChoice, ...] = _setting(
        ("direct",),
        "Which conversations feed MEMORY.md. The host injects it into direct chats only, so what was said\n"
        "in a group stays out unless you add it: direct, group, channel, cron, subagent, hook.",
    )
    sources: Mapping[str, str] = _setting(
        {},
        "Transcripts of other programs, besides the host's own: the name of an installed source and the\n"
        "file or folder it reads. docs/guide/extending.md says how one is written.\n"
        "  {NAME: ~/chats}",
        form="sources",
    )
    scope: Literal["resource", "thread"] = _setting(
        "resource",
        "resource: every included conversation of the agent, and one log of observations for all that a\n"
        "program has with one person. thread: the agent's main conversation alone, and each of a program's\n"
        "by itself.",
    )
    timezone: str = _setting(
        "auto",
        "The zone in which dates are read and written, such as Europe/Lisbon. auto: the host's\n"
        "userTimezone, else this machine's; on a machine that is on UTC what USER.md names (Timezone: …).",
        form="zone",
    )
    observer_model: str = _setting(
        OFFLINE,
        "Who writes the notes, and who goes over them later. offline: the rules, without a key or network.\n"
        "Or a model; its provider then gets to see conversations (never their secrets, nor what is\n"
        "private): openclaw (the agent's own), gemini/gemini-2.5-flash, anthropic/NAME, openai/NAME,\n"
        "ollama/NAME and other servers that speak OpenAI's protocol, or ENDPOINT/NAME with an endpoint of\n"
        "yours. `scrimshaw init` shows what there is and what a day would cost; `scrimshaw models` too.",
        form="model",
    )
    reflector_model: str = _setting(OFFLINE, "", form="model")
    endpoints: Mapping[str, Endpoint] = _setting(
        {},
        "Servers of your own that speak OpenAI's protocol, by name. A key is named by its variable, never\n"
        "written here; `scrimshaw doctor` says where it is looked for.\n"
        "  {desk: {base_url: 'http://127.0.0.1:8000/v1', key_variable: DESK_KEY}}",
        form="endpoints",
    )
    instruction: str = _setting(
        "",
        'What the model is told besides, in your own words: "Note prices. Leave out the weather." It is\n'
        "sent with each question.",
        most=4_000,
    )
    prices: Mapping[str, tuple[float, float]] = _setting(
        {},
        "Dollars for a million tokens in and out, by model; goes before the built-in table.\n"
        "  {openai/gpt-5-mini: [0.25, 2.0]}",
        form="prices",
    )
    max_tokens_per_day: int = _setting(
        2_000_000,
        "The most that this agent's memory may use of models, in a day and in a month of your calendar, in\n"
        "tokens and in dollars. A call that could pass one of them is not made; what waits is noted later.\n"
        "0: no limit. A model without a known price is held by the tokens alone.",
        least=0,
        most=10**12,
    )
    max_tokens_per_month: int = _setting(20_000_000, "", least=0, most=10**12)
    max_cost_per_day: float = _setting(1.0, "", least=0, most=10**6)
    max_cost_per_month: float = _setting(10.0, "", least=0, most=10**6)
    model_timeout: str = _setting(
        "2m", "How long one question to a model may take, tries and pauses included.", form="duration"
    )
    model_streaming: bool = _setting(
        False, "Let answers come in pieces: for servers behind proxies that cut silent connections."
    )
    model_patience: str = _setting(
        "4h",
        "How long what was said waits for a model that cannot be asked (an outage, the limits above). After\n"
        "that the rules note it.",
        form="duration",
    )
    after_bad_reply: Literal["offline", "defer"] = _setting(
        "offline", "When a model answers twice in vain: offline, the rules note it; defer: it waits as above."
    )
    second_reading: Literal["off", "doubtful", "all"] = _setting(
        "all",
        "Whether the observer's model reads its lines once more, beside what they rest on; that costs about\n"
        "half as much again. all: each line. doubtful: all but those in the words that were said. What\n"
        "nobody has read again in other words waits in `scrimshaw review`. off: all of those wait.",
        form="off",
    )
    review: Literal["off", "rejected", "all"] = _setting(
        "rejected",
        "What `scrimshaw review` lays before you. rejected: proposals that broke a rule. all: every one,\n"
        "before it is noted. off: only those that no model has read again.",
        form="off",
    )
    private_patterns: tuple[str, ...] = _setting(
        (),
        "What is never noted and never sent, besides <private>…</private>: regular expressions, for any\n"
        "case. And the conversations of which nothing is sent to a model, by id or key, * for anything.\n"
        "  private_patterns: ['\\bMRN \\d{7}\\b', 'project falcon']\n"
        "  private_sessions: ['agent:main:explicit:diary*']",
        form="patterns",
    )
    private_sessions: tuple[str, ...] = _setting((), "", form="sessions")
    window_tokens: int = _setting(
        5_000,
        "Tokens of conversation that one observation window aims at; as much makes a backlog due. (Up to\n"
        "0.8 this was observation_threshold; a value of at most 20,000 there is still taken for it.)",
        least=500,
        most=LARGEST_WINDOW,
    )
    message_threshold: int = _setting(
        30_000,
        "Tokens at which a backlog is due even in the middle of a conversation; what a program hands in\n"
        "waits until then.",
        least=1_000,
        most=1_000_000,
    )
    observation_threshold: int = _setting(
        40_000,
        "Tokens of observations in a program's conversation at which they are condensed, and how often\n"
        "that may be.",
        least=LARGEST_WINDOW + 1,
        most=1_000_000,
    )
    reflect_min_interval: str = _setting("60m", "", form="duration")
    keep_last_messages: int = _setting(
        12,
        "Of a program's conversation: how many messages its context holds at least, and how many results\n"
        "of tools whole; older ones are shortened to a line.",
        least=1,
        most=1_000,
    )
    keep_last_tool_summaries: int = _setting(6, "", least=0, most=1_000)
    prompt_cache: Literal["auto", "5m", "1h"] = _setting(
        "auto",
        "How long Anthropic is asked to keep the beginning of a program's context. An hour pays where\n"
        "people pause for longer than five minutes; writing costs twice a token then, not 1.25 times. auto:\n"
        "what would have been cheaper for the pauses between the messages.",
    )
    share_token_budget: bool = _setting(
        False,
        "Count the section's own tokens (and a conversation's observations) against message_threshold, so\n"
        "that what is full is kept fresher.",
    )
    enabled: bool = _setting(
        True, "Whether the conversations that programs hand in are observed; false keeps them and no more."
    )
    observer_interval: str = _setting(
        "15m", "Age at which the oldest unobserved message makes a backlog due (s, m, h, d).", form="duration"
    )
    idle_interval: str = _setting(
        "5m",
        "Silence after which a conversation counts as idle, and its backlog as due. MEMORY.md changes then,\n"
        "and each change costs the provider's prompt cache: where that is kept for an hour, 1h is cheaper.",
        form="duration",
    )
    reflector_interval: str = _setting(
        "4h",
        "How often the lines are gone over: the same said twice becomes one, what was replaced goes, what\n"
        "keeps coming back becomes standing, plans whose day has passed go to the log.",
        form="duration",
    )
    reflection_threshold_chars: int = _setting(
        10_000, "Size of the section, in UTF-16 units, at which that is done sooner.", least=500, most=200_000
    )
    reflector_least_interval: str = _setting(
        "15m", "The least time between two reflections, whatever the section's size.", form="duration"
    )
    maintenance_at: str = _setting(
        "03:40",
        "Local time of the nightly round: everything is looked at once more, whatever was missed is\n"
        "found, the ledger is checked. (OpenClaw's own dreaming is at 03:00.)",
        form="time",
    )
    ttl_days: int = _setting(
        90,
        "Half-life of a line's rank in the section, in days. Age removes nothing while there is room, and\n"
        "what holds for life does not age; said again or searched for, a line is young again.",
        least=1,
        most=36_500,
    )
    max_observations_per_agent: int = _setting(
        1_000, "How many observations may be candidates for the section.", least=10, most=100_000
    )
    max_reflections_per_agent: int = _setting(
        100, "How many reflections may be candidates for the section.", least=1, most=10_000
    )
    embeddings: str = _setting(
        "auto",
        "Search by meaning. auto: with the model that is installed on this machine, if one is (nothing is\n"
        "downloaded, nothing is sent); off: by words alone; ollama/nomic-embed-text or another model of\n"
        "your own Ollama; or the name of the model in embeddings_folder, which holds model.onnx and\n"
        "tokenizer.json. With another model all vectors are rebuilt, in the background.",
        form="embeddings",
    )
    embeddings_folder: str = _setting("", "", most=4_000)
    weigh_by_meaning: bool = _setting(
        True,
        "Where the rules are in doubt whether a sentence is worth a line, and in which part, let small\n"
        "models of this machine decide, too. Needs the extra `semantic`; without it words alone decide, as\n"
        "they do for what is older in a large backlog. Takes a process of 180 to 340 MB, ended a minute\n"
        "after its last question; a second for its start, a tenth of one a window of conversation.",
    )
    respect_provenance: bool = _setting(
        True,
        "Leave MEMORY.md alone once the agent has edited it with its own tools: an outside write would get\n"
        "it quarantined by the host. The section is then kept in memory/observations/MEMORY.md.",
    )
    backups: int = _setting(
        20, "Copies of MEMORY.md kept in .scrimshaw/backups, one before each write.", least=0, most=1_000
    )
    memory_working_ttl: str = _setting(
        "7d",
        "What programs store lies in a quick working layer first: how long after its last use a memory\n"
        "expires, and how many it holds before the least worth have to move at once.",
        form="duration",
    )
    memory_working_max_entries: int = _setting(10_000, "", least=10, most=1_000_000)
    memory_episodic_enabled: bool = _setting(
        True,
        "Whether programs have the ledger, too. false: what they store stays in the working layer, however\n"
        "old it is; a search looks there alone; no `.mv2` archive is written. Conversations are observed as\n"
        "ever.",
    )
    memory_episodic_data_dir: str = _setting(
        "",
        "The folder of agents that `scrimshaw serve`, `token` and `open` are about without --home. For your\n"
        "own file alone.",
        most=4_000,
    )
    memory_episodic_embedding_model: str = _setting(
        "auto",
        "The model for the ledger's lines, as `embeddings` is written. auto: the one for memories.",
        form="embeddings",
    )
    memory_embedding_primary: str = _setting(
        "auto",
        "The model for what programs store. auto: as `embeddings` says; ollama: ollama_model, asked at\n"
        'ollama_url (for your own file alone; "": this machine\'s, or OLLAMA_HOST); local: the one that is\n'
        "installed; off; or a model as `embeddings` is written. With `embeddings: off` there is none at all.",
        form="embeddings",
    )
    memory_embedding_ollama_url: str = _setting("", "", form="url", most=500)
    memory_embedding_ollama_model: str = _setting("nomic-embed-text", "", form="ollama", most=100)
    memory_embedding_fallback: Literal["local", "off"] = _setting(
        "local",
        "What serves while Ollama does not answer: the model that is installed, if one is, or words alone.",
        form="off",
    )
    memory_embedding_cache_enabled: bool = _setting(
        True,
        "Whether the vectors of memories are kept on the disk. false: each program makes its own, and holds\n"
        "them as long as it runs.",
    )
    memory_embedding_async: bool = _setting(
        True, "Whether vectors are made in the background. false: a store answers when its vector is made."
    )
    memory_consolidation_enabled: bool = _setting(
        True,
        "Consolidation moves what has expired there into the ledger: how often the daemon does it, when it\n"
        "does so for the night (and lets the importance of what nobody reads fall), above which cosine a\n"
        "line says the same already, and how many memories it moves at once.",
    )
    memory_consolidation_interval: str = _setting("6h", "", form="duration")
    memory_consolidation_sleep_cycle: str = _setting("03:00", "", form="time")
    memory_consolidation_dedup_threshold: float = _setting(0.95, "", least=0, most=1)
    memory_consolidation_batch_size: int = _setting(100, "", least=1, most=10_000)
    memory_consolidation_share_patterns: bool = _setting(
        False,
        "In a home of several agents: keep what two or more of them have noted alike, as a pattern or for\n"
        "good, in the home's agent `shared`, for all of them. Only those that have it on take part.",
    )
    server_port: int = _setting(
        18892,
        "Where `scrimshaw serve` listens. Another address than this machine's own also wants\n"
        "--expose on the command line.",
        least=0,
        most=65_535,
    )
    server_host: str = _setting("127.0.0.1", "", most=255)
    server_jwt_secret: str = _setting(
        "",
        "The variable that holds the secret of an older program's tokens, written as ${NAME}; it stands\n"
        "in the environment or in keys.env, with at least 32 characters. Without one a secret is made.",
        form="variable",
    )
    server_claims: Mapping[str, str] = _setting(
        {},
        "What that program's tokens may do, by what they claim: an agent (* for all) and read, write or\n"
        "owner. Tokens that claim nothing of this are refused.\n"
        "  {'sub=gateway': '* write', 'user=albert': 'albert read'}",
        form="claims",
    )
    server_hosts: tuple[str, ...] = _setting(
        (),
        "Names of this machine besides localhost that a request may be addressed to, and web pages\n"
        "(https://HOST) that may ask. No page may unless it is named.",
        form="names",
    )
    server_origins: tuple[str, ...] = _setting((), "", form="origins")
    server_rate: int = _setting(
        1_000, "The most requests a second that one token may make.", least=1, most=1_000_000
    )
    alert_conflicts: int = _setting(
        -1,
        "The daemon looks for lines that contradict each other, and scores the memory's health. Alert when\n"
        "there are more conflicts than this (-1: never), or when the health is below that (0: never).",
        least=-1,
        most=100_000,
    )
    alert_health: int = _setting(0, "", least=0, most=100)
    alert_command: tuple[str, ...] = _setting(
        (),
        "Who is told of a new alert, besides status, doctor and the log: a program with its arguments, run\n"
        "without a shell, which gets JSON on its standard input; a web address that gets it by POST. Both\n"
        "get counts and ids, never text. For your own file alone.\n"
        "  [notify-send, Scrimshaw]",
    )
    alert_webhook: str = _setting("", "", most=2_000)


class Endpoint(NamedTuple):
    """An OpenAI-compatible server; *key_variable* names the variable with its key, "" for none."""

    base_url: str
    key_variable: str = ""
