"""OpenClaw's own model: `openclaw infer model run`, the agent's model and credentials, no key of ours.

The program takes the prompt as one argument and nothing else: not from a file, not from its input. So what
does not fit an argument is refused, and other users of the machine can see the text in the list of
processes while it runs. It reports no usage: that is estimated. Asked is `--local`, by a process of its own.
A running gateway was measured to be no quicker; it asks a provider in trouble up to eight times for one
question, goes on when we are gone, takes the agent's own key out of use then, and in 2026.7 keeps the
question as a session of the agent. So it is asked only for a model that nothing else can reach.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.errors import UserError
from scrimshaw.host import command
from scrimshaw.host.gateway import running_gateway
from scrimshaw.models.call import Correspondent, RawAnswer, answer_of, string_or_empty
from scrimshaw.models.keys import NO_KEY
from scrimshaw.models.library import ServerError, clean, wait_of
from scrimshaw.models.model import Answer, Failure, ModelChoice, Trouble, Usage

# One argument on Linux holds 128 KiB with its end; a little is left for what we may have miscounted.
LARGEST_PROMPT_BYTES = 128 * 1024 - 64
_LEAVES_NOTHING = (2026, 9, 6)  # the first that was seen to store no session of a question by gateway
_ONLY_BY_GATEWAY = re.compile(r"not the local .{0,60}transport|run through the gateway")
# The line before 2026.9 has no --agent and asks the default agent's model.
_UNKNOWN_OPTION = re.compile(r"(?:recognize|unknown) option\W+--agent")
_without_agent: set[Path] = set()
_versions: dict[tuple[Path, int], tuple[int, ...]] = {}  # asking takes seconds: once a program


def open_openclaw(choice: ModelChoice, env: Mapping[str, str]) -> OpenClaw | Failure:
    """Return the model of the host in *choice*, or why it cannot be asked."""
    program = command.find_program(env)
    if program is None:
        return Failure(
            Trouble.ABSENT,
            "The program openclaw was not found. Next: put it on the PATH, or name it by "
            f"{command.VARIABLE}=/path/to/openclaw",
        )
    if choice.state_dir is None or choice.config_path is None:
        return Failure(Trouble.ABSENT, "No OpenClaw host is known here. Next: scrimshaw doctor")
    host = command.CalledHost(program, choice.state_dir, choice.config_path, env)
    return OpenClaw(choice.name, host, choice.agent_id, choice.name.partition("/")[2])


@dataclass(frozen=True, slots=True)
class OpenClaw:
    """The model of an OpenClaw agent; *model* is another of the host's, "provider/model", "" for its own."""

    name: str
    host: command.CalledHost = field(repr=False)  # the environment holds keys
    agent_id: str
    model: str = ""

    @property
    def place(self) -> str:
        return "OpenClaw's own model" if not self.model else f"{self.model}, through OpenClaw"

    def ask(
        self, prompt: Prompt, *, timeout_seconds: float, is_stopped: Callable[[], bool]
    ) -> Answer | Failure:
        to = Correspondent("openclaw", NO_KEY, prompt)
        text = f"{prompt.system}\n\n{prompt.text}".replace("\0", " ").encode("utf-8", "replace").decode()
        size_bytes = len(text.encode("utf-8"))
        if size_bytes > LARGEST_PROMPT_BYTES:
            return Failure(
                Trouble.REQUEST,
                f"openclaw takes questions of at most {LARGEST_PROMPT_BYTES:,} bytes, and this one has "
                f"{size_bytes:,}. Next: choose another model, or lower window_tokens",
            )
        billed = Usage(to.tokens_in, 0, is_estimated=True)
        ends_at = time.monotonic() + timeout_seconds
        try:
            said = self._called("--local", text, ends_at, is_stopped)
            if _UNKNOWN_OPTION.search(said.complaint):
                _without_agent.add(self.host.program)
                said = self._called("--local", text, ends_at, is_stopped)
            if said.code and _ONLY_BY_GATEWAY.search(said.complaint) and self._has_gateway():
                said = self._called("--gateway", text, ends_at, is_stopped)
        except command.StoppedError:
            return Failure(Trouble.STOPPED, "openclaw was ended: the program is ending.", usage=billed)
        except command.OutOfTimeError:
            late = f"openclaw did not answer within {timeout_seconds:.3g} seconds."
            return Failure(Trouble.TIMEOUT, late, usage=billed)
        except UserError as error:
            return Failure(Trouble.ABSENT, f"{error.problems[0]} Next: {error.next_step}")
        return _read(said, to)

    def _called(
        self, way: str, text: str, ends_at: float, is_stopped: Callable[[], bool]
    ) -> command.CommandOutput:
        host = self.host
        words = ["infer", "model", "run", way]
        if self.agent_id and host.program not in _without_agent:
            words += ["--agent", self.agent_id]
        if self.model:
            words += ["--model", self.model]
        seconds = max(0.0, ends_at - time.monotonic())
        return host.call(*words, "--prompt", text, "--json", timeout_seconds=seconds, is_stopped=is_stopped)

    def _has_gateway(self) -> bool:
        host = self.host
        runs = running_gateway(host.state_dir, host.config_path, host.env) is not None
        return runs and _version(host) >= _LEAVES_NOTHING


def _version(host: command.CalledHost) -> tuple[int, ...]:
    try:
        known = (host.program, host.program.stat().st_mtime_ns)
    except OSError:
        return ()
    if known not in _versions:
        if (found := host.version()) is None:
            return ()
        _versions[known] = found
    return _versions[known]


def _read(said: command.CommandOutput, to: Correspondent) -> Answer | Failure:
    body = command.json_in(said.out)
    if not isinstance(body, Mapping):
        if said.code:
            return _complaint(said.complaint, to)
        return Failure(Trouble.REPLY, "openclaw did not answer in the form expected of it.")
    outputs = body.get("outputs")
    if said.code or body.get("ok") is not True or not isinstance(outputs, list):
        error = body.get("error")
        message = (
            string_or_empty(error.get("message")) if isinstance(error, Mapping) else string_or_empty(error)
        )
        message = ": ".join(filter(None, [message, _first_issue(body.get("issues"))]))
        return _complaint(message or said.complaint, to)
    texts = [string_or_empty(output.get("text")) for output in outputs if isinstance(output, Mapping)]
    provider, model = string_or_empty(body.get("provider")), string_or_empty(body.get("model"))
    named = f"{provider}/{model}" if provider and model else model
    used = body.get("usage")
    usage = used if isinstance(used, Mapping) else {}
    return answer_of(RawAnswer("\n".join(texts), usage.get("input"), usage.get("output"), named), to)


def _first_issue(said: object) -> str:
    first = said[0] if isinstance(said, list) and said else None
    return string_or_empty(first.get("message")) if isinstance(first, Mapping) else ""


# What the host says of itself and of its provider, in the order in which it is told apart.
_TROUBLES: tuple[tuple[Trouble, re.Pattern[str]], ...] = tuple(
    (trouble, re.compile(words, re.IGNORECASE))
    for trouble, words in (
        (Trouble.RATE, r"rate.?limit|too many requests|\b429\b"),
        (Trouble.SERVER, r"overloaded|\b5\d\d\b"),
        (Trouble.TIMEOUT, r"timed? ?out"),
        (Trouble.REQUEST, r"unknown (?:agent|model)|not recognize|is invalid|context (?:length|over)"),
        (Trouble.KEY, r"api key|unauthori[sz]ed|\b40[123]\b|\bauth|credential|billing|quota"),
        (Trouble.REPLY, r"no text output"),
        (Trouble.CONNECTION, r"econn|gateway|socket|network|fetch failed|not reachable"),
    )
)


_WAIT = re.compile(r"Retry-After: (\d+(?:\.\d+)?) s")


def _complaint(message: str, to: Correspondent) -> Failure:
    trouble = next((kind for kind, words in _TROUBLES if words.search(message)), Trouble.SERVER)
    wait = _WAIT.search(message)
    asked = {"retry-after": wait[1]} if wait else {}
    return Failure(
        trouble, f"openclaw could not ask: {clean(message, to)}", wait_of(ServerError(0, "", asked))
    )
