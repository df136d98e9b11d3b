"""The requests sent to models, and the parsing of their answers; pure text, no model is called here.

`observe_request` asks what is new in a window and `observe_reply` reads the answer, line by line
(`json_lines`, `fields`, `proposal_parser`); `judge_prompt` asks a model to check notes, or to correct refused
ones; `reflect_prompt` asks for a plan that consolidates lines. All foreign text is fenced (`fence`),
everything is bounded, and nothing in an answer is trusted: what it proposes is verified elsewhere.
"""

from __future__ import annotations

from scrimshaw.core.prompting.fence import NumberedPrompt, Prompt

__all__ = ("NumberedPrompt", "Prompt")
