"""The web page by which the person sees and changes the memory.

Rendered here (templates/), with htmx for parts that load later, and nothing from other servers; works without
scripts. `visitors` controls access, `views` shows results of `Memory`, `acts` makes changes.
"""

from fastapi import APIRouter

from scrimshaw.web.page import acts, news, past, views

PATHS = ("/", "/open", "/page")
router = APIRouter()
for _part in (views, past, news, acts):
    router.include_router(_part.router)

__all__ = ["PATHS", "router"]
