"""Shards of a sweep, on several machines, and their merging."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from hopwright._io.errors import InputError
from hopwright.sweeps.journal import Journal
from hopwright.sweeps.merge import merge
from processes import Hopwright
from sweeping import frame, swept


@pytest.mark.parametrize("options", [{}, {"until": 0.2, "runs": 2, "most_runs": 9}])
def test_shards_together_are_the_whole(
    chain: Path, tmp_path: Path, options: dict[str, Any]
) -> None:
    whole = swept(chain, **options)
    parts = [tmp_path / str(part) for part in (1, 2, 3)]
    done = [swept(chain, out, shard=(i, 3), **options) for i, out in enumerate(parts, start=1)]
    assert sum(part.runs for part in done) == whole.runs
    assert all(part.runs for part in done)
    merged = merge(parts[::-1], tmp_path / "all")
    assert frame(merged).equals(frame(whole))
    assert merged.missing == []
    assert pl.read_parquet(tmp_path / "all" / "results.parquet").equals(pl.DataFrame(merged.table))
    assert merged.vary == whole.vary
    assert (tmp_path / "all" / "given.toml").read_text() == (parts[0] / "given.toml").read_text()


def test_shards_share_the_runs_evenly(chain: Path, tmp_path: Path) -> None:
    done = [swept(chain, tmp_path / str(i), shard=(i, 3)) for i in (1, 2, 3)]
    assert [part.runs for part in done] == [6, 6, 6]
    more = [swept(chain, tmp_path / str(i), shard=(i, 3), runs=4, resume=True) for i in (1, 2, 3)]
    assert [part.runs for part in more] == [8, 8, 8]
    fewer = {"topology.hops": [3, 4]}
    done = [swept(chain, tmp_path / f"f{i}", shard=(i, 3), vary=fewer) for i in (1, 2, 3)]
    assert [part.runs for part in done] == [2, 2, 2]


def test_merging_says_what_is_missing_and_the_rest_can_be_done(
    chain: Path, tmp_path: Path, hopwright: Hopwright, wanted: pl.DataFrame
) -> None:
    swept(chain, tmp_path / "1", shard=(1, 2))
    swept(chain, tmp_path / "few", shard=(1, 9))
    told = hopwright("sweep", "--merge", tmp_path / "1", "--out", tmp_path / "all")
    assert told.returncode == 1
    missing = told.stderr.splitlines()
    assert missing[0] == "hopwright: 9 runs are missing; the table has the others:"
    first = "  point 1 of 6 (topology.hops=3, flows.transport.protocol=reno), seed "
    assert missing[1].startswith(first)
    assert len(missing) == 10
    few = hopwright("sweep", "--merge", tmp_path / "few", "--out", tmp_path / "some").stderr
    assert few.splitlines()[0].endswith(" 17 runs are missing; the table has the others:")
    assert few.splitlines()[11:] == ["  and 7 more"]
    assert pl.read_parquet(tmp_path / "all" / "results.parquet").height == 9
    assert frame(swept(chain, tmp_path / "all", resume=True)).equals(wanted)


def test_merging_what_does_not_belong_together_is_refused(chain: Path, tmp_path: Path) -> None:
    one, two, other = tmp_path / "1", tmp_path / "2", tmp_path / "3"
    swept(chain, one, shard=(1, 2))
    swept(chain, two, shard=(2, 2))
    swept(chain, other, shard=(2, 2), overrides={"duration_s": 3.0})
    with pytest.raises(InputError, match=r"3: holds another sweep than .*1:\n.*duration_s"):
        merge([one, other], tmp_path / "all")
    with pytest.raises(InputError, match="name the folder of a sweep"):
        merge([one, tmp_path / "4"], tmp_path / "all")
    with pytest.raises(InputError, match="is one of the parts"):
        merge([one, two], two)
    with pytest.raises(InputError, match="3: holds a sweep; replace it with overwrite=True, or"):
        merge([one, two], other)
    more = tmp_path / "more"
    swept(chain, more, shard=(2, 2), runs=4)
    for parts in ([one, more], [more, one]):
        with pytest.raises(InputError, match="  runs: 4 then, 3 now"):
            merge(parts, tmp_path / "all")
    with Journal(one / "runs.jsonl", write=False) as journal:
        known = journal.read()
    with Journal(two / "runs.jsonl") as journal:
        journal.clear()
        run, result = next(iter(known.items()))
        journal.append(run, result.replace('"events":', '"events":1'))
    with pytest.raises(InputError, match=r"has another result of point \d of 6 \(.*\), seed"):
        merge([one, two], tmp_path / "all")
    assert not (tmp_path / "all").exists()
    # The same result twice is no contradiction, even if it took longer there.
    with Journal(two / "runs.jsonl") as journal:
        journal.clear()
        for run, result in known.items():
            journal.append(run, result.replace('"wall_s":', '"wall_s":1'))
    assert merge([one, two], tmp_path / "all").runs == 9
