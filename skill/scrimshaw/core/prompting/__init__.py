"""What models are asked, and how their answers are read; pure text, no model is called here.

`observe_request` asks what is new in a window and `observe_reply` reads the answer, line by line
(`json_lines`, `fields`, `proposal_parser`); `judge_prompt` has notes read once more, or mended;
`reflect_prompt` asks for a plan that consolidates lines. All foreign text stands fenced (`fence`); everything
is bounded, and nothing in an answer is believed: what it proposes is verified elsewhere.
"""

from __future__ import annotations

from scrimshaw.core.prompting.fence import NumberedPrompt, Prompt

__all__ = ("NumberedPrompt", "Prompt")
