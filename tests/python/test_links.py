"""Shaped links from outside: what a run says of them, what a table holds, what can be asked for."""

import re
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from hopwright import _core
from hopwright._cli.arguments import dispatch
from hopwright._io.data import Object, at, items, number
from hopwright._io.errors import InputError
from hopwright._run.recorded import run_into
from hopwright.explain.budget import budget
from hopwright.explain.events import Lineage
from hopwright.explain.words import what
from hopwright.results.table import print_summary
from hopwright.results.tidy import Row, tidy
from hopwright.sweeps.features import check_measured, check_names

LAST_HOP = Path(__file__).parents[2] / "scenarios" / "links" / "last-hop.toml"
THREE = """
name = "three"
duration_s = 20
[topology]
kind = "links"
[[links]]
from = 0
to = 1
rate_kbps = 500
delay_ms = 10
directions = "shared"
[[links]]
from = 1
to = 2
rate_kbps = 300
[output]
series = []
[[flows]]
from = 2
to = 0
[flows.transport]
protocol = "sack"
"""
TRIGGER = """
[[flows.transport.triggers]]
when = [{ monitor = "delay", above = 1 }]
set = { acking = "every" }
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Object]:
    folder = tmp_path_factory.mktemp("links") / "run"
    return folder, run_into(
        folder, _core.parse(THREE, "three.toml", []), [1], jobs=1, overwrite=False
    )


def test_a_link_that_both_ways_share_is_shown_as_one(run: tuple[Path, Object]) -> None:
    _, summary = run
    links = items(summary, "results", 0, "links")
    assert [at(link, "shared") for link in links] == [True, False, False]
    out = StringIO()
    print_summary(summary, node_count=3, console=Console(file=out, width=100))
    shown = [line for line in out.getvalue().splitlines() if line.startswith("link ")]
    assert [line[: len("link 0 ↔ 1")] for line in shown] == [
        "link 0 ↔ 1",
        "link 1 → 2",
        "link 2 → 1",
    ]


def test_a_relay_is_shown_by_what_it_did(tmp_path: Path) -> None:
    shown = {}
    for kind in ("snoop", "split"):
        text = THREE.replace("[output]", f'[[relays]]\nnode = 1\nkind = "{kind}"\n[output]')
        text = text.replace("rate_kbps = 300", "rate_kbps = 300\nloss_percent = 4")
        scenario = _core.parse(text, "three.toml", [])
        summary = run_into(tmp_path / kind, scenario, [1], jobs=1, overwrite=False)
        out = StringIO()
        print_summary(summary, node_count=3, console=Console(file=out, width=400))
        (line,) = [part for part in out.getvalue().splitlines() if part.startswith(kind)]
        shown[kind] = line
        table = tidy(["seed"], [Row({"seed": 1}, at(summary, "results", 0))])
        assert not [name for name in table.column_names if name.startswith("relays")]
    assert re.match(r"snoop at node 1 +\d+ packets kept, \d+ sent again for", shown["snoop"])
    assert re.match(r"split at node 1 +flow 0 by sack: \d+ segments, \d+ resent", shown["split"])


@pytest.mark.parametrize("kind", ["snoop", "split"])
def test_what_a_relay_makes_good_is_no_loss_in_the_lineage(tmp_path: Path, kind: str) -> None:
    overrides = [("duration_s", "30"), ("relays.0.kind", kind)]
    scenario = _core.parse(LAST_HOP.read_text(), "last-hop.toml", overrides)
    summary = run_into(tmp_path / "run", scenario, [1], jobs=1, overwrite=False)
    lineage = Lineage.read(tmp_path / "run")
    told = budget(lineage, 0)
    flow = at(summary, "results", 0, "flows", 0)
    if kind == "split":
        # What the relay's own connection loses is the flow's, too.
        for title, losses in (("segments", "losses"), ("acknowledgements", "ack_losses")):
            assert told.counts[title]["channel"] == (number(flow, losses, "channel") or 0) > 0
        return
    relay = at(summary, "results", 0, "relays", 0)
    again = ("sent_again_by_duplicates", "sent_again_by_timer")
    copies = [event for event in lineage.those(("copied",)) if event.node == 1]
    assert len(copies) == sum(number(relay, key) or 0 for key in again) > 20
    # A copy is under way when the run ends.
    under_way = (number(flow, "losses", "channel") or 0) - told.counts["segments"]["channel"]
    assert under_way in (0, 1)
    assert told.counts["acknowledgements"]["channel"] == number(flow, "ack_losses", "channel")
    assert told.counts["acknowledgements"]["other"] == number(relay, "suppressed_acks")
    words = what(lineage, copies[0])
    assert re.fullmatch(r"node 1, a relay, sent a copy of segment \d+ of flow 0", words)


def test_a_table_keeps_settings_apart_from_links(run: tuple[Path, Object]) -> None:
    _, summary = run
    names = {"seed": 1, "links.1.from": 1}
    table = tidy(list(names), [Row(names, at(summary, "results", 0))])
    assert [name for name in table.column_names if name.startswith("links")] == ["links.1.from"]


def test_changes_of_mechanisms_can_be_asked_for() -> None:
    check_names(["adaptation.changes"])
    check_measured(["adaptation.changes"], [_core.parse(THREE + TRIGGER, "a.toml", []).to_toml()])
    with pytest.raises(InputError, match=r"no run would have it; set \[\[flows.transport.trig"):
        check_measured(["adaptation.changes"], [_core.parse(THREE, "a.toml", []).to_toml()])


def test_links_have_no_places(run: tuple[Path, Object]) -> None:
    folder, _ = run
    with pytest.raises(InputError, match="a run with a medium writes it"):
        dispatch(["plot", str(folder), "topology"])


def test_a_folder_with_the_record_of_a_link_may_be_overwritten(tmp_path: Path) -> None:
    (tmp_path / "steady.mahi").write_text("1\n5\n10\n")
    file, out = tmp_path / "recorded.toml", tmp_path / "out"
    file.write_text(THREE.replace("rate_kbps = 500", 'trace = "steady.mahi"'))
    for more in ([], ["--overwrite"]):
        dispatch(["run", str(file), "--set", "duration_s=2", "--out", str(out), *more])
        assert (out / "scenario-link-0.mahi").read_text() == "1\n5\n10\n"
