"""What a frame may cost: instructions are counted, so the machine's load does not matter."""

import importlib
import shutil
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]

INSTRUCTIONS_PER_FRAME = 3500
"""Of the 8-hop chain in profile ns2; a tenth more than today."""

GROWTH = 1.1
"""What 400 nodes may cost per frame over what 200 cost, at the same density."""

INSTRUCTIONS_PER_ACK = {"newreno": 1040, "vegas": 1600, "door": 1600}
"""Of a sender: an acknowledgement comes in, and a segment is built and goes out. `newreno` has 6 %
more than it takes today; the others are the heaviest windows."""

INSTRUCTIONS_PER_SWAP = 3000
"""Of putting another mechanism into a slot, its allocation included."""

counts_instructions = pytest.mark.skipif(
    not shutil.which("valgrind"), reason="valgrind is not installed"
)


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "validation")
        return importlib.import_module("bench")


@pytest.fixture(scope="module")
def program(bench: ModuleType) -> Path:
    if not shutil.which("cargo"):
        pytest.skip("cargo is not installed")
    built = bench.build()
    assert isinstance(built, Path)
    return built


@pytest.fixture(scope="module")
def sender(bench: ModuleType) -> Path:
    if not shutil.which("cargo"):
        pytest.skip("cargo is not installed")
    built = bench.build("hopwright-transport", "ack_cost")
    assert isinstance(built, Path)
    return built


@counts_instructions
@pytest.mark.parametrize("protocol", INSTRUCTIONS_PER_ACK)
def test_an_acknowledgement_keeps_its_budget(
    bench: ModuleType, sender: Path, protocol: str
) -> None:
    assert bench.instructions_per_ack(sender, protocol) <= INSTRUCTIONS_PER_ACK[protocol]


@counts_instructions
def test_a_swap_keeps_its_budget(bench: ModuleType, sender: Path) -> None:
    assert bench.instructions_per_swap(sender) <= INSTRUCTIONS_PER_SWAP


@counts_instructions
def test_a_frame_of_the_chain_keeps_its_budget(bench: ModuleType, program: Path) -> None:
    file = ROOT / "scenarios" / "chain.toml"
    found = bench.instructions_per_frame(program, file, 31, 61, "profile=ns2")
    assert found <= INSTRUCTIONS_PER_FRAME


@counts_instructions
def test_a_frame_costs_the_same_however_large_the_network(bench: ModuleType, program: Path) -> None:
    assert bench.density(program, 400) <= GROWTH * bench.density(program, 200)


@counts_instructions
@pytest.mark.parametrize("protocol", ["aodv", "olsr"])
def test_a_frame_costs_the_same_however_many_nodes_move(
    bench: ModuleType, program: Path, protocol: str
) -> None:
    many, few = (bench.moving_density(program, nodes, protocol) for nodes in (1000, 100))
    assert many <= bench.MOST_GROWTH_MOVING[protocol] * few


def test_fifty_moving_nodes_need_little_memory(bench: ModuleType, program: Path) -> None:
    assert bench.peak_kb(program, 60) < bench.MOST_PEAK_KB
