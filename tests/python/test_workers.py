"""Processes that work beside this one."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hopwright._io.errors import UnfinishedError
from hopwright._run.workers import Workers
from hopwright.research.papers.totals import NoNumberError
from tiny_paper import TINY, write
from worked import end, half, leave_a_file, own_id


@pytest.mark.parametrize("count", [1, 3])
def test_answers_are_in_the_order_of_questions(count: int) -> None:
    with Workers(count) as workers:
        futures = [workers.submit(half, float(number)) for number in range(10)]
        assert [each.result() for each in futures] == [number / 2 for number in range(10)]


def test_with_one_the_work_is_done_here_and_with_more_elsewhere() -> None:
    with Workers(1) as workers:
        assert workers.submit(own_id, None).result() == os.getpid()
    with Workers(2) as workers:
        assert workers.submit(own_id, None).result() != os.getpid()


def test_an_error_is_the_same_as_it_would_be_here() -> None:
    with Workers(2) as workers:
        with pytest.raises(NoNumberError, match="13 has none"):
            workers.submit(half, 13.0).result()
        with pytest.raises(ZeroDivisionError) as fault:
            workers.submit(half, 17.0).result()
        assert not hasattr(fault.value, "__notes__")
        assert "in half" in str(fault.value.__cause__)
        assert workers.submit(half, 8.0).result() == 4


def test_a_process_that_ends_is_told() -> None:
    with Workers(2) as workers, pytest.raises(UnfinishedError, match="exit code 3"):
        workers.submit(end, 3).result()


def test_nothing_is_left_of_processes_that_are_ended() -> None:
    with Workers(2) as workers:
        place = Path(workers.submit(leave_a_file, None).result())
        process = workers.submit(own_id, None).result()
        assert place.is_dir()
    assert not place.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


COUNTING = """
import os
from zlib import crc32

from hopwright._io.errors import InputError
from hopwright.research.papers.run import Run


def goodput(run: Run) -> float:
    place = os.environ["PLACE"]
    if run.seed == 2 and not os.path.exists(f"{place}/ready"):
        raise InputError("not yet")
    with open(f"{place}/asked", "a") as file:
        file.write(f"{crc32(run.scenario.to_toml().encode())} {run.seed} {os.getpid()}\\n")
    return run.result("goodput_segments")
"""
SCRIPT = """
import sys
import hopwright as hw
from hopwright.research.papers.document import read
from hopwright.research.papers.reproduce import reproduce
from hopwright.sweeps.run_plan import RunPlan
from pathlib import Path

paper, out, resume = sys.argv[1:]
reproduce([read(Path(paper))], RunPlan.of(out=out, jobs=2, resume=resume == "yes"))
"""
IDLE = 'function = "idle_before_timeouts_s"'


def test_a_script_without_a_guard_has_its_functions_asked_elsewhere_and_their_answers_kept(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "tiny.py").write_text(COUNTING, encoding="utf-8")
    paper = write(folder, TINY.replace(IDLE, 'function = "goodput"'))
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")

    def run(resume: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(script), str(paper), str(tmp_path / "out"), resume],
            env={**os.environ, "PLACE": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=False,
        )

    first = run("no")
    assert "not yet" in first.stderr
    before = (tmp_path / "asked").read_text("utf-8").splitlines()
    (tmp_path / "ready").touch()
    second = run("yes")
    assert (second.returncode, second.stderr) == (0, "")
    asked = (tmp_path / "asked").read_text("utf-8").splitlines()
    runs = {line.rpartition(" ")[0] for line in asked}
    # What was under way when the first failed may be asked once more.
    assert before
    assert len(runs) <= len(asked) < len(runs) + len(before)


def test_an_interrupt_ends_all(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import signal\n"
        "from hopwright._run.workers import Workers\n"
        "from worked import own_id, wait\n"
        # A background job's children would ignore it.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "with Workers(2) as workers:\n"
        "    print(workers.submit(own_id, None).result(), flush=True)\n"
        "    workers.submit(wait, 600).result()\n",
        encoding="utf-8",
    )
    process = subprocess.Popen(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(Path(__file__).parent)])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    worker = int(process.stdout.readline())
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)


def test_what_cannot_be_sent_is_a_fault_of_who_sends_it() -> None:
    with Workers(2) as workers, pytest.raises(Exception, match="pickle"):
        workers.submit(half, lambda: 1.0).result()  # type: ignore[arg-type]
