"""What `hopwright host` refuses before it touches a device. What it does is in `interop`."""

from pathlib import Path

import pytest

from hopwright._cli.main import main

COMMON = ("host", "--tun", "hw-none", "--address", "10.9.0.2/24")
CONNECT = (*COMMON, "--connect", "10.9.0.1:9")


def refused(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    assert main([str(word) for word in words]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1
    return output.err.removeprefix("hopwright: ").rstrip()


def test_words_that_do_not_go_together(capsys: pytest.CaptureFixture[str]) -> None:
    assert "either --serve" in refused(capsys, *COMMON)
    assert refused(capsys, *COMMON, "--serve", "x") == "--serve needs --port"
    assert "--connect needs --send" in refused(capsys, *CONNECT)
    assert "--overwrite needs --receive" in refused(capsys, *CONNECT, "--send", "x", "--overwrite")
    assert "need --serve" in refused(capsys, *CONNECT, "--send", "x", "--once")


def test_nothing_that_is_there_is_replaced(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    thesis = tmp_path / "thesis"
    thesis.write_text("years of work")
    said = refused(capsys, *CONNECT, "--receive", thesis)
    assert said.endswith("exists already; add --overwrite or name another file")
    said = refused(capsys, *CONNECT, "--receive", thesis, "--send", thesis, "--overwrite")
    assert said.endswith("cannot be sent and received at the same time")
    assert thesis.read_text() == "years of work"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--protocol", "newrno"), "no protocol called 'newrno'; did you mean 'newreno'?"),
        (("--set", "foo"), "--set foo: write it as KEY=VALUE, such as acking=delayed"),
        (("--set", "min_rto=1"), "did you mean 'min_rto_ms'?"),
        (("--kernel-address", "10.8.0.1"), "is not in the subnet of 10.9.0.2/24"),
        (("--limit", "linger_s"), "--limit linger_s: write it as KEY=VALUE, such as"),
        (("--limit", "connection=5"), "did you mean 'connections'?"),
        (("--limit", "half_open=-1"), "--limit half_open=-1: a whole number from 0 to 1000000"),
        (("--user", "nobody-at-all"), "--user nobody-at-all: there is no such user"),
    ],
)
def test_wrong_words(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert said in refused(capsys, *CONNECT, "--receive", tmp_path / "new", *words)
    assert list(tmp_path.iterdir()) == []


def test_loopback_lies_elsewhere(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = (*COMMON, "--connect", "127.0.0.1:9", "--receive", tmp_path / "new")
    assert "this machine does at 10.9.0.1" in refused(capsys, *words)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('when = [{ monitor = "interface", equals = 1 }]', "a real host is not told of hand-overs"),
        ('when = [{ monitor = "loss", above = 1 }]', "'told' needs shaped links"),
    ],
)
def test_triggers_that_nobody_serves(
    line: str, told: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "triggers.toml"
    source = 'monitor_source = "told"\n' if "told" in told else ""
    file.write_text(f'{source}[[triggers]]\n{line}\nset.response = "spare"\n')
    assert main([*CONNECT, "--receive", str(tmp_path / "new"), "--triggers", str(file)]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.startswith("error: "), "as errors about scenarios look"
    assert not (tmp_path / "new").exists()
