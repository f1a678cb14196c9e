"""Runs ns-3 and renews the tables of its answers beside this file.

    python validation/ns3/ask.py [saturation] [ofdm_errors]

Needs a C++ compiler and Debian's `libns3-dev` and `libgsl-dev`; the programs are made in a
temporary folder. Without a name, both tables.
"""

import argparse
import csv
import subprocess
import tempfile
from itertools import product
from pathlib import Path
from statistics import fmean, stdev

HERE = Path(__file__).resolve().parent
LIBRARIES = [
    f"ns3-{part}" for part in ("wifi", "internet", "applications", "mobility", "network", "core")
]

SLOTS_US = {"802.11a": (9,), "802.11g": (9, 20)}
RATES_MBPS = (6, 24, 54)
STATIONS = (1, 2, 5)
SECONDS = 22
SEEDS = range(1, 11)


def main() -> None:
    """Makes the tables that are asked for."""
    tables = {"saturation": _saturation, "ofdm_errors": _errors}
    parser = argparse.ArgumentParser(description="Renews the tables of ns-3's answers.")
    parser.add_argument("tables", nargs="*", metavar="NAME", help=f"of {', '.join(tables)} [both]")
    wanted: list[str] = parser.parse_args().tables or list(tables)
    for name in wanted:
        if name not in tables:
            parser.error(f"no table called {name}: {', '.join(tables)}")
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted:
            tables[name](_made(name, Path(folder)))


def _made(name: str, folder: Path) -> Path:
    """The program of a source beside this file."""
    program = folder / name
    flags = ["pkg-config", "--cflags", "--libs", *LIBRARIES]
    found = subprocess.run(flags, check=True, capture_output=True, text=True).stdout.split()
    source = HERE / f"{name}.cc"
    subprocess.run(["g++", "-O2", "-std=c++17", source, "-o", program, *found], check=True)
    return program


def _saturation(program: Path) -> None:
    """Payload received by a receiver of saturated senders: mean and deviation over the seeds."""
    with (HERE / "saturation.csv").open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        counted = ["n", "received_bps_mean", "received_bps_sd"]
        table.writerow(["standard", "mbps", "slot_us", "stations", *counted])
        for standard, slots in SLOTS_US.items():
            for slot, mbps, stations in product(slots, RATES_MBPS, STATIONS):
                row = [standard, str(mbps), str(slot), str(stations)]
                found = [_received(program, [*row, str(SECONDS), str(seed)]) for seed in SEEDS]
                table.writerow([*row, len(found), f"{fmean(found):.1f}", f"{stdev(found):.1f}"])
                file.flush()


def _received(program: Path, arguments: list[str]) -> float:
    done = subprocess.run([program, *arguments], check=True, capture_output=True, text=True)
    return float(done.stdout)


def _errors(program: Path) -> None:
    """Chances of frames by rate and signal-to-noise ratio, as the program prints them."""
    done = subprocess.run([program], check=True, capture_output=True, text=True)
    (HERE / "ofdm-errors.csv").write_text(done.stdout)


if __name__ == "__main__":
    main()
