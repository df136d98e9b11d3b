"""What is wrong with values that somebody has set: the one module that imports pydantic.

The schema is `config.Settings`; a pydantic model is built from it here, so that a value, its limits and
its note stand in one place. What is said of a wrong value never shows a key: people put them where the
variable's name belongs.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import time
from math import isfinite
from typing import Annotated, Any, get_type_hints
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, ValidationError, create_model

from scrimshaw.config.settings import OFFLINE, Endpoint, Settings, default_of, seconds
from scrimshaw.core.transcript.privacy import read_patterns
from scrimshaw.plugins import entry_point

# The providers that models/opening knows; a test compares.
PROVIDERS = ("gemini", "anthropic", "openai", "ollama", "vllm", "openrouter", "deepseek", "qwen", "glm")
# What people write without the provider.
_NAMED_LIKE = {"gemini": "gemini", "gpt-": "openai", "o[34]-": "openai", "claude": "anthropic"}
_EMBEDDINGS = re.compile(r"(?:ollama/)?[A-Za-z0-9][A-Za-z0-9._:-]{0,99}")
_OLLAMA_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}")
_MODEL_NAME = re.compile(r"offline|openclaw|[a-z][a-z0-9_-]{0,40}/\S{1,200}")
_ENDPOINT_NAME = re.compile(r"[a-z][a-z0-9_-]{0,40}")
_LIKE_A_KEY = re.compile("key|token|secret|auth|pass", re.IGNORECASE)
_GRANT = re.compile(r"(?:\*|[A-Za-z0-9][A-Za-z0-9._-]{0,63}) (?:read|write|owner)")
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?")
_ORIGIN = re.compile(r"https?://[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?(?::\d{1,5})?")
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,100}")
# Whose text goes where must not hang on a table in a file.
_TAKEN = {"offline", "openclaw", "gemini", "anthropic"}
_MOST_NAMED = 100  # endpoints, prices, patterns
_MOST_CHARS = 500
_DEAREST = 100_000.0  # dollars for a million tokens


def check_settings(said: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return *said* in the settings' own types, and every problem of it as "name: what is wrong".

    With a problem there are no values: a file is right as a whole or not used.
    """
    try:
        model = _MODEL.model_validate(dict(said))
    except ValidationError as error:
        return {}, [line for problem in error.errors(include_url=False) for line in _told(problem)]
    return {name: getattr(model, name) for name in model.model_fields_set}, []


def unknown_models(values: Mapping[str, Any], origin: Mapping[str, str]) -> list[str]:
    """Return what is wrong with the models that *values* name, together with the endpoints they name."""
    endpoints: Mapping[str, Endpoint] = values.get("endpoints", {})
    return [
        f"{origin[name]}: {name}: {problem}"
        for name in ("observer_model", "reflector_model")
        if (problem := why_unknown(values.get(name, OFFLINE), endpoints))
    ]


def why_unknown(model: str, endpoints: Mapping[str, Endpoint]) -> str:
    """Return why *model* names nothing that could be asked, "" when it does."""
    if problem := _form_problem(model):
        return problem
    provider = model.partition("/")[0]
    known = [OFFLINE, "openclaw", *PROVIDERS, *endpoints]
    if provider in known or entry_point("scrimshaw.models", provider):
        return ""
    near = difflib.get_close_matches(provider, known, n=1)
    meant = f"; did you mean {near[0]}?" if near else ""
    return f"{_shown(model)}: no provider and no endpoint is called {_shown(provider)}{meant}"


def _form_problem(model: str) -> str:
    if _MODEL_NAME.fullmatch(model):
        return ""
    lower = model.strip().lower()
    if lower in PROVIDERS:
        return f"{_shown(model)} wants the name of a model: {lower}/NAME"
    if _MODEL_NAME.fullmatch(lower):
        return f"{_shown(model)} names no model; did you mean {_shown(lower)[1:-1]}?"
    for start, provider in _NAMED_LIKE.items():
        if re.fullmatch(rf"{start}\S*", lower):
            return f"{_shown(model)} names no model; did you mean {provider}/{_shown(lower)[1:-1]}?"
    return f"{_shown(model)} names no model; write offline, openclaw or provider/model"


def _a_model(said: object) -> object:
    if said is False:  # YAML's `off`
        return OFFLINE
    if isinstance(said, str) and (problem := _form_problem(said)):
        raise ValueError(problem)
    return said


def _without_nul(said: object) -> object:
    if any(isinstance(one, str) and "\0" in one for one in (said if isinstance(said, list) else [said])):
        raise ValueError("holds a NUL character, which no name, path or text of a program can")
    return said


def _a_duration(text: str) -> str:
    seconds(text)
    return text


def _a_zone(text: str) -> str:
    if text != "auto":
        try:
            ZoneInfo(text)
        except (KeyError, ValueError, OSError):
            raise ValueError(f"{text!r} is not a time zone; write for example Europe/Lisbon") from None
    return text


def _a_time(said: object) -> object:
    # YAML reads an unquoted 13:40 as 13 * 60 + 40.
    text = f"{said // 60:02}:{said % 60:02}" if isinstance(said, int) else said
    try:
        return f"{time.fromisoformat(str(text)):%H:%M}"
    except ValueError:
        raise ValueError(f"{text!r} is not a time of day; write for example 03:40") from None


def _off(said: object) -> object:
    return "off" if said is False else said  # YAML reads a bare off as "no"


def _endpoint_problems(name: str, one: object) -> list[str]:
    if not _ENDPOINT_NAME.fullmatch(name):
        return ["no name for an endpoint; use small letters, digits, _ and -"]
    if name in _TAKEN:
        return ["this name means something else already; choose another"]
    if not isinstance(one, dict):
        return ["should hold base_url, and key_variable where a key is needed"]
    problems = [_foreign_part(str(part)) for part in one if part not in Endpoint._fields]
    problems += [_url_problem(one.get("base_url"))]
    variable = one.get("key_variable", "")
    if variable != "" and not (isinstance(variable, str) and _is_variable(variable)):
        problems.append(
            "key_variable: names no variable (capitals, digits and _; what stands there is not shown). Is it "
            "the key itself? Then take it out, and write the name of the variable that holds it"
        )
    return [problem for problem in problems if problem]


def _foreign_part(part: str) -> str:
    if _LIKE_A_KEY.search(part):
        return f"{_shown(part)}: a key is never written here; name the variable that holds it: key_variable"
    near = difflib.get_close_matches(part, Endpoint._fields, n=1)
    return f"{_shown(part)}: no such setting of an endpoint" + (f"; did you mean {near[0]}?" if near else "")


def _url_problem(said: object, name: str = "base_url: ") -> str:
    if not isinstance(said, str) or not said:
        return f"{name}is missing; write for example http://127.0.0.1:8000/v1"
    try:
        url = urlsplit(said)
        is_whole = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        return f"{name}is not an address; write for example http://127.0.0.1:8000/v1"
    if url.username is not None or url.password is not None:
        return f"{name}holds a name or password (not shown here); name the variable with the key instead"
    if not is_whole or not said.isprintable() or " " in said or len(said) > _MOST_CHARS:
        return f"{name}{_shown(said)} is not an address; it begins with https:// or http://"
    if url.query or url.fragment:
        return f"{name}ends before the ? or #; a key in it belongs into a variable"
    return ""


def _source_problems(name: str, path: object) -> list[str]:
    if not isinstance(path, str) or not 0 < len(path) <= _MOST_CHARS or not path.isprintable():
        return ["should be the path of a file or folder"]
    if not _ENDPOINT_NAME.fullmatch(name) or entry_point("scrimshaw.sources", name) is None:
        return ["no installed package offers a source of this name; install it where scrimshaw is installed"]
    return []


def _is_variable(text: str) -> bool:
    from scrimshaw.redaction import redact  # only when something was set

    return bool(_VARIABLE.fullmatch(text)) and not redact(text).counts


def _price_problems(name: str, one: object) -> list[str]:
    if not name.strip() or len(name) > _MOST_CHARS:
        return ["names no model"]
    if isinstance(one, (list, tuple)) and len(one) == 2 and all(map(_is_price, one)):
        return []
    return [
        "should be two numbers from 0 on, dollars for a million tokens in and out; for example [0.25, 2.0]"
    ]


def _is_price(said: object) -> bool:
    is_number = isinstance(said, (int, float)) and not isinstance(said, bool)
    return is_number and isfinite(said) and 0 <= said <= _DEAREST  # type: ignore[arg-type,operator]  # a number


def _table(
    problems_of: Callable[[str, object], list[str]], made: Callable[[Any], Any], wanted: str
) -> BeforeValidator:
    """Return what reads a table, each entry *made* what it should be; it raises one ValueError for all."""

    def read(said: object) -> dict[str, Any]:
        if said is None:
            return {}
        if not isinstance(said, dict):
            raise ValueError(f"should hold a name and {wanted} on each line")  # noqa: TRY004  # pydantic's way
        if len(said) > _MOST_NAMED:
            raise ValueError(f"more than {_MOST_NAMED} of them")
        told = [
            f".{_shown(str(name))[1:-1]}: {problem}"
            for name, one in said.items()
            for problem in problems_of(str(name), one)
        ]
        if told:
            raise ValueError("\n".join(told))
        return {str(name): made(one) for name, one in said.items()}

    return BeforeValidator(read)


def _one_or_more(said: object) -> object:
    return (said,) if isinstance(said, str) else () if said is None else said


def _patterns(said: tuple[str, ...]) -> tuple[str, ...]:
    _bounded(said)
    # What would silently not be used would let out what somebody has called private.
    if problems := read_patterns(said).problems:
        raise ValueError("\n".join(problems))
    return said


def _sessions(said: tuple[str, ...]) -> tuple[str, ...]:
    _bounded(said)
    if not all(text.strip() for text in said):
        raise ValueError("an empty one fits no conversation; write its id or key, * for anything in it")
    return said


def _bounded(said: tuple[str, ...]) -> None:
    if len(said) > _MOST_NAMED or any(len(text) > _MOST_CHARS for text in said):
        raise ValueError(f"at most {_MOST_NAMED}, of {_MOST_CHARS} characters each")


def _embeddings(said: object) -> object:
    text = _off(said)
    if isinstance(text, str):
        text = text.strip()
        if not _EMBEDDINGS.fullmatch(text):
            raise ValueError("write auto, off, ollama/NAME or the name of the model in embeddings_folder")
    return text


def _an_ollama_model(text: str) -> str:
    if not _OLLAMA_MODEL.fullmatch(text):
        raise ValueError(f"{_shown(text)} names no model of Ollama; write for example nomic-embed-text")
    return text


def _a_url(text: str) -> str:
    if text and (problem := _url_problem(text, "")):
        raise ValueError(problem)
    return text


def _a_variable(text: str) -> str:
    inner = text.removeprefix("${").removesuffix("}")
    if text and (inner == text or not _is_variable(inner)):
        raise ValueError(
            "names no variable (what stands there is not shown); write ${NAME}, and put the secret itself "
            "into the environment or keys.env"
        )
    return text


def _claim_problems(name: str, one: object) -> list[str]:
    claim, equals, value = name.partition("=")
    if not (claim and equals and value) or len(name) > _MOST_CHARS:
        return ["should be CLAIM=VALUE"]
    if not isinstance(one, str) or not _GRANT.fullmatch(one):
        return ["should be an agent, or *, and one of read, write, owner; for example: albert write"]
    return []


def _names(said: tuple[str, ...]) -> tuple[str, ...]:
    _bounded(said)
    if not all(_HOST.fullmatch(name) for name in said):
        raise ValueError("should be names such as memory.lan, without scheme and port")
    return tuple(name.lower() for name in said)


def _origins(said: tuple[str, ...]) -> tuple[str, ...]:
    _bounded(said)
    if not all(_ORIGIN.fullmatch(one) for one in said):
        raise ValueError("should be addresses such as https://notes.example, without a path; * is none")
    return tuple(one.lower() for one in said)


_FORMS: Mapping[str, tuple[Any, ...]] = {
    "duration": (AfterValidator(_a_duration),),
    "zone": (AfterValidator(_a_zone),),
    "time": (BeforeValidator(_a_time),),
    "off": (BeforeValidator(_off),),
    "embeddings": (BeforeValidator(_embeddings),),
    "ollama": (AfterValidator(_an_ollama_model),),
    "url": (AfterValidator(_a_url),),
    "model": (BeforeValidator(_a_model),),
    "endpoints": (_table(_endpoint_problems, lambda one: Endpoint(**one), "a block with base_url"),),
    "sources": (_table(_source_problems, str, "a path"),),
    "prices": (_table(_price_problems, lambda one: (float(one[0]), float(one[1])), "two numbers"),),
    "patterns": (BeforeValidator(_one_or_more), AfterValidator(_patterns)),
    "sessions": (BeforeValidator(_one_or_more), AfterValidator(_sessions)),
    "variable": (AfterValidator(_a_variable),),
    "claims": (_table(_claim_problems, str, "an agent with read, write or owner"),),
    "names": (BeforeValidator(_one_or_more), AfterValidator(_names)),
    "origins": (BeforeValidator(_one_or_more), AfterValidator(_origins)),
}


def _field(hint: Any, metadata: Mapping[str, Any]) -> Any:  # noqa: ANN401  # a type expression
    if hint is str:
        limits = Field(max_length=metadata["most"])
    elif hint is float:
        limits = Field(ge=metadata["least"], le=metadata["most"], allow_inf_nan=False)
    else:
        limits = Field(ge=metadata["least"], le=metadata["most"])
    return Annotated[hint, limits, *_FORMS.get(metadata["form"], ()), BeforeValidator(_without_nul)]


def _told(problem: Any) -> list[str]:  # noqa: ANN401  # pydantic's own error record
    name = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        near = difflib.get_close_matches(name, [item.name for item in fields(Settings)], n=1)
        meant = f"; did you mean {near[0]}?" if near else ""
        if not near and _LIKE_A_KEY.search(name):
            meant = "; a key is never written here. Scrimshaw finds it in the environment or in keys.env"
        return [f"{_shown(name)[1:-1]}: no such setting{meant}"]
    message = problem["msg"].removeprefix("Value error, ")
    if problem["type"] == "value_error":
        # A line that begins with a dot is about one entry of a table.
        return [f"{name}{line if line[:1] == '.' else f': {line}'}" for line in message.split("\n")]
    return [f"{name}: {message[:1].lower()}{message[1:]} (found {_shown(problem['input'])})"]


def _shown(said: object) -> str:
    """Return *said* as it may stand in a message: bounded, and without what looks like a key."""
    from scrimshaw.redaction import redact  # only where something is wrong

    return redact(repr(said)).text[:200]


_HINTS = get_type_hints(Settings)
_MODEL = create_model(  # type: ignore[call-overload]  # the fields come from the dataclass
    "Settings",
    __config__=ConfigDict(extra="forbid"),
    **{item.name: (_field(_HINTS[item.name], item.metadata), default_of(item)) for item in fields(Settings)},
)
