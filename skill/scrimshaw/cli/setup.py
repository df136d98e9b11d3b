"""The commands that set up and take away: `init`, `install`, `uninstall` and `config`.

`init` asks for two consents, one after the other: to write here (`--yes` gives it), and to send conversations
to a model (only an answer on a terminal, or `--model`, gives that).
"""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from scrimshaw.cli.support.command import CommandCall, command, print_json, yes
from scrimshaw.cli.support.terminal import tell
from scrimshaw.config import OFFLINE
from scrimshaw.errors import Exit, UserError, combined
from scrimshaw.memory import Memory
from scrimshaw.services.observe.task import ObserveOptions
from scrimshaw.workspace import Target, one_of

if TYPE_CHECKING:
    from scrimshaw.setup.changes import InstallPlan, KeepFresh, Means, StepOutcome
    from scrimshaw.setup.choosing import ChosenModel
    from scrimshaw.setup.plugin import PluginParts
    from scrimshaw.setup.uninstall_plan import UninstallPlan

SETTLE_SECONDS = 1.5  # a daemon that cannot work ends within this time


@command()
@yes
@click.option(
    "--model",
    metavar="NAME",
    help="Let this model write the notes; this is your consent to send it conversations. offline: none.",
)
def init(call: CommandCall, yes: bool, model: str | None) -> int:
    """Set up a workspace after showing what would be written, and choose who writes the notes."""
    from scrimshaw.cli.observe import Way, go
    from scrimshaw.setup.choosing import refuse_unknown

    if model is not None:
        if model != OFFLINE:
            call.refuse_agent(
                "An agent's shell cannot agree for the person that conversations are sent to a model. "
                "Nothing was changed or sent.",
                next_step=f"ask the person to run this in their own terminal: scrimshaw init --model {model}",
            )
        for memory in call.memories():
            refuse_unknown(memory.target, model)
    is_asked = not (yes or call.wants_json or call.is_agents) and sys.stdin.isatty()
    said: dict[Path, str] = {}  # in new workspaces, before anything was noted

    def choose_first(memory: Memory) -> ChosenModel | None:
        name = said[memory.workspace] = _wanted(call, memory, model, is_asked=is_asked, is_first=True)
        return _choose(call, memory, name, is_first=True) if name else None

    code = go(call, Way(ObserveOptions(brings_back=True), yes=yes, chooses=choose_first))
    for memory in call.memories():
        if not memory.is_set_up or said.get(memory.workspace):
            continue  # not agreed to, or chosen
        is_open = is_asked and memory.workspace not in said
        if name := _wanted(call, memory, model, is_asked=is_open):
            chosen = _choose(call, memory, name)
            if name != OFFLINE and not call.wants_json:
                _offer_a_try(call, chosen.target, is_asked=is_asked)
        else:
            call.say(_as_it_is(memory.target))
    return code


def _wanted(
    call: CommandCall, memory: Memory, model: str | None, *, is_asked: bool, is_first: bool = False
) -> str:
    """Return the model that is to write the notes, "" for who does it now."""
    from scrimshaw.setup.choosing import is_chosen

    if model is None and is_asked and not is_chosen(memory.target.config):
        from scrimshaw.cli.dialogues.choose_model import ask_for_model  # only here: it reads what was said

        return ask_for_model(memory, call.env, is_first=is_first)
    return model or ""


def _choose(call: CommandCall, memory: Memory, name: str, *, is_first: bool = False) -> ChosenModel:
    from scrimshaw.cli.dialogues.choose_model import carry_out

    chosen, lines = carry_out(memory.target, name, call.env, is_first=is_first)
    call.say("", *lines)
    return chosen


def _as_it_is(target: Target) -> str:
    model = target.config.settings.observer_model
    if model == OFFLINE:
        return (
            f"{target.agent_id}: the rules write the notes; nothing is sent anywhere. What else there is: "
            "scrimshaw models"
        )
    return (
        f"{target.agent_id}: {model} writes the notes. To change that: scrimshaw init --model NAME; "
        "to have the rules again: scrimshaw init --model offline"
    )


def _offer_a_try(call: CommandCall, target: Target, *, is_asked: bool) -> None:
    if is_asked and click.confirm("Try it now? A few invented lines are sent.", default=True):
        from scrimshaw.cli.models import try_and_tell  # only when wanted

        try_and_tell(call, Memory(target, env=call.env), target.config.settings.observer_model)
    else:
        tell("Next: scrimshaw models test")


@command(homes=False, as_json=False)
@yes
@click.option("--dry-run", is_flag=True, help="List every change; make none.")
@click.option(
    "--keep-fresh",
    type=click.Choice(["service", "cron", "none"]),
    help="What keeps the memory current. Default: the service; without systemd, the host's cron.",
)
@click.option(
    "--plugin",
    type=click.Choice(["tools", "tools+prompt"]),
    help="Give the agent native tools by a plug-in; +prompt: it may add to private prompts, too.",
)
@click.option("--no-hook", is_flag=True, help="Install no hook into OpenClaw.")
@click.option("--no-agents-md", is_flag=True, help="Add nothing to AGENTS.md.")
def install(
    call: CommandCall,
    yes: bool,
    dry_run: bool,
    keep_fresh: KeepFresh | None,
    plugin: PluginParts | None,
    no_hook: bool,
    no_agents_md: bool,
) -> int:
    """Set Scrimshaw up in OpenClaw after listing every change; then check everything."""
    from scrimshaw.setup.install_plan import InstallOptions, plan_install, until_loaded
    from scrimshaw.setup.receipt import alone

    if plugin:
        from scrimshaw.web import require_extra  # the plug-in asks a server

        require_extra()
    asked = InstallOptions(call.wanted, keep_fresh, not no_hook, not no_agents_md, plugin)
    planned = plan_install(asked, call.env)
    for target in planned.targets:
        tell(f"{', '.join(agent.agent_id for agent in target.agents)}  {target.layout.workspace}")
    _tell_changes(planned, nothing="\nEverything is in place; nothing to change.")
    hint = "To see the sections first: scrimshaw preview. To undo all of it: scrimshaw uninstall"
    if not _goes_on(planned, hint, yes=yes, dry_run=dry_run):
        return int(Exit.OK)
    code = Exit.OK
    if planned.changes:
        with alone(call.env, makes=True):
            code = _install(call, planned)
        if all(target.config.settings.observer_model == OFFLINE for target in planned.targets):
            tell(
                "\nThe notes are written by rules, and nothing is sent. "
                "To let a model write them: scrimshaw init"
            )
    for line in planned.afterwards:
        tell(f"\nNext: {line}")
    if planned.changes and not planned.afterwards:
        until_loaded(planned.changes, call.env, time.sleep)
    examined = _examined(call)
    return int(code) or examined


def _tell_changes(planned: InstallPlan | UninstallPlan, *, nothing: str) -> None:
    """List what would be changed, or say *nothing*, and what the person should know of it."""
    if planned.changes:
        tell("\nTo be done:")
        for change in planned.changes:
            tell(f"  - {change.line()}")
    else:
        tell(nothing)
    if planned.notes:
        tell("\nTo know:")
        for note in planned.notes:
            tell("  - " + note.replace("\n", "\n    "))


def _goes_on(planned: InstallPlan | UninstallPlan, hint: str, *, yes: bool, dry_run: bool) -> bool:
    """Tell whether the plan is carried out; raise UserError where there is nobody to ask."""
    if dry_run:
        tell("\nNothing was changed (--dry-run).")
        return False
    if yes or not planned.changes:
        return True
    if not sys.stdin.isatty():
        raise UserError(
            "This needs your agreement, and there is no terminal to ask on. Nothing was changed.",
            next_step="to agree to the plan above, run the same command with --yes",
        )
    tell(f"\n{hint}".rstrip())
    if not click.confirm("Do all of this?", default=False):
        tell("Nothing was changed.")
        return False
    return True


def _means(call: CommandCall) -> Means:
    from scrimshaw.setup.changes import Means

    return Means(call.env, call.now, lambda: time.sleep(SETTLE_SECONDS))


def _install(call: CommandCall, planned: InstallPlan) -> Exit:
    from scrimshaw import resources
    from scrimshaw.setup.changes import perform

    tell("")
    codes = _tell_outcomes(perform(planned.changes, _means(call)))
    failed = [code for code in codes if code is not Exit.OK]
    if not failed:
        root = resources.checkout()
        back = shlex.quote(str(root / "scripts" / "uninstall")) if root else "scrimshaw uninstall"
        tell(f"\nAll {len(codes)} done. To undo all of it at any time: {back}")
    if any(code is not Exit.PARTLY for code in failed):
        tell("\nNot everything could be done; see above. What was done is in place, and is not done twice.")
    return combined(failed)


def _tell_outcomes(outcomes: Iterable[StepOutcome]) -> list[Exit]:
    """Carry out and say what came of each change, as it comes; return how each ended."""
    codes: list[Exit] = []
    before = None
    for outcome in outcomes:
        _tell_outcome(outcome, before)
        before = outcome
        codes.append(outcome.exit_code)
    return codes


def _tell_outcome(outcome: StepOutcome, before: StepOutcome | None = None) -> None:
    """Say what came of one change; of one that was made as the plan said there is nothing more to say.

    *before* is the outcome of the change before it: what fails for the same reason need not say it again.
    """
    from scrimshaw.cli.render.run_report import report_lines

    lines = str(outcome.error).splitlines() if outcome.error else outcome.told
    if outcome.error and before and str(before.error) == str(outcome.error):
        lines = ["for the same reason"]
    lines = [*lines, *(report_lines(outcome.report) if outcome.report else ())]
    if lines:
        tell(f"{'failed' if outcome.error else 'done'}: {outcome.change.line()}")
    for line in lines:
        tell(f"    {line}")


def _examined(call: CommandCall) -> int:
    """Print what the doctor finds that is not well; 1 for an error (a warning does not fail an install)."""
    from scrimshaw.core.text.plural import counted
    from scrimshaw.doctor import Severity, examine, finding_lines  # only here: it looks at everything

    examination = examine(call.wanted, call.env, call.now)
    groups = []
    for group in examination.groups:
        found = tuple(finding for finding in group.findings if finding.severity > Severity.OK)
        if found:
            groups.append(replace(group, findings=found))
    *lines, total = finding_lines(replace(examination, groups=tuple(groups)))
    count = examination.count(Severity.OK)
    tell("")
    well = counted(count, "other check is fine", "other checks are fine")
    for line in (*lines, f"{total} {well}; all of it: scrimshaw doctor"):
        tell(line)
    return int(Exit.MENDABLE if examination.exit_code == Exit.MENDABLE else Exit.OK)


@command(homes=False, as_json=False)
@yes
@click.option("--dry-run", is_flag=True, help="List every change; make none.")
@click.option(
    "--section",
    type=click.Choice(["keep", "remove"]),
    help="What to do with the section in MEMORY.md. Default: keep.",
)
@click.option(
    "--data", type=click.Choice(["keep", "delete"]), help="What to do with the memory itself. Default: keep."
)
def uninstall(
    call: CommandCall,
    yes: bool,
    dry_run: bool,
    section: Literal["keep", "remove"] | None,
    data: Literal["keep", "delete"] | None,
) -> int:
    """Remove what install put in place. The section and the memory are kept unless you say otherwise."""
    from scrimshaw.setup.receipt import alone
    from scrimshaw.setup.uninstall_plan import UninstallOptions, plan_uninstall

    if not dry_run:
        call.refuse_agent(
            "An agent's shell cannot take away what its person has installed, or the memory. Nothing was "
            "changed.",
            next_step="scrimshaw uninstall --dry-run lists what would go; the person runs it themselves, in "
            "their own terminal",
        )
    is_asked = sys.stdin.isatty() and not yes and not dry_run
    planned = plan_uninstall(
        UninstallOptions(
            call.wanted,
            section or _asked_for("The section in MEMORY.md", "remove", is_asked=is_asked),
            data or _asked_for("The memory itself (ledger and dated files)", "delete", is_asked=is_asked),
        ),
        call.env,
    )
    for names, workspace in planned.workspaces:
        tell(f"{names}  {workspace}".lstrip())
    _tell_changes(planned, nothing="Scrimshaw is not installed here; there is nothing to remove.")
    if not _goes_on(planned, "", yes=yes, dry_run=dry_run) or not planned.changes:
        return int(Exit.OK)
    with alone(call.env, makes=False):
        return _uninstall(call, planned)


def _asked_for(what: str, other: Any, *, is_asked: bool) -> Any:  # noqa: ANN401  # one of two literals
    return click.prompt(what, type=click.Choice(["keep", other]), default="keep") if is_asked else "keep"


def _uninstall(call: CommandCall, planned: UninstallPlan) -> int:
    from scrimshaw import resources
    from scrimshaw.setup.removals import remove

    tell("")
    codes = _tell_outcomes(remove(planned.changes, _means(call)))
    failed = [code for code in codes if code is not Exit.OK]
    if not failed:
        tell(f"\nAll {len(codes)} done.")
    else:
        tell("\nNot everything could be removed; see above. Fix that, then run the same command again.")
    if root := resources.checkout():
        tell(f"\nThe program itself is left: {root}, with its .venv. It is yours to delete.")
    return int(combined(failed))


@command()
@click.option("--check", is_flag=True, help="Only check the configuration.")
@click.option("--example", "wants_example", is_flag=True, help="Print a commented file with every default.")
def config(call: CommandCall, check: bool, wants_example: bool) -> None:
    """Show the settings in force and where each of them comes from."""
    from scrimshaw.cli.render.settings import plain, setting_row
    from scrimshaw.config import Settings, load
    from scrimshaw.config.sample import example

    if wants_example:
        click.echo(example(), nl=False)
        return
    workspace, agent, state_dir, home = call.wanted
    target = None
    if state_dir is not None or home is not None:
        target = one_of(call.wanted, call.env, undone="Nothing was shown.")
        workspace, agent = target.layout.workspace, target.agent_id
    found = load(workspace, agent or "main", call.env)
    if check:
        click.echo('{"ok": true}' if call.wants_json else "The configuration is right.")
        return
    values = {item.name: getattr(found.settings, item.name) for item in fields(Settings)}
    if call.wants_json:
        print_json({n: {"value": plain(value), "from": found.origin[n]} for n, value in values.items()})
        return
    origin = dict(found.origin)
    if found.settings.timezone == "auto" and (target := target or _sole(call)):
        origin["timezone"] = f"{origin['timezone']}: {target.zone_told}"
    width = max(map(len, values))
    call.say(*(setting_row(name, value, origin[name], width) for name, value in values.items()))


def _sole(call: CommandCall) -> Target | None:
    """Return the workspace that is meant, if there is one; the settings can be looked at without."""
    try:
        return one_of(call.wanted, call.env, undone="")
    except UserError:
        return None
