"""`hopwright sedlane` reads captures as tshark does: of this program's own runs, and of kernels."""

import json
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from hopwright._cli.main import main
from hopwright._io.errors import InputError
from hopwright.emulation.sedlane.sources import Request, read
from interop import network as net

pytestmark = pytest.mark.skipif(not shutil.which("tshark"), reason="tshark is not installed")

FIELDS = (
    "frame.time_relative",
    "tcp.srcport",
    "tcp.seq",
    "tcp.len",
    "tcp.ack",
    "tcp.analysis.ack_rtt",
    "tcp.analysis.retransmission",
    "tcp.analysis.fast_retransmission",
    "tcp.analysis.spurious_retransmission",
    "tcp.analysis.out_of_order",
)


@dataclass
class Seen:
    """What tshark says of the data of one connection."""

    rtts: dict[int, float]
    """Round-trip times by when, microseconds; only where no byte had been sent twice."""
    others: set[int]
    """When something was acknowledged of which a byte had been sent twice."""
    resent_bytes: int
    bytes: int


def by_tshark(capture: Path, sender: str, *, frames: str = "tcp") -> Seen:
    """`sender`: its port. `frames`: those that are looked at."""
    columns = [word for field in FIELDS for word in ("-e", field)]
    # Written anew first: tshark's analysis must not see other frames.
    chosen = capture.with_name("chosen.pcapng")
    subprocess.run(
        ["tshark", "-r", capture, "-n", "-Y", frames, "-w", chosen], check=True, capture_output=True
    )
    shown = subprocess.run(
        ["tshark", "-r", chosen, "-n", "-T", "fields", *columns],
        check=True,
        capture_output=True,
        text=True,
    )
    seen = Seen({}, set(), 0, 0)
    resent: list[tuple[int, int]] = []
    acknowledged = 0
    start = None
    for line in shown.stdout.splitlines():
        when, port, seq, length, ack, rtt, *marks = line.split("\t")
        start = float(when) if start is None else start
        micros = round(1e6 * (float(when) - start))
        if port == sender:
            seen.bytes += int(length)
            if any(marks):
                seen.resent_bytes += int(length)
                resent.append((int(seq), int(seq) + max(int(length), 1)))
        elif ack and int(ack) > acknowledged:
            if any(first < int(ack) and end > acknowledged for first, end in resent):
                seen.others.add(micros)
            elif rtt:
                seen.rtts[micros] = float(rtt)
            acknowledged = int(ack)
    return seen


def ours(capture: Path, **asked: object) -> tuple[dict[int, float], int, int]:
    """Our round-trip times by when, bytes sent and bytes sent again."""
    trace = read(Request(place=capture, **asked))  # type: ignore[arg-type]
    found = {name: np.frombuffer(column, "<f8") for name, column in trace.samples().items()}
    rtts = {
        round(1e6 * at): float(rtt)
        for at, rtt in zip(found["time_s"], found["rtt_s"], strict=False)
    }
    text, _ = trace.reduce(
        mode="sequential",
        pipes=4,
        reduction="least-error",
        averaging="overlapping",
        lost="retransmitted",
        lifetime_s=None,
        rate=False,
        about=[],
    )
    answer = json.loads(text)
    return rtts, answer["bytes"], answer["lost_bytes"]


def check(found: dict[int, float], seen: Seen) -> None:
    """Ours are tshark's. More are there only where time stamps told what Karn's rule does not."""
    assert len(seen.rtts) > 20
    # A sample at the very end has no life, and of several in one instant the last is kept.
    missing = sorted(seen.rtts.keys() - found.keys())
    assert len(missing) <= 1 + len(seen.rtts) // 50, missing
    for when, rtt in found.items():
        if when in seen.rtts:
            assert rtt == pytest.approx(seen.rtts[when], abs=2e-6)
        else:
            assert when in seen.others


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose sender's frames are captured, and what nodes beside it forward."""
    folder = tmp_path_factory.mktemp("sedlane") / "run"
    chain = Path(__file__).parents[2] / "scenarios" / "chain.toml"
    settings = ("duration_s=20", "output.pcap=[0]", "output.lineage=losses")
    words = [word for setting in settings for word in ("--set", setting)]
    assert main(["run", str(chain), *words, "--out", str(folder)]) == 0
    return folder


def test_a_capture_of_our_own_is_read_as_tshark_reads_it(results: Path) -> None:
    capture = results / "node-0.pcapng"
    stations = subprocess.run(
        ["tshark", "-r", capture, "-Y", "tcp", "-T", "fields", "-e", "wlan.ta"],
        check=True,
        capture_output=True,
        text=True,
    )
    station = stations.stdout.split()[0]
    of_sender = f"tcp && wlan.fc.retry == 0 && (wlan.ta == {station} || wlan.ra == {station})"
    seen = by_tshark(capture, "33001", frames=of_sender)
    found, sent, again = ours(capture)
    check(found, seen)
    assert (sent, again) == (seen.bytes, seen.resent_bytes)
    assert again > 0


def test_a_capture_and_the_series_of_one_run_agree(results: Path) -> None:
    _, sent, again = ours(results / "node-0.pcapng")
    series, sent_too, again_too = ours(results)
    assert len(series) > 10
    assert again == again_too
    # What waits in the sender's own queue at the end is sent for TCP, and not on the air.
    assert 0 <= sent_too - sent <= 64 * 1460
    # TCP times from when it sends, the capture from when the frame has left: queues are between.
    dropped = read(Request(place=results, wants_drops=True))
    assert dropped.knows_losses == (True, True)


def dumpcap_into(network: net.Network, device: str, capture: Path) -> None:
    process = network.start_kernel("dumpcap", "-q", "-i", device, "-w", capture)
    deadline = time.monotonic() + 10
    while not capture.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    if not capture.exists():
        pytest.skip(f"dumpcap does not capture here: {process.communicate()[1].decode()}")
    time.sleep(0.3)


SINK = """
import socket
with socket.create_server(("10.9.0.2", 9000)) as server:
    print("listening", flush=True)
    peer, _ = server.accept()
    with peer:
        while peer.recv(65536):
            pass
"""
SEND = """
import socket
with socket.create_connection(("10.9.0.2", 9000), timeout=30) as peer:
    peer.sendall(bytes(700_000))
    peer.shutdown(socket.SHUT_WR)
    peer.recv(1)
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Captures at the sender of one connection between two kernels, over a wire that loses."""
    missing = net.missing() or (None if shutil.which("dumpcap") else "dumpcap is not installed")
    if missing is not None:
        pytest.skip(missing)
    folder = tmp_path_factory.mktemp("kernels")
    captures = {"raw": folder / "raw.pcapng", "cooked": folder / "cooked.pcapng"}
    with net.network(["--loss", "3", "--delay-ms", "5"]) as network:
        net.ip("-n", network.host, "addr", "add", net.HOST, "peer", net.KERNEL, "dev", "r0")
        dumpcap_into(network, "k0", captures["raw"])
        dumpcap_into(network, "any", captures["cooked"])
        inside = ["ip", "netns", "exec", network.host, sys.executable, "-c", SINK]
        sink = subprocess.Popen(inside, stdout=subprocess.PIPE, text=True)
        assert sink.stdout is not None
        assert sink.stdout.readline() == "listening\n"
        subprocess.run(network.in_kernel(sys.executable, "-c", SEND), check=True, timeout=60)
        sink.wait(timeout=10)
        sink.stdout.close()
        time.sleep(0.3)
    return captures


@pytest.mark.parametrize("name", ["raw", "cooked"])
def test_a_capture_of_a_kernel_is_read_as_tshark_reads_it(
    kernels: dict[str, Path], name: str
) -> None:
    ports = subprocess.run(
        [
            "tshark",
            "-r",
            kernels[name],
            "-Y",
            "tcp.dstport == 9000",
            "-c",
            "1",
            "-T",
            "fields",
            "-e",
            "tcp.srcport",
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    seen = by_tshark(kernels[name], ports.stdout.split()[0])
    found, sent, again = ours(kernels[name])
    check(found, seen)
    assert (sent, again) == (seen.bytes, seen.resent_bytes)
    assert again > 0


@pytest.mark.parametrize(
    "words", [["-s", "60"], ["-F", "pcap"], ["-F", "nsecpcap", "-s", "44"]], ids=str
)
def test_other_formats_and_short_snapshots_say_the_same(
    kernels: dict[str, Path], tmp_path: Path, words: list[str]
) -> None:
    if not shutil.which("editcap"):
        pytest.skip("editcap is not installed")
    other = tmp_path / "other.pcap"
    subprocess.run(["editcap", *words, kernels["raw"], other], check=True)
    whole, short = ours(kernels["raw"]), ours(other)
    assert short[1:] == whole[1:]
    # Microseconds, and no time stamps where the snapshot has cut them off.
    assert len(short[0]) > 0.5 * len(whole[0])
    for when, rtt in short[0].items():
        near = [whole[0][each] for each in range(when - 2, when + 3) if each in whole[0]]
        assert any(abs(each - rtt) < 3e-6 for each in near)


def test_a_capture_that_was_cut_off_is_refused(results: Path, tmp_path: Path) -> None:
    content = (results / "node-0.pcapng").read_bytes()
    cut, out = tmp_path / "cut.pcapng", tmp_path / "link.toml"
    cut.write_bytes(content[: len(content) // 2 + 1])
    assert main(["sedlane", "profile", str(cut), "-o", str(out)]) == 2
    assert not out.exists()
    with pytest.raises(InputError, match=r"cut\.pcapng: packet \d+: .*cut off"):
        read(Request(place=cut))
