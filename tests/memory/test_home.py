"""Agents that no host knows: a folder of their own in a home, with everything that other workspaces have."""

import shutil
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scrimshaw import Memory, UserError

NOW = datetime(2026, 11, 20, 18, tzinfo=UTC)


def _open(home: Path, agent: str = "albert") -> Memory:
    env = {"HOME": str(home.parent), "SCRIMSHAW_TIMEZONE": "UTC"}
    return Memory.open(home=home, agent=agent, env=env, clock=lambda: NOW)


def _modes(folder: Path) -> set[str]:
    """Return the modes of *folder* and of what lies in its own folder, as type and octal number."""
    every = [folder, folder / ".scrimshaw", *(folder / ".scrimshaw").iterdir()]
    return {f"{'d' if path.is_dir() else 'f'}{stat.S_IMODE(path.stat().st_mode):o}" for path in every}


def test_an_agent_of_a_home_has_a_whole_memory(tmp_path: Path) -> None:
    with _open(tmp_path / "agents") as memory:
        memory.add("No meetings on Fridays", author="person")
        added = memory.add("The ledger runs on Postgres 17.2", author="person")
        assert added.line is not None

        found = memory.search("which database does the ledger run on?", mode="lexical")
        assert [hit.line.observation.id for hit, _ in found.hits] == [added.line.id]
        assert "Postgres 17.2" in (memory.workspace / "MEMORY.md").read_text()
        assert memory.why("Postgres").line.observation.author == "person"
        assert memory.as_of(NOW).to_dict()["body"]
        assert len(memory.timeline().lines) == 2

        memory.undo()
        section = (memory.workspace / "MEMORY.md").read_text()
        assert "Fridays" in section
        assert "Postgres" not in section

        memory.forget(memory.plan_forget(added.line.id))
        assert memory.search("Postgres", mode="lexical", closed=True).hits == ()
        with memory.review() as queue:
            assert list(queue.waiting()) == []
        assert memory.status().agent == "albert"
        groups = memory.doctor().to_dict()["groups"]
        assert [group["kind"] for group in groups] == ["machine", "workspace"]
        told = [one for one in groups[1]["findings"] if one["severity"] in ("warning", "error")]
        assert told == []
        memory.refresh()
        assert memory.agent == "albert"


def test_its_folders_are_for_their_owner_alone(tmp_path: Path) -> None:
    with _open(tmp_path / "agents") as memory:
        memory.add("The ledger runs on Postgres 17.2", author="person")

        assert _modes(memory.workspace) <= {"d700", "f600"}
    assert stat.S_IMODE((tmp_path / "agents").stat().st_mode) == 0o700


def test_two_agents_of_a_home_know_nothing_of_each_other(tmp_path: Path) -> None:
    with _open(tmp_path / "agents") as one, _open(tmp_path / "agents", "berta") as other:
        one.add("The ledger runs on Postgres 17.2", author="person")

        assert other.search("Postgres", mode="lexical").hits == ()
        assert [agent.agent_id for agent in other.target.agents] == ["berta"]


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../albert", "a/b", "/etc", "Albert", "a b", "-a", ".hidden", "a\0b", "ä", "a" * 65],
)
def test_a_name_that_could_be_a_path_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="no name for an agent"):
        _open(tmp_path / "agents", name)

    assert not (tmp_path / "agents").exists()


def test_a_link_in_place_of_the_agents_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "albert").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(UserError, match="a link or a file"):
        _open(tmp_path / "agents")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_home_goes_with_an_agent_and_with_no_workspace(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="home"):
        Memory.open(home=tmp_path)
    with pytest.raises(ValueError, match="home"):
        Memory.open(tmp_path, home=tmp_path, agent="albert")


@pytest.mark.parametrize("gone", ["", ".scrimshaw"])
def test_a_folder_that_is_removed_while_it_is_open_is_told_to_be_gone(tmp_path: Path, gone: str) -> None:
    with _open(tmp_path / "agents") as memory:
        shutil.rmtree(memory.workspace / gone)
        for ask in (
            lambda: memory.store("Gareth pays on Mondays"),
            memory.memories,
            memory.observe,
            lambda: memory.add("x"),
        ):
            with pytest.raises(UserError, match=r"(?s)is gone\. Nothing was .*Memory\.open") as refused:
                ask()
            assert "scrimshaw init" not in str(refused.value)
