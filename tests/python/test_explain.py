"""`hopwright explain`: what it says adds up to what the run counted, and reads as a story."""

import csv
import json
import re
import shutil
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from explaining import made_up, recorded, told_in
from hopwright._cli.arguments import dispatch
from hopwright._io.data import Json, at, items, number
from hopwright._io.errors import InputError
from hopwright.explain.budget import SPURIOUS, Budget, budget
from hopwright.explain.budget_figure import NAMES, NAMES_OF_ASKED, budget_figure
from hopwright.explain.events import Event, Lineage
from hopwright.explain.figure import story_figure
from hopwright.explain.story import TOLD, Story, find
from hopwright.explain.words import cut, what
from hopwright.figures.figure import SUFFIXES

MEASURED_S = 59
"""From the start of the flow."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Json]:
    return recorded(tmp_path_factory.mktemp("explain"), "losses")


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Lineage:
    return Lineage.read(recorded(tmp_path_factory.mktemp("explain"), "all")[0])


@pytest.fixture
def folder(run: tuple[Path, Json]) -> Path:
    return run[0]


def test_the_budget_is_what_the_run_counted(run: tuple[Path, Json]) -> None:
    folder, result = run
    lineage = Lineage.read(folder)
    told = budget(lineage, 0)
    flow = at(result, "flows", 0)
    for measure, field in (("segments", "losses"), ("acknowledgements", "ack_losses")):
        lost = sum(number(flow, field, cause) or 0 for cause in ("contention", "no_route"))
        assert told.counts[measure].total() == lost > 0
    assert told.counts["rto"].total() == number(flow, "rto_count")
    assert told.counts["rto"].total() > 0
    assert told.counts["resent"].total() == number(flow, "retransmissions")
    # Nobody moves: a route that is missing was taken by a false break.
    assert told.counts["segments"]["contention"] > (number(flow, "losses", "contention") or 0)


def test_losses_are_of_the_link_that_gave_up(folder: Path) -> None:
    lineage = Lineage.read(folder)
    gave_up = {(e.node, e.time_s) for e in lineage.those() if e.kind == "gave_up"}
    # Data goes up the chain, acknowledgements come down.
    links = Counter(
        (event.node, event.node + (1 if event.origin == 0 else -1))
        for event in lineage.those()
        if event.kind == "dropped" and event.loss and (event.node, event.time_s) in gave_up
    )
    told = budget(lineage, 0).where
    assert len(links) > 5
    assert {link: told[link] for link in told if link[1] is not None} == links


def test_losses_are_told_of_the_node_that_dropped(folder: Path) -> None:
    lineage = Lineage.read(folder)
    dropped = Counter(
        event.node for event in lineage.those() if event.kind == "dropped" and event.loss
    )
    told: Counter[int] = Counter()
    for (node, _), losses in budget(lineage, 0).where.items():
        told[node] += losses
    assert told == dropped


def test_a_copy_on_its_way_makes_what_is_sent_again_needless(tmp_path: Path) -> None:
    """Of three copies the second was lost, and the first was still on its way."""
    changed = {"flows.transport.protocol": "atcp", "profile": "standard"}
    folder, result = recorded(tmp_path, "all", changed)
    needless = sum(
        event.kind == "resent" and event.carries == "segment" and event.cause != "data_lost"
        for event in Lineage.read(folder).those()
    )
    assert needless == number(result, "flows", 0, "spurious_retransmissions")


def test_needless_reactions_are_those_of_the_run(
    run: tuple[Path, Json], everything: Lineage
) -> None:
    flow = at(run[1], "flows", 0)
    resent = [e for e in everything.those() if e.kind == "resent" and e.carries == "segment"]
    needless = sum(event.cause != "data_lost" for event in resent)
    assert needless > 0
    assert needless == number(flow, "spurious_retransmissions")
    told = budget(everything, 0)
    for_lost_answers = sum(event.cause == "ack_lost" for event in resent)
    assert told.counts["resent"][SPURIOUS] == needless - for_lost_answers < needless
    # Whether the segment was there does not hang on what the sender's rows say.
    arrived: dict[int | None, float] = {}
    for event in everything.those():
        if event.kind == "delivered" and event.carries == "segment":
            arrived.setdefault(event.first_byte, event.time_s)
    reactions = [e for e in everything.those() if e.kind in ("rto", "fast_retransmit")]
    for event in (*reactions, *resent):
        was_there = arrived.get(event.first_byte, float("inf")) < event.time_s
        assert was_there == (event.cause in ("ack_lost", "ack_late", "not_acknowledged"))
    for kind in ("rto", "fast_retransmit"):
        late = ("data_late", "ack_late", "not_acknowledged")
        spurious = sum(event.kind == kind and event.cause in late for event in reactions)
        assert told.counts[kind][SPURIOUS] == spurious
    assert told.counts["rto"][SPURIOUS] > 0


def test_a_receiver_that_asks_is_told_of_lost_requests(tmp_path: Path) -> None:
    changed = {"flows.transport.place": "receiver", "profile": "standard"}
    folder, result = recorded(tmp_path, "all", changed)
    lineage, flow = Lineage.read(folder), at(result, "flows", 0)
    again = [event for event in lineage.those() if event.kind == "resent"]
    again = [event for event in again if event.carries == "request"]
    assert again
    assert len(again) == number(flow, "retransmissions")
    lost = {"data_lost", "request_lost"}
    assert {event.cause for event in again} >= lost
    needless = sum(event.cause not in lost for event in again)
    assert needless == number(flow, "spurious_retransmissions")
    told = budget(lineage, 0)
    assert told.counts["resent"].total() == len(again)
    assert told.counts["resent"][SPURIOUS] == needless
    request = next(event for event in again if event.cause == "request_lost")
    segment = (request.first_byte or 0) // lineage.segment_bytes(0) + 1
    line = f"node 8 sent the request for segment {segment} of flow 0 again"
    assert what(lineage, request) == line
    reaction = lineage.nearest(request, "fast_retransmit") or lineage.nearest(request, "rto")
    assert reaction is not None
    assert reaction.node == 8
    # The receiver takes it for something, and its window is cut; on the way back requests are lost.
    assert "The asking receiver's diagnosis: congestion" in what(lineage, reaction)
    assert told.asks
    assert not re.search("ACKs|sender", str(told))
    assert re.search(r"requests +time-", str(told))
    assert told.counts["acknowledgements"].total() > 0
    assert told.choose({}, {}, NAMES_OF_ASKED)["acknowledgements"] == "requests lost"
    assert set(NAMES_OF_ASKED) == set(NAMES)
    budget_figure([told]).save(str(tmp_path / "budget"))


BACKWARDS = """
duration_s = 2
topology.kind = "links"
links = [
  {{ from = 0, to = 1, directions = "one-way", rate_kbps = 1000 }},
  {{ from = 1, to = 0, directions = "one-way", rate_kbps = 1000, loss_percent = 10 }},
]
[[flows]]
from = 0
to = 1
transport = {{ protocol = "newreno", window_limit_segments = 8, place = "{place}" }}
"""
"""Nothing is lost but what goes back."""


@pytest.mark.parametrize("place", ["sender", "receiver"])
def test_losses_alone_tell_what_goes_back_from_data(place: str, tmp_path: Path) -> None:
    few, all_of_it = (
        told_in(tmp_path, BACKWARDS.format(place=place), scope) for scope in ("losses", "all")
    )
    told = budget(few, 0)
    assert told.counts["segments"].total() == 0
    assert told.counts["acknowledgements"].total() > 5
    assert str(told) == str(budget(all_of_it, 0))
    lost = few.those(("dropped",), 0)
    assert [what(few, event) for event in lost] == [
        what(all_of_it, event) for event in all_of_it.those(("dropped",), 0)
    ]


def dropped(
    origin: int, number: int, carries: str, first_byte: int | None = None
) -> dict[str, object]:
    """A packet of flow 0 that was lost to a queue, at the node that made it."""
    about = {"packet": origin << 40 | number, "carries": carries, "first_byte": first_byte}
    return about | {"kind": "dropped", "node": origin, "flow": 0, "loss": "queue"}


def test_a_file_says_which_way_data_go_and_how_long_segments_are(tmp_path: Path) -> None:
    rows = [dropped(1, 0, "ack", 14_601)]
    guessed = made_up(tmp_path, rows)
    assert budget(guessed, 0).counts["segments"]["queue"] == 1
    told = made_up(tmp_path, rows, [{"from": 0, "to": 1, "segment_bytes": 1460}])
    assert budget(told, 0).counts["acknowledgements"]["queue"] == 1
    assert "the ACK of segment 10 of flow 0" in what(told, told[0])
    file = tmp_path / "events.parquet"
    assert made_up(tmp_path, rows, [{"from": 0, "to": 1, "segment_bytes": 0}]).segment_bytes(0) == 1
    with pytest.raises(InputError, match=f"{file}: is damaged: it does not say which flows"):
        made_up(tmp_path, rows, [{"from": 0}])


def test_what_a_relay_sends_goes_the_way_of_data_or_back(tmp_path: Path) -> None:
    """Node 1 has a connection with either end."""
    name = {kind: 1 << 40 | number for number, kind in enumerate(("to", "back"))}
    rows = [
        {"kind": "sent", "node": 1, "peer": 2, "flow": 0, "packet": name["to"], "carries": "syn"},
        {"kind": "sent", "node": 1, "peer": 0, "flow": 0, "packet": name["back"], "carries": "syn"},
        *(dropped(1, number, "syn") for number in range(2)),
        *(dropped(1, number, "segment", 1) for number in range(2, 5)),
        dropped(1, 5, "ack", 1),
        dropped(2, 0, "ack", 1),
    ]
    told = budget(made_up(tmp_path, rows, [{"from": 0, "to": 2, "segment_bytes": 1460}]), 0)
    assert told.counts["segments"]["queue"] == 4
    assert told.counts["acknowledgements"]["queue"] == 3


def test_who_made_a_copy_is_said(tmp_path: Path) -> None:
    copied = {"kind": "copied", "node": 0, "flow": 0, "carries": "segment", "first_byte": 1461}
    rows = [{**copied, "cause": cause} for cause in ("relay", "duplicated", None)]
    lineage = made_up(tmp_path, rows, [{"from": 0, "to": 1, "segment_bytes": 1460}])
    assert [what(lineage, event) for event in lineage.those()] == [
        "node 0, a relay, sent a copy of segment 2 of flow 0",
        "a link from node 0 delivered segment 2 of flow 0 twice",
        "node 0 sent a copy of segment 2 of flow 0",
    ]


def test_a_link_that_delivers_twice_is_no_relay(tmp_path: Path) -> None:
    text = """
        duration_s = 1
        topology.kind = "links"
        links = [{ from = 0, to = 1, rate_kbps = 1000, duplicate_percent = 50 }]
        flows = [{ from = 0, to = 1 }]
    """
    lineage = told_in(tmp_path, text, "losses")
    copies = lineage.those(("copied",), 0)
    assert {event.cause for event in copies} == {"duplicated"}
    assert re.fullmatch(
        r"a link from node 0 delivered .* of flow 0 twice", what(lineage, copies[0])
    )


def test_a_try_that_the_end_of_the_run_cuts_short_is_no_success(tmp_path: Path) -> None:
    """The packet has come; the acknowledgement of the MAC is on the air when the run ends."""
    text = """
        duration_s = 1.0017
        topology = { kind = "chain", hops = 1 }
        flows = [{ from = 0, to = 1, transport.protocol = "newreno" }]
    """
    lineage = told_in(tmp_path, text, "all")
    last = lineage.those(("try",))[-1]
    assert last.cause == "unfinished"
    first, why = Story.of(lineage, last).lines()[:2]
    assert first.endswith("node 1 was still trying to reach node 0 when the run ended")
    assert "the run ended" in why
    story_figure(Story.of(lineage, last)).save(str(tmp_path / "story"))


def test_a_try_that_was_not_over_is_told_as_such(tmp_path: Path) -> None:
    tried = {"kind": "try", "node": 0, "peer": 1, "packet": 7}
    rows: list[dict[str, object]] = [
        {**tried, "tries": 1, "cause": "collision", "frame": "rts"},
        {**tried, "tries": 2, "cause": "unfinished", "frame": "data", "because": 0},
    ]
    lineage = made_up(tmp_path, rows)
    first = Story.of(lineage, lineage[1]).lines()[0]
    assert first == "t=1.000000 s  node 0 was still trying to reach node 1 when the run ended"


def test_a_story_that_nothing_leads_on_says_how_the_packet_was_sent(tmp_path: Path) -> None:
    """A link has delivered a packet twice: of the second copy nothing is remembered."""
    packet = {"packet": 7, "flow": 0, "carries": "segment", "first_byte": 1}
    rows: list[dict[str, object]] = [
        {**packet, "kind": "sent", "node": 0},
        {**packet, "kind": "copied", "node": 0, "cause": "duplicated", "because": 0},
        {**packet, "kind": "delivered", "node": 1, "because": 1},
        {**packet, "kind": "delivered", "node": 1},
        {"kind": "try", "node": 1, "peer": 0, "packet": 8, "tries": 1, "cause": "collision"},
        {"kind": "try", "node": 1, "peer": 0, "packet": 8, "tries": 2, "because": 4},
    ]
    lineage = made_up(tmp_path, rows)
    assert Story.of(lineage, lineage[3]).lines()[1:] == [
        "   what led to this is not recorded; the packet had been sent before:",
        "   t=1.000000 s  a link from node 0 delivered segment 1 of flow 0 twice (event 1)",
    ]
    assert len(Story.of(lineage, lineage[2]).lines()) == 3
    # Of tries, the first is what nothing leads to.
    assert not any("event" in line for line in Story.of(lineage, lineage[5]).lines())


def test_a_budget_says_that_it_counts_the_warm_up(tmp_path: Path) -> None:
    rows = [dropped(0, 0, "segment", 1)]
    assert "warm_up_s" not in str(budget(made_up(tmp_path, rows), 0))
    (tmp_path / "scenario.toml").write_text("warm_up_s = 10.0\n")
    said = "counted  the whole run; results leave out the first 10 s (warm_up_s)"
    assert said in str(budget(Lineage.read(tmp_path), 0))


def test_whose_window_it_was_that_was_cut() -> None:
    assert cut("freeze", asks=False) == "when the sender froze"
    assert cut("own_measure", asks=True) == "because of the asking receiver's own measurement"
    assert cut("rto", asks=True) == cut("rto", asks=False) == "after the time-out"


def test_no_queue_is_said_to_be_full_that_was_not(tmp_path: Path) -> None:
    changed = {
        "routing.protocol": "static",
        "mac.arp": "true",
        "flows.0.app": "cbr",
        "flows.0.rate_kbps": "20000",
        "flows.0.transport.protocol": "udp",
        "duration_s": "2",
    }
    folder, result = recorded(tmp_path, "losses", changed)
    lineage = Lineage.read(folder)
    lost = [event for event in lineage.those(("dropped",), 0) if event.cause == "arp_replaced"]
    assert len(lost) == number(result, "flows", 0, "drops", "arp_replaced")
    assert lost
    says = "because another packet took its place while its next hop was asked who it is"
    assert f"{says}; loss cause: address resolution" in what(lineage, lost[0])
    told = budget(lineage, 0).counts["segments"]
    assert told["arp_replaced"] == len(lost)
    full = number(result, "flows", 0, "drops", "queue_full")
    assert told["queue"] == full
    assert told["queue"] + len(lost) == number(result, "flows", 0, "losses", "queue")


def test_all_tells_the_same_and_more(run: tuple[Path, Json], everything: Lineage) -> None:
    few = Lineage.read(run[0]).those()
    assert few == [everything[event.id] for event in few]
    assert len(everything.those()) > 5 * len(few)
    flow = at(run[1], "flows", 0)
    arrived = {
        event.first_byte or 0: event.bytes or 0
        for event in everything.those()
        if event.kind == "delivered" and event.carries == "segment"
    }
    received = 0
    for first_byte in sorted(arrived):
        if first_byte == received + 1:
            received += arrived[first_byte]
    assert number(flow, "received_bps") == pytest.approx(received * 8 / MEASURED_S)
    asked_for = [
        event.first_byte or 0
        for event in everything.those()
        if event.kind == "delivered" and event.carries == "ack" and event.node == 0
    ]
    acknowledged = max(asked_for) - 1
    assert number(flow, "goodput_bps") == pytest.approx(acknowledged * 8 / MEASURED_S)


def test_a_question_makes_events_of_its_own_rows_only(
    everything: Lineage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = recorded(tmp_path, "all")[0]
    made: list[int] = []
    load = Lineage._load

    def counting(lineage: Lineage, rows: list[int]) -> list[Event]:
        made.extend(row for row in set(rows) if row not in lineage._events)
        return load(lineage, rows)

    monkeypatch.setattr(Lineage, "_load", counting)
    timeout = next(event for event in everything.those() if event.kind == "rto")
    made.clear()
    dispatch(["explain", str(folder), "--at", str(timeout.time_s)])
    told = sum(event.kind in TOLD for event in everything.those())
    assert told <= len(made) < told + 500 < len(everything.those()) / 10


def test_every_reaction_has_a_chain_to_its_beginning(folder: Path) -> None:
    lineage = Lineage.read(folder)
    ends: Counter[str] = Counter()
    for event in lineage.those():
        if event.kind in ("rto", "fast_retransmit"):
            chain = lineage.chain(event)
            assert all(a.time_s >= b.time_s for a, b in pairwise(chain))
            assert event.loss is None or chain[1].kind == "dropped"
            ends[chain[-1].kind] += 1
    assert set(ends) == {"sent"}


def test_a_story_names_who_stood_in_the_way(folder: Path) -> None:
    lineage = Lineage.read(folder)
    gave_up = next(event for event in lineage.those() if event.kind == "gave_up")
    story = Story.of(lineage, gave_up)
    lines = story.lines()
    assert re.fullmatch(r"t=[\d.]+ s  node \d gave up .* to node \d after 7 tries", lines[0])
    assert re.fullmatch(
        r"<- t=[\d.]+ s  node \d tried 7 times to reach node \d, without success", lines[1]
    )
    tries = [line for line in lines if line.startswith("     try ")][:7]
    assert [line.split()[1] for line in tries] == [f"{n}," for n in range(1, 8)]
    assert any("collided at node" in line and "hidden from node" in line for line in tries)
    assert "sent segment" in lines[-1] or "sent the ACK" in lines[-1]
    told = story.to_json()
    assert number(told, 0, "id") == gave_up.id
    assert len(items(told, 1, "attempts")) == 7


def test_a_story_ends_where_the_segment_was_sent_again(folder: Path) -> None:
    lineage = Lineage.read(folder)
    again = next(
        event
        for event in lineage.those()
        if event.kind == "gave_up" and any(each.kind == "resent" for each in lineage.chain(event))
    )
    story, full = Story.of(lineage, again), Story.of(lineage, again, full=True)
    assert story.steps[-1].event.kind == "resent"
    assert story.before == full.steps[len(story.steps)].event.id
    assert story.lines()[:-1] == full.lines()[: len(story.lines()) - 1]
    assert f"event {story.before}" in story.lines()[-1]
    assert full.before is None


def test_the_nearest_event_is_told(folder: Path) -> None:
    lineage = Lineage.read(folder)
    timeout = next(event for event in lineage.those() if event.kind == "rto")
    # The window is cut in the same instant: the time-out comes first.
    assert find(lineage, timeout.time_s + 1e-6, None) == timeout
    assert find(lineage, timeout.time_s, 0) == timeout
    assert find(lineage, 0.0, 5) is None


def test_what_is_printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dispatch(["explain", str(folder)])
    shown = capsys.readouterr().out
    assert "loss budget of flow 0" in shown
    assert "contention" in shown
    assert "most losses" in shown
    dispatch(["explain", str(folder), "--flow", "0"])
    lines = [line for line in capsys.readouterr().out.splitlines() if "time-out of flow 0" in line]
    assert len(lines) == sum(event.kind == "rto" for event in Lineage.read(folder).those())
    dispatch(["explain", str(folder), "--flow", "0", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert number(told, "flows", 0, "flow") == 0
    event = number(told, "reactions", 0, "event")
    dispatch(["explain", str(folder), "--event", str(event), "--json"])
    assert number(json.loads(capsys.readouterr().out), 0, "id") == event


def test_the_picture(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dispatch(["explain", str(folder), "--at", "5.4", "--figure", str(tmp_path / "story")])
    assert capsys.readouterr().out.endswith("story.svg, .pdf, .png, .csv\n")
    assert {file.suffix for file in tmp_path.iterdir()} == {".svg", ".pdf", ".png", ".csv"}
    rows = (tmp_path / "story.csv").read_text().splitlines()
    assert rows[0] == "time_s,kind,node,peer,cause,by_node,by_time_s,relation"
    times = [float(row.split(",")[0]) for row in rows[1:]]
    assert times == sorted(times)
    assert len(times) > 5


@pytest.mark.parametrize(
    ("words", "kind"), [((), "budget"), (("--at", "5.4"), "story"), (("--against", "it"), "why")]
)
def test_a_figure_lies_beside_the_run_as_those_of_plot_do(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    kind: str,
) -> None:
    run, other = tmp_path / "results" / "run", tmp_path / "results" / "other"
    for place in (run, other):
        shutil.copytree(folder, place)
    words = tuple(str(other) if word == "it" else word for word in words)
    dispatch(["explain", str(run), *words, "--figure"])
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == f"{run}-{kind}.svg, .pdf, .png, .csv"
    made = {path.name for path in run.parent.iterdir() if path.is_file()}
    assert made == {f"run-{kind}{suffix}" for suffix in SUFFIXES}
    dispatch(["explain", str(run), *words, "--json", "--figure", str(run / "x"), "--overwrite"])
    told = capsys.readouterr()
    json.loads(told.out)
    assert told.err.splitlines()[-1] == f"{run / 'x'}.svg, .pdf, .png, .csv"
    with pytest.raises(InputError, match=f"run-{kind}.svg: exists already; add --overwrite"):
        dispatch(["explain", str(run), *words, "--figure"])


def test_the_budgets_picture(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["explain", str(folder), "--json", "--figure", str(tmp_path / "budget")]
    (tmp_path / "budget.png").write_text("mine")
    with pytest.raises(InputError, match=r"budget\.png: exists already; add --overwrite or anoth"):
        dispatch(words)
    assert (tmp_path / "budget.png").read_text() == "mine"
    dispatch([*words, "--overwrite"])
    told = at(json.loads(capsys.readouterr().out), "flows", 0)
    with (tmp_path / "budget.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) >= 12
    for row in rows:
        counts = at(told, row["measure"])
        assert isinstance(counts, dict)
        assert int(row["count"]) == counts.get(row["cause"], 0)
    drawn = sum(int(row["count"]) for row in rows if row["measure"] == "rto")
    assert drawn == sum(budget(Lineage.read(folder), 0).counts["rto"].values()) > 0
    svg = (tmp_path / "budget.svg").read_text()
    assert "time-outs" in svg
    assert "nothing was lost" in svg


def test_how_far_the_nearest_event_is_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events = sorted(event.time_s for event in Lineage.read(folder).those(TOLD))
    last, after = max(pairwise(events), key=lambda pair: pair[1] - pair[0])
    asked = last + 0.4 * (after - last)
    earlier = f"{asked - last:.1f} s earlier"
    dispatch(["explain", str(folder), "--at", f"{asked:.6f}"])
    first, second = capsys.readouterr().out.splitlines()[:2]
    number = find(Lineage.read(folder), last, None).id  # type: ignore[union-attr]
    where = f"the event nearest to {asked:g} s is {earlier} (event {number})"
    assert first == f"{where}; what led to it, the latest first:"
    assert second.startswith(f"t={last:.6f} s")
    dispatch(["explain", str(folder), "--at", "0"])
    assert f"is {events[0]:.1f} s later (" in capsys.readouterr().out
    dispatch(["explain", str(folder), "--at", f"{last + 0.05:.6f}"])
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith(f"the event nearest to {last + 0.05:g} s (event {number}), and what")
    dispatch(["explain", str(folder), "--at", f"{asked:.6f}", "--json"])
    told = capsys.readouterr()
    assert json.loads(told.out)
    assert earlier in told.err
    dispatch(["explain", str(folder), "--at", "60"])
    assert "the event nearest to 60 s" in capsys.readouterr().out


QUIET = """
duration_s = 1.1
topology = {{ kind = "chain", hops = 1 }}
flows = [{{ from = 0, to = 1, app = "file", bytes = 2000, transport.protocol = "newreno" }}]
output.lineage = "{lineage}"
"""


@pytest.mark.parametrize(
    ("lineage", "said"),
    [
        ("losses", "nothing was lost, and no sender reacted"),
        ("all", "loss budget of flow 0: nothing was lost"),
    ],
)
def test_a_run_without_losses_says_so(
    lineage: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "quiet.toml").write_text(QUIET.format(lineage=lineage))
    out = str(tmp_path / "run")
    dispatch(["run", str(tmp_path / "quiet.toml"), "--out", out])
    capsys.readouterr()
    dispatch(["explain", out])
    assert capsys.readouterr().out.splitlines()[0] == said
    if lineage == "all":  # what happened is told, though nothing was lost
        dispatch(["explain", out, "--at", "1", "--flow", "0"])
        assert "arrived at node" in capsys.readouterr().out
        return
    with pytest.raises(InputError, match="no event to explain at 1 s: the recording has no events"):
        dispatch(["explain", out, "--at", "1"])


def test_nine_flows_have_no_picture() -> None:
    none = {name: Counter[str]() for name in NAMES}
    with pytest.raises(InputError, match="9 flows do not fit on a page"):
        budget_figure([Budget(flow, none, Counter(), Counter()) for flow in range(9)])
    with pytest.raises(InputError, match="nothing was lost"):
        budget_figure([])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("explain", "required: DIR"),
        ("explain nowhere", "nowhere: does not exist; name the folder of a run"),
        ("explain {run} --at 1 --event 2", "--at and --event: use only one of them"),
        ("explain {run} --full", "add --at or --event"),
        ("explain {run} --event 987654321", "no such event"),
        (
            "explain {run} --flow 4",
            "the recording has no events of this flow; flows with events: 0",
        ),
        ("explain {run} --at x", "--at: 'x' is not a number"),
        ("explain {run} --at nan", "--at nan: must be a time, 0 seconds or more"),
        ("explain {run} --at=-3", "--at -3: must be a time"),
        ("explain {run} --at 5000", "--at 5000: the run ends at 60 s"),
        ("explain {empty}", "is not a folder that 'hopwright run' wrote"),
        ("explain {plain}", "run the scenario with --set output.lineage=losses"),
        ("explain {several}", "holds several runs; name one of them"),
        ("explain {broken}", "is not a complete Parquet file"),
    ],
)
def test_mistakes(line: str, message: str, folder: Path, tmp_path: Path) -> None:
    folders = {name: tmp_path / name for name in ("empty", "plain", "several", "broken")}
    for each in folders.values():
        each.mkdir()
    (folders["plain"] / "scenario.toml").touch()
    (folders["several"] / "seed-1").mkdir()
    (folders["several"] / "seed-1" / "events.parquet").touch()
    (folders["broken"] / "events.parquet").write_text("no")
    with pytest.raises(InputError) as wrong:
        dispatch(line.format(run=folder, **folders).split())
    assert message in str(wrong.value)
