"""The page: what the memory knows, for the person's own eyes and hands.

Rendered here (templates/), with htmx for what moves and nothing from elsewhere; it works with scripts off.
Who may look is told by `visitors`, what is shown is made of `Memory`'s own results in `views`.
"""

from scrimshaw.web.page.views import PATHS, router

__all__ = ["PATHS", "router"]
