"""The part of `Memory` for a fleet: many agents on many machines, one memory on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scrimshaw.memory.arguments import When, check_is, check_limit, typed_time
from scrimshaw.memory.base import OpenedMemory

if TYPE_CHECKING:
    from scrimshaw.services.fleet.find import FleetLines
    from scrimshaw.services.fleet.health import FleetHealth
    from scrimshaw.services.fleet.join import FleetStatus, JoinPlan, LeaveResult
    from scrimshaw.services.fleet.sync import SyncResult


class MemoryInFleet(OpenedMemory):
    """Synchronising, and asking what other agents have noted."""

    @property
    def is_in_fleet(self) -> bool:
        """Whether this workspace has joined a fleet; no server is asked."""
        from scrimshaw.services.fleet.link import path_of

        return path_of(self._target.layout).is_file()

    def plan_fleet(
        self,
        *,
        address_file: str | Path = "",
        address_variable: str = "",
        name: str = "",
        kinds: Iterable[str] = (),
    ) -> JoinPlan:
        """Return what would be sent to the server; nothing is sent yet. Pass the result to `join_fleet`.

        *kinds* names the conversations whose lines are sent; the default is direct ones and own words.
        """
        from scrimshaw.fleet.server import VARIABLE, ServerAddress
        from scrimshaw.services.fleet.join import plan_join

        self._require_set_up("Nothing was sent.")
        file = str(Path(address_file).resolve()) if address_file else ""
        address = ServerAddress(file, "" if file else address_variable or VARIABLE)
        return plan_join(self._target, self._env, address, name, kinds)

    def join_fleet(self, shown: JoinPlan) -> SyncResult:
        """Join the fleet as planned in *shown*, and sync for the first time."""
        from scrimshaw.services.fleet.join import JoinPlan
        from scrimshaw.services.fleet.link import write_link

        self._require_person("fleet join", "Nothing was sent.")
        check_is(JoinPlan, "what plan_fleet returned", shown=shown)
        from scrimshaw.setup.choosing import service_problem

        write_link(shown.target, shown.link)
        done = self.sync_fleet()
        problem = service_problem(self._target, self._env)
        note = f"{problem[:1].upper()}{problem[1:]}. Next: scrimshaw service install"
        return replace(done, notes=(*done.notes, note)) if problem else done

    def sync_fleet(self) -> SyncResult:
        """Send what is new here, and fetch what is new on the server."""
        from scrimshaw.services.fleet.sync import sync

        self._require_set_up("Nothing was sent.")
        with self._logging():
            return sync(self._target, self._env, self.now())

    def leave_fleet(self, *, all_machines: bool = False) -> LeaveResult:
        """Delete the lines that came from here from the server, and leave the fleet.

        With *all_machines* every line of this agent, also those of a machine that no longer exists.
        """
        from scrimshaw.services.fleet.join import leave

        self._require_person("fleet leave", "Nothing was changed.")
        with self._logging():
            return leave(self._target, self._env, every=all_machines)

    def fleet_status(self) -> FleetStatus:
        """Return the state of this memory in its fleet, including problems of the server."""
        from scrimshaw.services.fleet.join import status

        self._require_set_up("Nothing was shown.")
        return status(self._target, self._env)

    def search_fleet(self, query: str, *, agents: Iterable[str] | None = None, limit: int = 10) -> FleetLines:
        """Return the lines that answer *query*, from the fleet's readable memories or those of *agents*."""
        from scrimshaw.services.fleet.find import search_fleet

        check_limit(limit)
        self._require_set_up("Nothing was searched.")
        return search_fleet(self._target, self._env, query, None if agents is None else list(agents), limit)

    def fleet_timeline(
        self,
        *,
        since: When | None = None,
        until: When | None = None,
        agents: Iterable[str] | None = None,
        limit: int = 500,
    ) -> FleetLines:
        """Return the lines noted in the fleet, oldest first; by default of the last 14 days."""
        from scrimshaw.services.fleet.find import timeline_of_fleet

        check_limit(limit)
        self._require_set_up("Nothing was shown.")
        wanted = None if agents is None else list(agents)
        return timeline_of_fleet(
            self._target, self._env, self.now(), (typed_time(since), typed_time(until)), wanted, limit
        )

    def fleet_origin(self, line: str) -> FleetLines:
        """Return the line that *line* identifies, with the machine and conversation it came from."""
        from scrimshaw.services.fleet.find import origin_of_line

        self._require_set_up("Nothing was shown.")
        return origin_of_line(self._target, self._env, line)

    def fleet_health(self) -> FleetHealth:
        """Return the health of each readable memory of the fleet, judged by its lines alone, worst first."""
        from scrimshaw.services.fleet.health import score_fleet

        self._require_set_up("Nothing was shown.")
        return score_fleet(self._target, self._env, self.now())
