"""The printed summary: 80 columns, no colour, and nothing breaks because a field is missing."""

import io

import pytest
from rich.console import Console

from hopwright._io.data import Json, Object
from hopwright.results.table import print_summary, show
from hopwright.statistics.means import half_widths, means


def tcp(goodput_bps: float) -> Object:
    return {
        "from": 0,
        "to": 8,
        "protocol": "westwood-plus",
        "goodput_bps": goodput_bps,
        "received_bps": goodput_bps,
        "segments_sent": 5130,
        "retransmissions": 104,
        "rto_count": 3,
        "mean_cwnd_segments": 7.25,
        "mean_rtt_s": 0.1812,
        "mean_hops": 8.0,
        "mean_data_in_flight": 4.4,
        "spurious_retransmissions": 4,
        "phase_time_s": {"slow_start": 10.0, "rto": 2.0},
        "losses": {"queue": 0, "no_route": 3},
        "ack_losses": {"queue": 0, "contention": 2},
    }


UDP: Object = {"from": 3, "to": 12, "protocol": "udp", "received_bps": 64_000.0}


def summary_of(*results: Json) -> Object:
    return {
        "scenario": "chain-8",
        "version": "0",
        "seed": 1,
        "runs": len(results),
        "duration_s": 301.0,
        "results": list(results),
        "mean": means(results),
        "ci95": half_widths(results) if len(results) > 1 else None,
    }


def printed(summary: Object) -> list[str]:
    console = Console(file=io.StringIO(), width=80)
    print_summary(summary, node_count=9, console=console)
    text = console.file.getvalue() if isinstance(console.file, io.StringIO) else ""
    lines = text.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert "\x1b" not in text
    assert "…" not in text
    return lines


def line_with(lines: list[str], *words: str) -> str:
    return next(line for line in lines if all(word in line for word in words))


def test_one_run() -> None:
    counts: Json = {"rts_cts": 12, "total": 12}
    errors: Json = {"data": 7, "total": 7}
    failures: Json = {"rts_cts": 3, "data": 2, "ack": 1, "routing": 0, "lost_packets": 3}
    mac: Json = {
        "collisions": counts,
        "channel_errors": errors,
        "failures": failures,
        "mean_queue_packets": 2.5,
    }
    lines = printed(summary_of({"flows": [tcp(206_400.0)], "mac": mac, "frames": 40_000}))
    assert lines[0].rstrip() == "chain-8: 9 nodes, 1 flow, 301 s, seed 1"
    flow = line_with(lines, "0 → 8")
    assert flow.split() == ["0", "0", "→", "8", "westwood-plus", "206.4", "104", "3", "181.2"]
    more = next(line for line in lines if "westwood-plus" in line and "→" not in line)
    assert more.split() == ["0", "westwood-plus", "206.4", "5130", "7.25", "8.00", "4.40", "4"]
    assert "RTS/CTS 12, total 12" in line_with(lines, "collisions")
    assert "data 7, total 7" in line_with(lines, "channel errors")
    assert line_with(lines, "losses").split() == ["losses", "no", "route", "3"]
    assert line_with(lines, "ACK losses").split() == ["ACK", "losses", "contention", "2"]
    assert "2.50 packets" in line_with(lines, "mean queue")
    assert "40,000 frames" in line_with(lines, "work", "frames")
    said = line_with(lines, "MAC gave up").split("MAC gave up")[1].split()
    assert " ".join(said).startswith("data 2, ACK 1, routing 0, at the RTS limit 3 of these")
    assert not any("energy" in line for line in lines)


def test_energy_has_a_line() -> None:
    energy: Object = {"radio_j": 115.25, "communication_j": 12.5, "j_per_received_bit": 2.5e-6}
    energy["nodes"] = [{"radio_j": 115.25}]
    runs: list[Object] = [
        {"flows": [UDP], "energy": {**energy, "radio_j": 115.25 + more}} for more in (0, 0.5)
    ]
    line = line_with(printed(summary_of(runs[0])), "energy")
    assert line.split()[1:4] == ["radio", "115.2", "J,"]
    assert "communication 12.5 J, 2.500 µJ per received bit" in " ".join(line.split())
    assert "radio 115.5 ± 3.2 J" in line_with(printed(summary_of(*runs)), "energy")
    energy["j_per_received_bit"] = None
    line = line_with(printed(summary_of({"flows": [UDP], "energy": energy})), "energy")
    assert line.split()[-3:] == ["communication", "12.5", "J"]


def test_energy_of_computation_is_in_a_unit_that_shows_it() -> None:
    energy: Object = {"compute_j": 0.0063246, "j_per_received_bit": 2.106e-10}
    line = line_with(printed(summary_of({"flows": [UDP], "energy": energy})), "energy")
    assert line.split("energy")[1].strip() == "computation 6.325 mJ, 210.600 pJ per received bit"
    both: Object = {"radio_j": 0.25, "communication_j": 0.0, "compute_j": 2.5e-5}
    line = line_with(printed(summary_of({"flows": [UDP], "energy": both})), "energy")
    wanted = "radio 250.0 mJ, communication 0.0 J, computation 25.000 µJ"
    assert line.split("energy")[1].strip() == wanted


def test_several_runs_show_intervals() -> None:
    lines = printed(summary_of({"flows": [tcp(1_200_000.0)]}, {"flows": [tcp(1_202_000.0)]}))
    assert "seeds 1 to 2" in lines[0]
    assert "1201.0 ± 12.7" in line_with(lines, "0 → 8")


def test_ends_that_each_run_draws_anew_are_random() -> None:
    runs: list[Object] = [{"flows": [tcp(1.0), {**UDP, "to": end}]} for end in (12, 7)]
    lines = printed(summary_of(*runs))
    assert line_with(lines, "0 → 8")
    assert line_with(lines, "udp").split()[:3] == ["1", "random", "udp"]


def test_udp_shows_what_was_received() -> None:
    lines = printed(summary_of({"flows": [tcp(1.0), UDP]}))
    assert line_with(lines, "3 → 12").split()[5:] == ["64.0", "–", "–", "–"]


@pytest.mark.parametrize(
    "result", [{}, {"flows": []}, {"flows": [{}]}, {"mac": None, "flows": None}]
)
def test_absent_fields_are_no_fault(result: Json) -> None:
    assert printed(summary_of(result))


@pytest.mark.parametrize(
    ("mean", "half_width", "decimals", "text"),
    [
        (None, None, 0, "–"),
        (104.0, None, 0, "104"),
        (104.5, None, 0, "104.5"),
        (104.5, 2.25, 0, "104.5 ± 2.2"),
        (104.0, 0.0, 0, "104"),
        (7.254, 0.104, 2, "7.25 ± 0.10"),
    ],
)
def test_numbers(mean: float | None, half_width: float | None, decimals: int, text: str) -> None:
    assert show(mean, half_width, decimals=decimals) == text
