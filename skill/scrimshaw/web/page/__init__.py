"""The page: what the memory knows, for the person's own eyes and hands.

Rendered here (templates/), with htmx for what moves and nothing from elsewhere; it works with scripts off.
Who may look is told by `visitors`, what is shown is made of `Memory`'s own results in `views`, what is
done goes through `acts`.
"""

from fastapi import APIRouter

from scrimshaw.web.page import acts, news, past, views

PATHS = ("/", "/open", "/page")
router = APIRouter()
for _part in (views, past, news, acts):
    router.include_router(_part.router)

__all__ = ["PATHS", "router"]
