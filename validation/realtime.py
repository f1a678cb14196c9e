"""How late datagrams are in `hopwright sedlane relay`, with real-time scheduling and without.

Once alone, once beside programs that compute.

    .venv/bin/python validation/realtime.py [ROUNDS]

A thousand datagrams a second over 5 ms, for 8 s each, in turn. Prints the median of the rounds. As
root, or where RLIMIT_RTPRIO allows it.
"""

import json
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

LASTS_S = 8
EACH_S = 0.001
PROGRAMS = 4
"""That compute without end, on the machine's cores."""

KEYS = ("median_us", "p99_us", "max_us")


@contextmanager
def busy(programs: int) -> Iterator[None]:
    """Programs that compute meanwhile."""
    words = [sys.executable, "-c", "while True: pass"]
    running = [subprocess.Popen(words) for _ in range(programs)]
    try:
        yield
    finally:
        for each in running:
            each.kill()
            each.wait()


def relayed(link: Path, words: Sequence[str]) -> tuple[str, list[float]]:
    """The policy that the relay had, and how late datagrams were."""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client,
    ):
        server.bind(("127.0.0.1", 0))
        to = f"127.0.0.1:{server.getsockname()[1]}"
        command = [sys.executable, "-m", "hopwright", "sedlane", "relay", str(link), "--json"]
        with subprocess.Popen(
            [*command, "--listen", "127.0.0.1:0", "--to", to, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as relay:
            assert relay.stderr is not None
            port = int(relay.stderr.readline().partition(" go to")[0].rpartition(":")[2])
            end_s = time.monotonic() + LASTS_S
            while time.monotonic() < end_s:
                client.sendto(bytes(200), ("127.0.0.1", port))
                time.sleep(EACH_S)
            relay.send_signal(signal.SIGINT)
            summary = json.loads(relay.communicate()[0])
    return summary["scheduling"]["policy"], [summary["lateness"][key] for key in KEYS]


def main() -> None:
    """Measures, and prints a table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    cases = [(programs, words) for programs in (0, PROGRAMS) for words in ([], ["--realtime"])]
    seen: dict[int, list[list[float]]] = {case: [] for case in range(len(cases))}
    policies = {}
    with tempfile.TemporaryDirectory() as folder:
        link = Path(folder) / "link.toml"
        link.write_text("delay_ms = 5\n")
        for _ in range(rounds):
            for case, (programs, words) in enumerate(cases):
                with busy(programs):
                    policies[case], late = relayed(link, words)
                seen[case].append(late)
    print("| programs that compute | scheduling | median, us | 99 of 100, us | at most, us |")
    print("| --- | --- | ---: | ---: | ---: |")
    for case, (programs, _) in enumerate(cases):
        late = [statistics.median(values) for values in zip(*seen[case], strict=True)]
        row = " | ".join(f"{value:.0f}" for value in late)
        print(f"| {programs} | {policies[case]} | {row} |")


if __name__ == "__main__":
    main()
