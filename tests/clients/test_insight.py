"""`Client`: what is known and what to doubt, revisions, usage, and an archive that is handed over."""

import importlib.util
from datetime import timedelta
from pathlib import Path

import pytest
from tests.clients.conftest import Live

from scrimshaw import UserError

RENT, NEWER = "The rent of the flat is 900 euros.", "The rent of the flat is 960 euros."


def test_what_is_known_is_shown_and_decided_on(live: Live) -> None:
    with live.client("known") as client:
        for text in (RENT, NEWER):
            client.add(text)
            live.served.now += timedelta(days=1)

        assert client.stats().facts == 2
        assert [day["value"] for day in client.trend("facts", days=2).days][-1] == 2
        assert client.stale().stale == []
        assert 0 <= client.health().score <= 100
        assert client.reinforce(RENT).outcome == "reinforced"
        assert client.clean(dry_run=True).gone == []
        [one] = client.conflicts().conflicts
        assert client.settle_conflict(one["fact1"]["id"], one["fact2"]["id"], "keep-both").gone is None
        assert client.conflicts().conflicts == []
        assert client.delete_line(RENT).outcome == "deleted"
        assert client.stats().facts == 1
        assert client.review().proposals == []
        with pytest.raises(UserError, match="Nothing was decided"):
            client.decide(99, "accept")


def test_revisions_are_listed_in_pages_and_compared(live: Live) -> None:
    with live.client("revised") as client:
        for text in (RENT, "Our cat is called Minka."):
            client.add(text)
            live.served.now += timedelta(minutes=1)

        newest = client.log(1).revisions[0]["number"]
        assert max(one["number"] for one in client.log(5, before=newest).revisions) < newest
        assert "Minka" in str(client.diff())
        assert "Minka" not in str(client.diff(newest - 1))


def test_conversations_are_listed_closed_and_their_usage_kept(live: Live) -> None:
    with live.client("talk") as client:
        client.add_message("My flight is at 7.", thread_id="support/17")
        client.report_usage(input_tokens=100, output_tokens=5, cache_read_input_tokens=80, model="m")

        assert [one["thread_id"] for one in client.conversations().conversations] == ["support/17"]
        assert client.close_conversation("support/17").thread_id == "support/17"
        assert "80" in str(live.served.memory("talk").spend().to_dict())
        assert client.sizes().working["total_conversations"] == 1


@pytest.mark.skipif(importlib.util.find_spec("memvid_sdk") is None, reason="the extra `archives`")
def test_an_archive_is_handed_over(live: Live, tmp_path: Path) -> None:
    with live.client("giver") as giver, live.client("taker") as taker:
        giver.add(RENT)
        taker.store("There is somebody here.")

        told = taker.import_(giver.export(tmp_path / "a.mv2"))

        assert (told.agent, told.status) == ("taker", "imported")
        assert RENT in [one["content"] for one in taker.search("rent of the flat").results]
