"""Every figure that is told of an agent: its name without the prefix, its type, what it says.

Counters only grow. Those that the ledger keeps began with the first run of 0.10.0 on it. A second label has a
closed list of values, so that an agent's series stay few: whatever is not on the list is counted as "other".
"""

from __future__ import annotations

from typing import Literal, NamedTuple

OTHER = "other"
REASONS = ("unsupported", "number", "name", "date", "identifier", "speaker", "injection", OTHER)
SECRETS = ("password", "secret", "private-key", "card", OTHER)
_VALUES = {"reason": REASONS, "kind": SECRETS, "job": ("observe", "reflect"), "period": ("day", "month")}


class Metric(NamedTuple):
    """One figure of an agent; *label* names the second label, "" for none."""

    name: str
    type: Literal["counter", "gauge", "summary"]
    help: str
    label: str = ""

    @property
    def values(self) -> tuple[str, ...]:
        """The values that the second label can have."""
        return _VALUES.get(self.label, ("",))


METRICS = (
    Metric("om_messages_tokens_total", "counter", "Tokens of conversation that were observed."),
    Metric("om_observations_tokens_total", "counter", "Tokens of the observations that were made of them."),
    Metric("om_reflections_tokens_total", "counter", "Tokens of the reflections that were made."),
    Metric("om_compression_ratio", "gauge", "Tokens that were observed for one token of observation."),
    Metric("om_observations_created_total", "counter", "Observations that were made, by whomever."),
    Metric("om_reflections_created_total", "counter", "Reflections that were made."),
    Metric("om_observer_duration_seconds", "summary", "What runs of the observer took."),
    Metric("om_reflector_duration_seconds", "summary", "What runs of the reflector took."),
    Metric(
        "om_observer_cost_total", "counter", "Dollars for the observer's model, where its price is known."
    ),
    Metric(
        "om_reflector_cost_total", "counter", "Dollars for the reflector's model, where its price is known."
    ),
    Metric(
        "om_cost_savings_total",
        "counter",
        "Dollars at list prices that prompt caches saved programs on tokens read, as they have reported.",
    ),
    Metric("backlog_tokens", "gauge", "Tokens of conversation that are not observed yet."),
    Metric("backlog_age_seconds", "gauge", "How long the oldest of them has waited."),
    Metric("newest_line_timestamp_seconds", "gauge", "When what the newest line says was said."),
    Metric("newest_message_timestamp_seconds", "gauge", "When the newest message of any source was said."),
    Metric("sources", "gauge", "Stores of conversations that are read."),
    Metric("sources_unreadable", "gauge", "Those of them that cannot be read."),
    Metric("last_run_timestamp_seconds", "gauge", "When the newest run began.", "job"),
    Metric("runs_failed_total", "counter", "Runs that ended with an error.", "job"),
    Metric("section_characters", "gauge", "Length of the section as it was written last."),
    Metric("section_budget_characters", "gauge", "The most that it might take then."),
    Metric("lines", "gauge", "Lines in the ledger."),
    Metric("lines_live", "gauge", "Lines that hold."),
    Metric("rejections_total", "counter", "Proposals that were not noted, by the rule they broke.", "reason"),
    Metric("review_waiting", "gauge", "Proposals that wait for the owner's decision."),
    Metric("redactions_total", "counter", "Secrets that were taken out of transcripts, by kind.", "kind"),
    Metric("recalls_total", "counter", "Lines that a search has brought, each once a day."),
    Metric("search_duration_seconds", "summary", "What searches through this server took."),
    Metric("spend_dollars", "gauge", "What models have cost in the period that a cap counts.", "period"),
    Metric("spend_cap_dollars", "gauge", "The owner's cap; 0 for none.", "period"),
    Metric("working_memories", "gauge", "Memories in the working layer."),
    Metric("working_knowledge", "gauge", "Pieces of knowledge in the working layer."),
    Metric("working_conversations", "gauge", "Conversations that programs have handed in."),
    Metric("working_bytes", "gauge", "Size of the working layer's file."),
    Metric("embeddings_cached", "gauge", "Memories that can be found by meaning."),
    Metric("consolidation_duration_seconds", "summary", "What consolidations took."),
    Metric("consolidation_archived_total", "counter", "Memories that moved into the ledger."),
    Metric("consolidation_duplicates_total", "counter", "Memories that the ledger said already."),
    Metric("archive_waiting", "gauge", "Events that are in no archive yet."),
    Metric("daemon_up", "gauge", "Whether a daemon follows this agent: 1 or 0."),
    Metric("problems", "gauge", "What `scrimshaw status` has to complain of."),
)
