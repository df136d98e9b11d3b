"""`/metrics`: figures of each agent and of the server itself, in the format of Prometheus.

The library's global registry is not used, so that two servers in one process have separate figures.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse, Response
from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric, SummaryMetricFamily
from prometheus_client.registry import Collector
from starlette.background import BackgroundTask

from scrimshaw import __version__
from scrimshaw.services.metrics import catalogue
from scrimshaw.services.metrics.gather import AgentMetrics
from scrimshaw.web.access import Reader

PREFIX = "scrimshaw_"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_AGENT = "resource_id"
_Family = CounterMetricFamily | GaugeMetricFamily | SummaryMetricFamily


class ServerMetrics:
    """Counts of answered requests since the start; for any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: Counter[str] = Counter()
        self._seconds = 0.0

    def count(self, status: int, seconds: float) -> None:
        """Count a request answered with *status* in *seconds*."""
        with self._lock:
            self._answers[f"{status // 100}xx"] += 1
            self._seconds += seconds

    def render(self, agents: Sequence[AgentMetrics]) -> bytes:
        """Return the text of the page."""
        registry = CollectorRegistry(auto_describe=False)
        ProcessCollector(registry=registry)
        registry.register(_Families([*self._own(), *_of_agents(agents)]))
        return generate_latest(registry)

    def _own(self) -> Iterator[Metric]:
        with self._lock:
            answers, seconds = dict(self._answers), self._seconds
        build = GaugeMetricFamily(f"{PREFIX}build_info", "The program's version.", labels=["version"])
        build.add_metric([__version__], 1)
        yield build
        requests = CounterMetricFamily(
            f"{PREFIX}http_requests",
            "Requests that were answered, by the class of the status.",
            labels=["code"],
        )
        for code, count in sorted(answers.items()):
            requests.add_metric([code], count)
        yield requests
        yield SummaryMetricFamily(
            f"{PREFIX}http_request_duration_seconds",
            "What the answers took.",
            count_value=sum(answers.values()),
            sum_value=seconds,
        )


def metrics_router(counted: ServerMetrics) -> APIRouter:
    """Return the route; a token that may read sees the agents that it is for."""
    router = APIRouter(tags=["server"])

    @router.get("/metrics", response_class=PlainTextResponse)
    def metrics(caller: Reader) -> Response:
        """Tell every figure in the text that Prometheus reads."""
        memories = caller.memories()
        page = counted.render([memory.metrics(renews=False) for memory in memories])

        def renew() -> None:
            for memory in memories:
                memory.metrics()

        # After the answer: reading the sources takes longer than everything else.
        return Response(page, media_type=CONTENT_TYPE, background=BackgroundTask(renew))

    return router


class _Families(Collector):
    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


def _of_agents(agents: Sequence[AgentMetrics]) -> Iterator[Metric]:
    for one in catalogue.METRICS:
        family = _family(one)
        for told in agents:
            for value in one.values:
                labels = [told.agent, *filter(None, [value])]
                if isinstance(family, SummaryMetricFamily):
                    sums = [told.figures.get((f"{one.name}_{part}", value)) for part in ("count", "sum")]
                    if sums[0] is not None and sums[1] is not None:
                        family.add_metric(labels, int(sums[0]), sums[1])
                elif (figure := told.figures.get((one.name, value))) is not None:
                    family.add_metric(labels, figure)
        if family.samples:
            yield family


def _family(one: catalogue.Metric) -> _Family:
    kinds = {"counter": CounterMetricFamily, "gauge": GaugeMetricFamily, "summary": SummaryMetricFamily}
    labels = [_AGENT, *filter(None, [one.label])]
    made: _Family = kinds[one.type](f"{PREFIX}{one.name}", one.help, labels=labels)
    return made
