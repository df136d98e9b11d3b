"""Public sets as texts and questions with the places of the right answers: what retrieval is measured on.

    LoCoMo         each turn a text ("speaker: text [image: caption]"); questions of categories 1 to 4
    its notes      the same questions over the set's own observations, which are more like what we keep
    REALTALK       what people wrote each other, turn by turn, with questions like LoCoMo's
    LongMemEval    the user's turns; questions of abstention, or with no user turn to find, are left out; of a
                   session that answers and marks no turn, every turn counts
    BEAM           the user's messages; the abilities that ask for something that was said
    paraphrases    our own notes (paraphrases.txt), asked for in other words

A text's number is its place. Nothing is drawn by lot but the order of the paraphrases' notes.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from bench.material import questions_of

PARAPHRASES = Path(__file__).parent / "paraphrases.txt"
_TURN = re.compile(r"D\d+:\d+")
_ASKED_OF_BEAM = (
    "information_extraction",
    "knowledge_update",
    "temporal_reasoning",
    "contradiction_resolution",
    "multi_session_reasoning",
)
_BEAM_MARK = re.compile(r"\s*->->\s*\d+\s*,\s*\d+\s*$")


class Reworded(StrEnum):
    """Which questions of paraphrases.txt: those that keep a word of their note, or those that keep none."""

    KEEPS_A_WORD = "+"
    KEEPS_NONE = "?"


class Question(NamedTuple):
    """What is asked, and the places of the texts that answer it."""

    text: str
    gold: frozenset[int]


class Corpus(NamedTuple):
    """Texts in the order they were said, the session of each, and what is asked of them."""

    name: str
    texts: tuple[str, ...]
    sessions: tuple[str, ...]
    questions: tuple[Question, ...]
    people: frozenset[str] = frozenset()  # who speaks, where it is known


def locomo(path: Path) -> list[Corpus]:
    """Return the conversations of a LoCoMo file, turn by turn."""
    return [_turns(one) for one in json.loads(path.read_text(encoding="utf-8"))]


def locomo_notes(path: Path) -> list[Corpus]:
    """Return the observations that a LoCoMo file brings with it, in the order of the turns they rest on."""
    talks = json.loads(path.read_text(encoding="utf-8"))
    return [_notes(one) for one in talks if one.get("observation")]


def realtalk(paths: Sequence[Path]) -> list[Corpus]:
    """Return the conversations of REALTALK, turn by turn: people's own, on their telephones."""
    return [_chatted(path) for path in paths]


def longmemeval(path: Path) -> list[Corpus]:
    """Return a corpus for each question of a LongMemEval file."""
    return [corpus for one in json.loads(path.read_text(encoding="utf-8")) if (corpus := _haystack(one))]


def beam(chats: Sequence[Path]) -> list[Corpus]:
    """Return a corpus for each BEAM chat."""
    return [_chat(path) for path in chats]


def paraphrases(kind: Reworded, seed: int, path: Path = PARAPHRASES) -> list[Corpus]:
    """Return the notes of paraphrases.txt, in an order by lot since neighbours there are about one thing."""
    notes: list[str] = []
    asked: list[tuple[str, str]] = []
    note = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        match line[:1]:
            case "" | "#":
                continue
            case "?" | "+" as mark:
                asked += [(line[2:], note)] if mark == kind else []
            case "~":
                notes.append(line[2:])
            case _:
                note = line
                notes.append(note)
    random.Random(seed).shuffle(notes)
    questions = tuple(Question(text, frozenset([notes.index(wanted)])) for text, wanted in asked)
    return [Corpus("our notes", tuple(notes), tuple(map(str, range(len(notes)))), questions)]


def _turns(talk: dict[str, Any]) -> Corpus:
    turns = [turn for said in talk["conversation"].values() if isinstance(said, list) for turn in said]
    ids = [turn["dia_id"] for turn in turns]
    place = {each: at for at, each in enumerate(ids)}
    questions = _locomo_questions(talk, {turn: frozenset([at]) for turn, at in place.items()})
    sessions = tuple(each.partition(":")[0] for each in ids)
    return Corpus(talk["sample_id"], tuple(map(_spoken, turns)), sessions, questions, _people(turns))


def _people(turns: Sequence[dict[str, Any]]) -> frozenset[str]:
    return frozenset(turn["speaker"].casefold() for turn in turns)


def _spoken(turn: dict[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['speaker']}: {turn['text']}" + (f" [image: {caption}]" if caption else "")


def _notes(talk: dict[str, Any]) -> Corpus:
    noted: list[tuple[tuple[int, int], str, list[str]]] = []
    for by_speaker in talk["observation"].values():
        for notes in by_speaker.values():
            for text, evidence in notes:
                turns = _TURN.findall(str(evidence))
                if turns:
                    noted.append((min(map(_numbers, turns)), text, turns))
    noted.sort(key=lambda one: one[0])
    places: dict[str, frozenset[int]] = {}
    for at, (_, _, turns) in enumerate(noted):
        for turn in turns:
            places[turn] = places.get(turn, frozenset()) | {at}
    sessions = tuple(f"D{number}" for (number, _), _, _ in noted)
    texts = tuple(text for _, text, _ in noted)
    turns = [turn for said in talk["conversation"].values() if isinstance(said, list) for turn in said]
    return Corpus(talk["sample_id"], texts, sessions, _locomo_questions(talk, places), _people(turns))


def _numbers(turn: str) -> tuple[int, int]:
    session, _, number = turn[1:].partition(":")
    return int(session), int(number)


def _locomo_questions(talk: dict[str, Any], places: dict[str, frozenset[int]]) -> tuple[Question, ...]:
    found = []
    for asked in talk["qa"]:
        if asked["category"] > 4:
            continue
        turns = {turn for said in asked["evidence"] for turn in _TURN.findall(said)}
        gold = frozenset[int]().union(*(places.get(turn, frozenset()) for turn in turns))
        if gold:
            found.append(Question(asked["question"], gold))
    return tuple(found)


def _chatted(path: Path) -> Corpus:
    chat = json.loads(path.read_text(encoding="utf-8"))
    turns = [turn for name, said in chat.items() if re.fullmatch(r"session_\d+", name) for turn in said]
    place = {turn["dia_id"]: frozenset([at]) for at, turn in enumerate(turns)}
    return Corpus(
        path.stem,
        tuple(f"{turn['speaker']}: {turn['clean_text']}" for turn in turns),
        tuple(turn["dia_id"].partition(":")[0] for turn in turns),
        _locomo_questions(chat, place),
        _people(turns),
    )


def _haystack(asked: dict[str, Any]) -> Corpus | None:
    if asked["question_id"].endswith("_abs") or asked["question_type"] == "single-session-assistant":
        return None
    texts, sessions, gold = [], [], set()
    answering = set(asked["answer_session_ids"])
    for session_id, session in zip(asked["haystack_session_ids"], asked["haystack_sessions"], strict=True):
        is_marked = any("has_answer" in turn for turn in session)
        for turn in session:
            if turn["role"] != "user":
                continue
            if turn.get("has_answer") or (session_id in answering and not is_marked):
                gold.add(len(texts))
            texts.append(turn["content"])
            sessions.append(session_id)
    if not gold:
        return None
    question = Question(asked["question"], frozenset(gold))
    return Corpus(asked["question_id"], tuple(texts), tuple(sessions), (question,))


def _chat(path: Path) -> Corpus:
    texts, sessions, place = [], [], {}
    for number, batch in enumerate(json.loads(path.read_text(encoding="utf-8"))):
        for message in (one for turn in batch["turns"] for one in turn if one["role"] == "user"):
            place[message["id"]] = len(texts)
            texts.append(_BEAM_MARK.sub("", message["content"]))
            sessions.append(str(number))
    file = questions_of(path)
    asked = json.loads(file.read_text(encoding="utf-8")) if file else {}
    questions = []
    for ability in _ASKED_OF_BEAM:
        for one in asked.get(ability, []):
            gold = frozenset(place[source] for source in _flat(one.get("source_chat_ids")) if source in place)
            if gold:
                questions.append(Question(one["question"], gold))
    return Corpus(
        f"{path.parent.parent.name}/{path.parent.name}", tuple(texts), tuple(sessions), tuple(questions)
    )


def _flat(value: object) -> Iterator[Any]:
    match value:
        case dict():
            for one in value.values():
                yield from _flat(one)
        case list():
            for one in value:
                yield from _flat(one)
        case _:
            yield value
