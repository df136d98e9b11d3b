"""How what `status` finds is worded."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from scrimshaw.cli.support.command import CommandCall, head
from scrimshaw.clock import local_minute
from scrimshaw.config import OFFLINE
from scrimshaw.core.text.plural import counted
from scrimshaw.resources import adding
from scrimshaw.services.status.durations import ago

if TYPE_CHECKING:
    from scrimshaw.services.models.spending import Sum
    from scrimshaw.services.status.status import WorkspaceStatus


def status_lines(condition: WorkspaceStatus, call: CommandCall) -> list[str]:
    target = condition.target
    lines = [f"{head(condition)}  ({target.zone})", f"  zone      {target.zone_told}"]
    for source in condition.sources:
        left = ", ".join(f"{count} {kind}" for kind, count in sorted(source.left_out.items()))
        age = ago(source.newest_at_ms, call.now)
        lines.append(
            f"  source    {source.kind}: {source.problem}"
            if source.problem
            else f"  source    {source.kind}: {counted(source.sessions, 'conversation')}, newest event {age}"
            + (f" (left out: {left})" if left else "")
        )
    if not condition.sources:
        lines.append(
            "  source    none yet; it appears with the agent's first conversation (or is it another state "
            "folder? --state-dir)"
        )
    lines.append(f"  backlog   {_backlog(condition)}")
    lines += _section(condition)
    lines += [f"            {line}" for line in condition.budget.arithmetic()]
    lines += _way(condition)
    if condition.injected and condition.injected.is_truncated:
        lines.append(
            f"  host      cut MEMORY.md in its last prompt: {condition.injected.injected_chars:,} of "
            f"{condition.injected.raw_chars:,} units were injected"
        )
    lines += _plugin(condition)
    lines += [*_history(condition, call), *_archives(condition)]
    lines += [*_model(condition), *_daemon(condition, call)]
    lines += [f"  problem   {problem}" for problem in condition.problems]
    if condition.problems or condition.hook_problem or (condition.plugin and condition.plugin.problem):
        lines.append("  more      what to do about it: scrimshaw doctor")
    return lines


def _way(condition: WorkspaceStatus) -> list[str]:
    """Return which way the section goes to the agent (rule 13)."""
    if condition.target.is_in_home:
        return [
            "  way       MEMORY.md, for your programs: there is no host here that injects it into a prompt"
        ]
    detail = condition.record.detail
    if not condition.is_aside:
        if condition.record.state == "none":
            return ["  way       MEMORY.md, which the host injects into the prompt"]
        return [f"  way       MEMORY.md, at your word (respect_provenance: false), although {detail}"]
    aside = "the section is kept in memory/observations/MEMORY.md"
    if condition.section_state == "still in MEMORY.md":
        aside = "from the next run on the section is kept in memory/observations/MEMORY.md"
    if condition.hook_problem:
        return [
            f"  way       {detail}; {aside}",
            f"  WARNING   NO HOOK INJECTS IT INTO THE PROMPT: {condition.hook_problem}",
        ]
    return [f"  way       {detail}; {aside}, and our hook injects it into the prompt"]


def _plugin(condition: WorkspaceStatus) -> list[str]:
    """Return how far the plug-in has come, and what the model was shown of it."""
    plugin = condition.plugin
    if plugin is None:
        return []
    if plugin.problem:
        return [f"  plugin    {plugin.problem}"]
    loaded = "loaded by the gateway, and its server answers" if plugin.is_running else "no gateway runs"
    match plugin.seen:
        case None:
            seen = "no private conversation yet"
        case ():
            seen = "the last private prompt named none of its tools (the model may find them by tool search)"
        case tools:
            seen = f"the last private prompt named {', '.join(tools)}"
    return [f"  plugin    {plugin.state.may}: {loaded}", f"            {seen}"]


def _backlog(condition: WorkspaceStatus) -> str:
    if not condition.backlog.tokens:
        return "nothing new"
    told = f"about {counted(condition.backlog.tokens, 'token')} not observed yet"
    return f"{told}: scrimshaw observe" if condition.is_set_up and condition.daemon is None else told


def _section(condition: WorkspaceStatus) -> list[str]:
    if condition.budget.reason:
        return [f"  section   {condition.section_state}; no room: {condition.budget.reason}"]
    size = f"{condition.section_units:,} of {counted(condition.budget.body_units, 'unit')}"
    if condition.section_state.startswith("removed"):
        return [f"  section   {condition.section_state}; to have it back: scrimshaw init"]
    below = " below your own text, which stays as it is" if condition.is_below_own else ""
    return [f"  section   {condition.section_state}{below}, {size}"]


def _history(condition: WorkspaceStatus, call: CommandCall) -> list[str]:
    if condition.counts is None:
        return [_no_ledger(condition, call)]
    counts, run = condition.counts, condition.last_run
    redacted = sum(count for what, count in counts.redacted.items() if what != "private")
    lines = [
        f"  ledger    {counted(counts.observations, 'observation')}, {counts.live:,} in force, "
        f"{counts.shown:,} shown, {counts.rejected:,} turned down"
        + (f", {counted(redacted, 'secret')} redacted" if redacted else "")
    ]
    if condition.stored:
        told = counted(condition.stored, "memory that programs stored", "memories that programs stored")
        lines.append(f"  working   {told}: scrimshaw search finds them, too")
    if waiting := condition.awaiting_review:
        told = counted(waiting, "proposal waits", "proposals wait")
        lines.append(f"  review    {told} for you: scrimshaw review")
    if (insight := condition.insight) and insight.score is not None:
        lines.append(f"  health    {insight.score} of 100: scrimshaw health")
    if insight and insight.conflict_count:
        among = f", {insight.standing} among standing lines" if insight.standing else ""
        lines.append(f"  conflicts {insight.conflict_count}{among}: scrimshaw conflicts")
    if run is not None:
        lines.append(f"  last run  {ago(run.started_at_ms, call.now)}: {_outcome(run.outcome)}")
        if run.error:
            lines.append(f"            {run.error}")
    return lines


def _no_ledger(condition: WorkspaceStatus, call: CommandCall) -> str:
    if not condition.kept:
        return f"  ledger    none yet; {call.setting_up(condition.target)} sets this workspace up"
    return (
        f"  ledger    Scrimshaw was uninstalled here and the memory kept, in {condition.kept}; nothing is\n"
        "            noted any more. To go on with it: scrimshaw install; to take it away: scrimshaw "
        "uninstall --data delete"
    )


def _archives(condition: WorkspaceStatus) -> list[str]:
    archives = condition.archives
    if archives is None:
        return []
    if not archives.is_installed:
        step = adding("archives", has_host=not condition.target.is_in_home)
        without = f"memvid-sdk is not installed: {step} (nothing is lost without)"
        return [f"  archives  {without}"]
    waiting = counted(archives.waiting_events, "event waits", "events wait")
    waiting = waiting if archives.waiting_events else "nothing waits"
    if not archives.files:
        return [f"  archives  none yet; {waiting}"]
    names = f"{archives.files[0].name}" + (f" to {archives.files[-1].name}" if archives.files[1:] else "")
    held, size = archives.observations, archives.size_bytes / 1e6
    return [f"  archives  {names}: {counted(held, 'observation')}, {size:.1f} MB; {waiting}"]


def _outcome(outcome: str) -> str:
    return {"": "not finished", "later": "noted; MEMORY.md waits until the conversation is idle"}.get(
        outcome, outcome
    )


def _model(condition: WorkspaceStatus) -> list[str]:
    """Return who notes and reflects, what that has cost today, and since when and why something waits."""
    model = condition.model
    if model is None:
        return []
    zone, used = condition.target.zone, model.used_today
    told = f"{_who(model.observer)} {'notes' if model.observer != OFFLINE else 'note'}"
    if model.reflector != model.observer:
        told += f", {_who(model.reflector)} {'reflects' if model.reflector != OFFLINE else 'reflect'}"
    lines = [f"  model     {told}; today {counted(used.tokens_in + used.tokens_out, 'token')}, {_cost(used)}"]
    if model.outage and not model.rules_note:
        since = local_minute(model.outage.since_ms, zone)
        then = local_minute(model.rules_note_from_ms, zone)
        lines += [
            f"            what is new waits for it since {since}: {model.outage.detail}",
            f"            if that goes on, the rules note it from about {then} on",
        ]
    if model.waiting:
        windows = counted(model.waiting, "window waits", "windows wait")
        lines.append(f"            {windows} for another try: its answers could not be used")
    for held in model.standing.held:
        # None: one question is more than the whole cap, so another day does not help.
        until = f"{held.resumes_at:%Y-%m-%d %H:%M}" if held.resumes_at else "it is raised"
        lines.append(
            f"            {held.job} waits for the cap of the {held.refusal.period}, until {until}"
            " (scrimshaw spend)"
        )
    if model.problem:
        lines.append("  WARNING   THE MODEL CANNOT BE ASKED; THE RULES NOTE INSTEAD (see problem below)")
    return lines


def _who(model: str) -> str:
    return "the rules" if model == OFFLINE else model


def _cost(used: Sum) -> str:
    if not used.calls or not used.unpriced:
        return f"${used.microdollars / 1_000_000:.4f}"
    known = f"${used.microdollars / 1_000_000:.4f} and " if used.microdollars else ""
    return f"{known}{counted(used.unpriced, 'question')} of unknown price"


def _daemon(condition: WorkspaceStatus, call: CommandCall) -> list[str]:
    if not condition.is_set_up:
        return []
    daemon = condition.daemon
    if daemon is None:
        return [f"  daemon    none runs; {_without_daemon(condition, call)}"]
    if daemon.beat is None:
        return [f"  daemon    process {daemon.pid}, has just started"]
    zone = ZoneInfo(condition.target.zone)
    since = datetime.fromisoformat(daemon.beat.started_at).astimezone(zone)
    doing = daemon.beat.doing
    doing = "waiting for something new" if doing == "waiting" else f"at work ({doing})"
    told = f"process {daemon.pid} since {since:%Y-%m-%d %H:%M}, {doing}"
    if daemon.beat.next_reflection_at:
        then = datetime.fromisoformat(daemon.beat.next_reflection_at).astimezone(zone)
        told += f"; reflects next at {then:%H:%M}"
    return [f"  daemon    {told}"]


def _without_daemon(condition: WorkspaceStatus, call: CommandCall) -> str:
    if condition.target.is_in_home:
        return "for one that does: scrimshaw run"
    from scrimshaw.setup.receipt import job_at  # only here: it takes a moment to load

    jobs = [job for agent in condition.target.agents if (job := job_at(call.env, agent.state_dir))]
    if any(job.is_at_work for job in jobs):
        return "the host's own scheduler (openclaw cron) does it every 15 minutes"
    for job in jobs:
        return f"{job.problem}. Next: {job.next_step}"
    return "for one that does: scrimshaw service install, or scrimshaw run"
