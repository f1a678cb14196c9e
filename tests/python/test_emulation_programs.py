"""Programs of many kinds over a simulated network: what they say of it, and that they work.

Each is skipped where it is not installed.
"""

import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import worlds
from test_emulation import emulate, live

CHAIN = """
name = "programs"
duration_s = 60
topology = { kind = "chain", hops = 2, spacing_m = 200 }
routing = { protocol = "static" }
"""


def needs(*programs: str) -> pytest.MarkDecorator:
    """Skips where one of the programs is not there."""
    lacking = [program for program in programs if shutil.which(program) is None]
    return pytest.mark.skipif(bool(lacking), reason=f"not installed: {', '.join(lacking)}")


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    file = tmp_path / "programs.toml"
    file.write_text(CHAIN)
    return file


@live
@needs("iperf3")
def test_iperf3_measures_what_the_network_carried(scenario: Path) -> None:
    words = ("--json", "--with", "2:iperf3 -s -1", "--at", "0", "--")
    client = "sleep 1; exec iperf3 -c node-2 -n 200K --json"
    done = emulate(scenario, *words, "sh", "-c", client)
    assert done.returncode == 0, done.stderr
    decoder = json.JSONDecoder()
    texts = [text for text in re.split(r"(?m)^(?=\{)", done.stdout) if text.startswith("{")]
    said = [decoder.raw_decode(text)[0] for text in texts]
    (measured,) = (each["end"] for each in said if "end" in each)
    (summary,) = (each for each in said if "emulation" in each)
    received = measured["sum_received"]["bytes"]
    assert received >= 200 * 1024
    far = next(each for each in summary["emulation"]["attached"] if each["node"] == 2)
    assert far["received_bytes"] > received


@live
@needs("dnsmasq", "dig")
def test_a_name_server_answers_over_udp(scenario: Path) -> None:
    server = "dnsmasq --keep-in-foreground --conf-file=/dev/null --no-hosts --no-resolv --user= "
    server += "--group= --pid-file= --port=5353 --address=/hop.example/192.0.2.7"
    ask = "dig @10.0.0.3 -p 5353 +notcp +short +tries=10 +time=1 hop.example"
    done = emulate(scenario, "--with", f"2:{server}", "--at", "0", "--", *ask.split())
    assert (done.returncode, done.stdout) == (0, "192.0.2.7\n"), done.stderr
