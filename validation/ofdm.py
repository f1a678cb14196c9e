"""Rows on the rates of 802.11a and 802.11g: saturation against ns-3."""

from collections.abc import Iterator
from functools import partial

import reference
from own import Lab, ofdm_star
from rows import Entry, Row, compare

SEEDS = 10
TOLERANCE = 0.02


def saturation() -> Iterator[Entry]:
    """Every row of ns-3's table; five stations with EIFS, too, for information."""
    for row in reference.read(reference.HERE / "ns3" / "saturation.csv"):
        station = f"{row['standard']}/{row['slot_us']}us/{row['mbps']}/{row['stations']}"
        yield Entry(f"saturation/ns3/{station}", partial(_against, row, "never", TOLERANCE))
        if row["stations"] == "5":
            name = f"saturation/ns3/{station}/eifs"
            yield Entry(name, partial(_against, row, "instead-of-difs", None))


def _against(row: dict[str, str], eifs: str, tolerance: float | None, lab: Lab) -> Row:
    scenario = ofdm_star(
        int(row["stations"]), row["standard"], int(row["mbps"]), int(row["slot_us"]), eifs
    )
    own = lab.sample(scenario, SEEDS, "flows", "received_bps")
    other = reference.sample_of(row, "received_bps")
    return compare(own, other, tolerance)
