"""The description of the server (OpenAPI 3.1), and a page that shows it without a network."""

from __future__ import annotations

from html import escape
from typing import Any

from fastapi import FastAPI

_STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;
color:#222}
h2{margin-top:2.5rem;border-bottom:1px solid #ccc}code,pre{font:14px/1.4 ui-monospace,monospace}
pre{background:#f4f4f2;padding:.6rem;overflow-x:auto}summary{cursor:pointer}b{display:inline-block;width:4.5rem}
@media(prefers-color-scheme:dark){body{background:#1c1c1c;color:#ddd}pre{background:#2a2a2a}}"""


def describe(app: FastAPI) -> None:
    """Add the form of errors, which every route may return, to the description."""
    from scrimshaw.web.v2.shapes import ProblemTold

    made = app.openapi

    def whole() -> dict[str, Any]:
        told = made()
        schemas = told.setdefault("components", {}).setdefault("schemas", {})
        schemas.setdefault("ProblemTold", ProblemTold.model_json_schema())
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)  # errors are described by ours
        return told

    app.openapi = whole  # type: ignore[method-assign]  # FastAPI's documented way


def text(told: dict[str, Any]) -> str:
    """Return a page for the description *told*: every operation with its parameters and answers."""
    groups: dict[str, list[str]] = {}
    for path, methods in told["paths"].items():
        for method, one in methods.items():
            groups.setdefault((one.get("tags") or ["server"])[0], []).append(
                _operation(path, method, one, told)
            )
    parts = [f"<h2>{escape(name)}</h2>{''.join(rows)}" for name, rows in groups.items()]
    title = f"{told['info']['title']} {told['info']['version']}"
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style><h1>{escape(title)}</h1>'
        f"<p>{escape(told['info']['description'])} The same for programs: <code>GET /openapi.json</code>.</p>"
        f"{''.join(parts)}</html>"
    )


def _operation(path: str, method: str, one: dict[str, Any], told: dict[str, Any]) -> str:
    takes = [
        f"<li><code>{escape(part['name'])}</code> ({part['in']}{', needed' if part.get('required') else ''}) "
        f"{escape(part.get('description', ''))}</li>"
        for part in one.get("parameters", ())
    ]
    for kind, body in one.get("requestBody", {}).get("content", {}).items():
        takes.append(f"<li>body, {escape(kind)}{_fields(body.get('schema', {}), told)}</li>")
    answers = ", ".join(sorted(one.get("responses", {})))
    return (
        f"<details><summary><b>{method.upper()}</b> <code>{escape(path)}</code> "
        f"{escape(one.get('description') or one.get('summary') or '')}</summary><ul>{''.join(takes)}</ul>"
        f"<p>Answers: {answers}</p></details>"
    )


def _fields(schema: dict[str, Any], told: dict[str, Any]) -> str:
    named = schema.get("$ref", "").rpartition("/")[2]
    found = told["components"]["schemas"].get(named, {})
    needed = found.get("required", ())
    rows = [
        f"{name}{' (needed)' if name in needed else ''}: {_kind(field)}"
        for name, field in found.get("properties", {}).items()
    ]
    return f"<pre>{escape(chr(10).join(rows))}</pre>" if rows else ""


def _kind(field: dict[str, Any]) -> str:
    if "anyOf" in field:
        return " or ".join(map(_kind, field["anyOf"]))
    if "enum" in field:
        return " | ".join(map(str, field["enum"]))
    return str(field.get("type") or field.get("const") or field.get("$ref", "").rpartition("/")[2] or "any")
