"""`hopwright view`: the page, what it holds, who serves it, and what is refused."""

import http.client
import json
import re
import shutil
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from arro3.io import read_parquet

import hopwright as hw
from hopwright._cli.arguments import dispatch
from hopwright._io.errors import InputError
from hopwright.explain.events import EVENTS
from hopwright.view import serve
from hopwright.view.folder import Run
from hopwright.view.page import PLACE
from hopwright.view.serve import server
from hopwright.view.text import ALPHABET, to_text

ROOT = Path(__file__).parents[3]
VIEWER = ROOT / "viewer"
CHAIN = ROOT / "scenarios" / "chain.toml"
LINKS = """
duration_s = 1
topology.kind = "links"
links = [{ from = 0, to = 1, rate_kbps = 1000 }]
flows = [{ from = 0, to = 1 }]
"""
SHORT = {"duration_s": 3, "output.frames": True, "output.positions": True}


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with all that can be drawn."""
    out = tmp_path_factory.mktemp("view") / "chain"
    hw.run(hw.load(CHAIN, {**SHORT, "output.lineage": "all"}), out=out)
    return out


def told(page: str) -> list[dict[str, object]]:
    """What a page is told of its runs."""
    found = re.search(r'id="hopwright-runs">(.*?)</script>', page)
    assert found
    runs: list[dict[str, object]] = json.loads(found[1])
    return runs


def held(page: str, number: int, name: str, size: int) -> bytes:
    """A file of a page, read as the page reads it: 13 bits in two letters."""
    found = re.search(f'id="file-{number}-{re.escape(name)}">(.*?)</script>', page)
    assert found
    values = np.array([ALPHABET.index(letter) for letter in found[1]]).reshape(-1, 2)
    numbers = values @ np.array([len(ALPHABET), 1])
    bits = (numbers[:, None] >> np.arange(13)[::-1]) & 1
    return np.packbits(bits.astype(np.uint8).reshape(-1))[:size].tobytes()


def test_a_page_holds_the_run(drawn: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    dispatch(["view", str(drawn), "--out", str(out)])
    page = out.read_text("utf-8")
    (run,) = told(page)
    assert run["nodes"] == 9
    assert run["flows"] == [{"from": 0, "to": 8, "protocol": "newreno"}]
    sizes = run["files"]
    assert isinstance(sizes, dict)
    assert set(sizes) >= {"frames.parquet", "lanes.parquet", "events.parquet", "series.parquet"}
    content = held(page, 0, "frames.parquet", sizes["frames.parquet"])
    (tmp_path / "frames.parquet").write_bytes(content)
    packed = read_parquet(tmp_path / "frames.parquet").read_all()
    original = read_parquet(drawn / "frames.parquet").read_all()
    begins = np.rint(np.asarray(original.column("from_ns").to_pylist()) / 1000)
    assert np.array_equal(packed.column("from_us").to_pylist(), begins)
    for name in ("node", "to", "packet", "tries", "result", "by"):
        assert packed.column(name).to_pylist() == original.column(name).to_pylist()
    shapes = run["shapes"]
    assert isinstance(shapes, list)
    kinds = [shapes[shape]["kind"] for shape in packed.column("shape").to_pylist()]
    assert kinds == original.column("kind").to_pylist()
    # Nothing is fetched from anywhere.
    assert not re.search(r'(?:src|href)="(?!data:)', page)


def test_a_page_keeps_what_the_run_says_of_its_events(drawn: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    dispatch(["view", str(drawn), "--out", str(out)])
    page = out.read_text("utf-8")
    sizes = told(page)[0]["files"]
    assert isinstance(sizes, dict)
    (tmp_path / "events.parquet").write_bytes(held(page, 0, EVENTS, sizes[EVENTS]))
    packed, original = (
        read_parquet(folder / EVENTS).schema.metadata_str for folder in (tmp_path, drawn)
    )
    assert packed["flows"] == original["flows"]


def test_lanes_keep_their_rows(drawn: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    dispatch(["view", str(drawn), "--out", str(out)])
    page = out.read_text("utf-8")
    sizes = told(page)[0]["files"]
    assert isinstance(sizes, dict)
    rows = {}
    for name in ("lanes.parquet", "hearing.parquet"):
        (tmp_path / name).write_bytes(held(page, 0, name, sizes[name]))
        rows[name] = read_parquet(tmp_path / name).read_all()
    original = read_parquet(drawn / "lanes.parquet").read_all().column("kind").to_pylist()
    kinds = [kind for table in rows.values() for kind in table.column("kind").to_pylist()]
    assert sorted(kinds) == sorted(original)
    begins = rows["lanes.parquet"].column("from_us").to_pylist()
    assert begins == sorted(begins)
    assert set(rows["hearing.parquet"].column("kind").to_pylist()) == {"decodes", "senses"}


def test_two_runs_are_in_one_page(drawn: Path, tmp_path: Path) -> None:
    out = tmp_path / "two.html"
    dispatch(["view", str(drawn), str(drawn), "--out", str(out)])
    assert len(told(out.read_text("utf-8"))) == 2


def test_what_cannot_be_shown_is_refused(drawn: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    hw.run(hw.load(CHAIN, {"duration_s": 2}), out=plain)
    out = tmp_path / "page.html"
    with pytest.raises(InputError, match=r"has no frames\.parquet; 'hopwright run FILE --view'"):
        dispatch(["view", str(plain), "--out", str(out)])
    joined = tmp_path / "joined"
    file = tmp_path / "joined.toml"
    file.write_text(LINKS)
    hw.run(hw.load(file), out=joined)
    with pytest.raises(InputError, match=r"frames\.parquet; shaped links join its nodes, so there"):
        dispatch(["view", str(joined), "--out", str(out)])
    with pytest.raises(InputError, match="nowhere: does not exist; name the folder of a run"):
        dispatch(["view", str(tmp_path / "nowhere")])
    with pytest.raises(InputError, match="one folder too many"):
        dispatch(["view", *[str(drawn)] * 3])
    with pytest.raises(InputError, match="--overwrite needs --out"):
        dispatch(["view", str(drawn), "--overwrite"])
    with pytest.raises(InputError, match="one of them"):
        dispatch(["view", str(drawn), "--out", str(out), "--port", "8000"])
    with pytest.raises(InputError, match="is a folder"):
        dispatch(["view", str(drawn), "--out", str(tmp_path)])
    assert not out.exists()
    for name in ("chain.png", "chain.svg.gz", "-"):
        with pytest.raises(InputError, match=f"{name}: the page is HTML; name a file that ends wi"):
            dispatch(["view", str(drawn), "--out", str(tmp_path / name)])
        assert not (tmp_path / name).exists()


@pytest.mark.parametrize("ends", [{"from": "0", "to": 8}, {"to": 8}])
def test_a_summary_that_does_not_say_who_sends_is_refused(
    drawn: Path, tmp_path: Path, ends: dict[str, object]
) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(drawn, broken)
    summary = json.loads((drawn / "summary.json").read_text())
    summary["results"][0]["flows"] = [ends]
    (broken / "summary.json").write_text(json.dumps(summary))
    for words in (["--perfetto", "trace.pf"], ["--out", "page.html"]):
        with pytest.raises(
            InputError, match=r"summary\.json is not one that 'hopwright run' wrote"
        ):
            dispatch(["view", str(broken), words[0], str(tmp_path / words[1])])


def test_a_file_that_is_there_stays(drawn: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    out.write_text("mine")
    with pytest.raises(InputError, match="exists already; add --overwrite"):
        dispatch(["view", str(drawn), "--out", str(out)])
    assert out.read_text() == "mine"
    dispatch(["view", str(drawn), "--out", str(out), "--overwrite"])
    assert told(out.read_text("utf-8"))


def test_the_folder_of_a_page_is_made(drawn: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "one" / "page.html"
    dispatch(["view", str(drawn), "--out", str(out)])
    assert told(out.read_text("utf-8"))
    with pytest.raises(InputError, match="cannot write there: Not a directory"):
        dispatch(["view", str(drawn), "--out", str(out / "page.html")])


def test_a_damaged_file_is_told_of(drawn: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(drawn, broken)
    (broken / "lanes.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(InputError, match=r"lanes\.parquet"):
        dispatch(["view", str(broken), "--out", str(tmp_path / "page.html")])


@pytest.mark.parametrize("name", ["frames", "lanes", "positions", "events", "series"])
def test_a_damaged_file_is_not_served(drawn: Path, tmp_path: Path, name: str) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(drawn, broken)
    file = broken / f"{name}.parquet"
    file.write_bytes(file.read_bytes()[:400])
    with pytest.raises(InputError, match=f"{name}.parquet: is not a complete Parquet file"):
        server([Run.at(broken)])


def test_a_file_of_another_kind_is_told_of(drawn: Path, tmp_path: Path) -> None:
    for name, other, said in (
        ("lanes", "frames", "is of format 'hopwright.frames 1'"),
        ("frames", "series", "says no format"),
    ):
        mixed = tmp_path / name
        shutil.copytree(drawn, mixed)
        shutil.copy(drawn / f"{other}.parquet", mixed / f"{name}.parquet")
        with pytest.raises(InputError, match=rf"{name}\.parquet: {said}"):
            server([Run.at(mixed)])
    mixed = tmp_path / "series"
    shutil.copytree(drawn, mixed)
    shutil.copy(drawn / "frames.parquet", mixed / "series.parquet")
    with pytest.raises(InputError, match=r"series\.parquet: .* no column 'time_s'"):
        dispatch(["view", str(mixed), "--out", str(tmp_path / "page.html")])


def test_several_seeds_must_be_told_apart(tmp_path: Path) -> None:
    out = tmp_path / "several"
    hw.run(hw.load(CHAIN, SHORT), runs=2, out=out)
    with pytest.raises(InputError, match=r"holds several runs; name one of them, such as .*seed-1"):
        dispatch(["view", str(out)])


def test_run_writes_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "seen"
    words = ["run", str(CHAIN), "--set", "duration_s=2", "--view", "--out", str(out)]
    dispatch(words)
    page = out / "view.html"
    assert f"the run as it moves: {page}" in capsys.readouterr().out.replace("\n", " ")
    (run,) = told(page.read_text("utf-8"))
    assert run["lineage"] is True
    # The page is a result: such a folder may be replaced.
    dispatch([*words, "--overwrite"])
    assert page.is_file()
    with pytest.raises(InputError, match="--view writes a file"):
        dispatch(["run", str(CHAIN), "--view", "--json"])


@pytest.fixture
def address(drawn: Path) -> Iterator[str]:
    """Where a run is served."""
    with server([Run.at(drawn)]) as serving:
        thread = threading.Thread(target=serving.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{serving.server_port}"
        serving.shutdown()
        thread.join()


def fetched(address: str, **headers: str) -> tuple[int, bytes, str | None]:
    request = urllib.request.Request(address, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read(), answer.headers["Content-Range"]
    except urllib.error.HTTPError as error:
        with error:
            return error.code, b"", error.headers["Content-Range"]


def test_files_are_served_piece_by_piece(drawn: Path, address: str) -> None:
    status, page, _ = fetched(f"{address}/")
    assert status == 200
    (run,) = told(page.decode())
    assert run["shapes"] is None
    where = f"{address}/files/0/frames.parquet"
    whole = (drawn / "frames.parquet").read_bytes()
    size = len(whole)
    assert fetched(where) == (200, whole, None)
    assert fetched(where, Range="bytes=4-9") == (206, whole[4:10], f"bytes 4-9/{size}")
    said = f"bytes {size - 8}-{size - 1}/{size}"
    assert fetched(where, Range="bytes=-8") == (206, whole[-8:], said)
    assert fetched(where, Range=f"bytes={size - 8}-{size + 99}") == (206, whole[-8:], said)
    assert fetched(where, Range=f"bytes={size}-") == (416, b"", f"bytes */{size}")
    assert fetched(where, Range="bytes=9-4")[0] == 416
    assert fetched(f"{address}/files/0/hearing.parquet", Range="bytes=0-3")[1] == b"PAR1"


def test_nothing_else_is_served(address: str) -> None:
    assert fetched(f"{address}/files/0/scenario.toml")[0] == 404
    assert fetched(f"{address}/files/0/../../secret")[0] == 404
    assert fetched(f"{address}/", Host="elsewhere.example")[0] == 403


def test_a_file_that_cannot_be_read_any_more_is_no_traceback(
    drawn: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    shutil.copytree(drawn, gone)
    with server([Run.at(gone)]) as serving:
        thread = threading.Thread(target=serving.serve_forever, daemon=True)
        thread.start()
        where = f"http://127.0.0.1:{serving.server_port}"
        (gone / "frames.parquet").unlink()
        (gone / "frames.parquet").mkdir()
        assert fetched(f"{where}/files/0/frames.parquet")[0] == 410
        monkeypatch.setattr(serve, "RANGE", None)
        with pytest.raises(http.client.RemoteDisconnected):
            fetched(f"{where}/", Range="bytes=0-1")
        serving.shutdown()
        thread.join()
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("warning: the page could not be answered: AttributeError")


def test_parts_of_large_files_are_where_the_page_is_told(drawn: Path, address: str) -> None:
    (run,) = told(fetched(f"{address}/")[1].decode())
    spans = run["spans"]
    assert isinstance(spans, dict)
    frames = read_parquet(drawn / "frames.parquet").read_all()
    begins = np.asarray(frames.column("from_ns").to_pylist())
    ends = begins + np.asarray(frames.column("lasts_ns").to_pylist())
    (first, last) = spans["frames"][0]
    assert first == pytest.approx(begins[: 1 << 16].min() / 1e9)
    assert last == pytest.approx(ends[: 1 << 16].max() / 1e9)


def test_text_has_no_letter_that_ends_it() -> None:
    every = bytes(range(256)) * 40
    text = to_text(every)
    assert set(text) <= set(ALPHABET)
    assert not set(text) & set('<&" \n')
    assert len(text) < len(every) * 1.235


@pytest.mark.parametrize("length", [*range(28), 10_000])
def test_text_holds_all_bytes(length: int) -> None:
    held = bytes((each * 37 + 200) % 256 for each in range(length))
    text = to_text(held)
    numbers = [
        len(ALPHABET) * ALPHABET.index(high) + ALPHABET.index(low)
        for high, low in zip(text[::2], text[1::2], strict=True)
    ]
    bits = "".join(f"{number:013b}" for number in numbers)
    assert bytes(int(bits[8 * n : 8 * n + 8], 2) for n in range(length)) == held
    assert set(bits[8 * length :]) <= {"0"}
    assert len(bits) - 8 * length < 13


def test_the_page_has_one_place_for_runs() -> None:
    assert (files("hopwright") / "view" / "page.html").read_text("utf-8").count(PLACE) == 1


def test_the_page_is_what_its_source_builds(tmp_path: Path) -> None:
    npx = shutil.which("npx")
    if npx is None or not (VIEWER / "node_modules").is_dir():
        pytest.skip("Node is missing, or viewer/node_modules: make viewer installs them")
    subprocess.run(
        [npx, "vite", "build", "--outDir", str(tmp_path), "--logLevel", "error"],
        cwd=VIEWER,
        check=True,
        timeout=300,
    )
    built = (tmp_path / "index.html").read_text("utf-8")
    committed = (ROOT / "python" / "hopwright" / "view" / "page.html").read_text("utf-8")
    assert built == committed, "make viewer builds the page anew"
