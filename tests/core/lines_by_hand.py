"""Lines for the tests of the section: everything but the text has a plain default."""

from scrimshaw.core.types import Author, Claim, DateRef, Kind, Line, Observation, Place, Role, Standing


def a_line(
    text: str,
    *,
    place: Place = Place.LOG,
    priority: int = 4,
    day: str = "2026-11-20",
    time: str = "14:30",
    author: Author = Author.RULES,
    kind: Kind = Kind.FACT,
    done: bool = False,
    refers_to: DateRef | None = None,
    said_at_ms: int = 1_795_000_000_000,
    salience: float = 0.5,
    level: int = 0,
    speaker: Role = Role.USER,
    claim: Claim | None = None,
    id: str = "",  # noqa: A002  # the field's name
    **standing: object,
) -> Line:
    observation = Observation(
        id=id or text,
        text=text,
        kind=kind,
        priority=priority,
        place=place,
        done=done,
        author=author,
        session_id="s",
        sources=("e1",),
        speaker=speaker,
        said_at_ms=said_at_ms,
        local_date=day,
        local_time=time,
        zone="Europe/Paris",
        refers_to=refers_to,
        claim=claim,
        salience=salience,
        level=level,
    )
    return Line(observation, Standing(**{"place": place, **standing}))
