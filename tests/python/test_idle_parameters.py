"""Parameters that no transport reads: a line on standard error, whatever the command."""

from pathlib import Path

import pytest

from hopwright._io.source import Source
from hopwright._schema.settings import Settings
from hopwright.sweeps.points import check_points
from processes import Hopwright

VEGAS = "flows.transport.vegas_alpha"
PROTOCOL = "flows.transport.protocol"
LINE = (
    "warning: --set flows.transport.vegas_alpha=2: flows.0.transport.vegas_alpha: has no effect: "
    "the flow's transport does not read this key; it needs avoidance = vegas\n"
)


@pytest.mark.parametrize("command", [("run", "--json"), ("check",)])
def test_one_scenario(hopwright: Hopwright, chain: Path, command: tuple[str, ...]) -> None:
    name, *options = command
    words = (name, chain, *options, "--set", f"{VEGAS}=2")
    done = hopwright(*words)
    assert (done.returncode, done.stderr) == (0, LINE)
    assert "warning" not in done.stdout
    used = hopwright(*words, "--set", f"{PROTOCOL}=vegas")
    assert (used.returncode, used.stderr) == (0, "")


@pytest.mark.parametrize("command", ["sweep", "compare"])
def test_a_sweep_says_it_once_and_only_if_no_point_reads_it(
    hopwright: Hopwright, chain: Path, tmp_path: Path, command: str
) -> None:
    def told(protocols: str) -> str:
        words = ["--vary", f"{PROTOCOL}={protocols}", "--set", f"{VEGAS}=2", "--runs", "2"]
        if command == "compare":
            words += ["--baseline", "reno"]
        done = hopwright(command, chain, *words, "--out", tmp_path / protocols)
        assert done.returncode == 0, done.stderr
        return done.stderr

    assert told("reno,newreno") == LINE
    assert told("reno,vegas") == ""


def test_each_point_has_a_say(chain: Path) -> None:
    def told(*settings: Settings) -> list[str]:
        lines: list[str] = []
        check_points(
            Source.read(chain), [(VEGAS, "2"), ("flows.transport.k", "4")], settings, lines.append
        )
        return [line.split(": has no effect")[0].rpartition(".")[2] for line in lines]

    def of(protocol: str) -> Settings:
        return {PROTOCOL: protocol}

    assert told(of("reno"), of("newreno")) == ["k", "vegas_alpha"]
    assert told(of("vegas"), of("reno")) == ["k"]
    assert told(of("reno"), of("vegas"), of("sca-reno")) == []
