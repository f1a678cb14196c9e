"""`run --overwrite`, killed at every step: the results are the old ones or the new ones, whole."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

KILLED = """\
import os, signal, sys
from pathlib import Path

from hopwright import _core
from hopwright._io import out
from hopwright._io import staging

place, kind = Path(sys.argv[1]), sys.argv[2]
FILES = (out.__file__, staging.__file__)


def cannot(*_paths):
    raise OSError(22, "Invalid argument")


if kind == "in-two-steps":
    _core.exchange = cannot


def write(content):
    with out.new_folder(place / "out", overwrite=True) as new:
        summary = '{"scenario": "x", "version": "0", "results": ["%s"]}' % content
        (new / "summary.json").write_text(summary)
        (new / "scenario.toml").write_text(content)


def state():
    folder = place / "out"
    if not folder.exists():
        return "gone"
    summary = (folder / "summary.json").read_text()
    content = (folder / "scenario.toml").read_text()
    assert f'["{content}"]' in summary, "half of both"
    return content


def killed_at(step):
    steps = 0

    def trace(frame, event, _argument):
        nonlocal steps
        if frame.f_code.co_filename not in FILES:
            return None
        if event == "line":
            steps += 1
            if steps == step:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    child = os.fork()
    if not child:
        sys.settrace(trace)
        write("new")
        sys.settrace(None)
        os._exit(0)
    return os.waitpid(child, 0)[1] == signal.SIGKILL


write("old")
found, step = {"old": 0, "new": 0, "gone": 0}, 1
while killed_at(step):
    found[state()] += 1
    out.check_folder(place / "out", overwrite=True)  # as the next command does
    assert state() in ("old", "new"), step
    left = [each.name for each in place.iterdir() if each.name != "out"]
    assert not left, (step, left)
    write("old")
    step += 1
assert state() == "new"
print(found["old"], found["new"], found["gone"])
"""


@pytest.mark.parametrize("kind", ["at-once", "in-two-steps"])
def test_nothing_is_lost_wherever_it_is_killed(tmp_path: Path, kind: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, tmp_path, kind],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    old, new, gone = map(int, done.stdout.split())
    assert old > 50
    assert new > 1
    # Where folders cannot change places in one step, the next command brings the old one back.
    assert (gone > 0) == (kind == "in-two-steps")
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["results"] == ["new"]
