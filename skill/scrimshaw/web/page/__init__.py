"""The web page by which the person sees and changes the memory.

Rendered here (templates/), with htmx for parts that load later, and nothing from other servers; works without
scripts. `visitors` controls access, `views` shows results of `Memory`, `acts` makes changes.
"""

from scrimshaw.web.page import acts, news, past, views

PATHS = ("/", "/open", "/page")
ROUTES = [route for part in (views, past, news, acts) for route in part.router.routes]

__all__ = ["PATHS", "ROUTES"]
