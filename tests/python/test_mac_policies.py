"""Which frames RTS/CTS protects, said by name, varied, and compared."""

from pathlib import Path

import polars as pl
import pytest

import hopwright as hw
from hopwright._cli.arguments import dispatch

POLICIES = {"all": 0, "data": 500, "none": 3000}


def test_a_policy_is_a_threshold(chain: Path, tmp_path: Path) -> None:
    """By name or by number: the same frames, and the counts that Papanastasiou tells them by."""
    tables = []
    for key, values in (
        ("mac.rts", POLICIES),
        ("mac.rts_threshold_bytes", POLICIES.values()),
    ):
        out = tmp_path / key
        words = ",".join(map(str, values))
        dispatch(
            ["sweep", str(chain), "--vary", f"{key}={words}", "--runs", "2", "--out", str(out)]
        )
        tables.append(pl.read_parquet(out / "results.parquet"))
    named, numbered = tables
    assert named["mac.rts"].to_list() == ["all", "all", "data", "data", "none", "none"]
    assert named["fingerprint"].to_list() == numbered["fingerprint"].to_list()
    assert named["fingerprint"].n_unique() == 6
    exchanges = named["mac.collisions.rts_cts"] + named["mac.failures.rts_cts"]
    whole, partial, none = (sum(exchanges[n : n + 2]) for n in (0, 2, 4))
    assert whole > partial > none == 0


def test_policies_are_compared(
    chain: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "--vary mac.rts=all,data,none --baseline all --runs 3 --metric goodput_bps"
    dispatch(["compare", str(chain), *words.split(), "--out", str(tmp_path / "compared")])
    said = capsys.readouterr().out
    assert "mac.rts, data and none against all; 3 seeds" in said
    rows = [line.split()[0] for line in said.splitlines() if "±" in line]
    assert [word for word in rows if word in POLICIES] == list(POLICIES)


def test_a_policy_in_python(chain: Path) -> None:
    mac = hw.load(chain, {"mac.rts": "data"}).mac
    assert mac is not None
    assert (mac.rts, mac.rts_threshold_bytes) == ("data", None)
    with pytest.raises(hw.ScenarioError, match="not both"):
        hw.load(chain, {"mac.rts": "data", "mac.rts_threshold_bytes": 0})
