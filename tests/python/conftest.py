"""What the tests share: a small scenario, and the command line as a process of its own."""

import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from processes import Hopwright
from sweeping import frame, swept

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell lets its background jobs ignore SIGINT, and their children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    # So does `nohup`. What is handled, unlike what is ignored, is not inherited.
    signal.signal(signal.SIGHUP, lambda _number, _frame: None)

CHAIN = """\
name = "chain-3"
duration_s = 10
seed = 7

[topology]
kind = "chain"
hops = 3
spacing_m = 200

[routing]
protocol = "static"

[[flows]]
from = 0
to = 3
start_s = 1
[flows.transport]
protocol = "newreno"
"""


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    """The file of a short run over three hops, alone in its folder."""
    file = tmp_path / "chain.toml"
    file.write_text(CHAIN)
    return file


@pytest.fixture
def hopwright(tmp_path: Path) -> Hopwright:
    """Runs `hopwright ARGUMENTS` in the test's folder."""

    def call(*arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "hopwright", *map(str, arguments)],
            cwd=tmp_path,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=120,
            check=False,
        )

    return call


@pytest.fixture
def wanted(chain: Path) -> pl.DataFrame:
    """The table of the tests' sweep, made by one thread."""
    return frame(swept(chain, jobs=1))
