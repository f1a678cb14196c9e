"""What can be computed by hand: a lone sender's cycle, and saturation after Bianchi.

Spec  G. Bianchi, IEEE JSAC 18(3), 2000, equations (7), (9), (12) to (14) and (17)
"""

from dataclasses import dataclass

SLOT_US = 20.0
SIFS_US = 10.0
DIFS_US = 50.0
PREAMBLE_US = 192.0
BASIC_MBPS = 1.0
DATA_MBPS = 2.0
RTS_US = PREAMBLE_US + 20 * 8 / BASIC_MBPS
CTS_US = ACK_US = PREAMBLE_US + 14 * 8 / BASIC_MBPS
EIFS_US = SIFS_US + ACK_US + DIFS_US
WINDOW = 32
"""Bianchi's W: counters are drawn from {0..W-1}."""
DOUBLINGS = 5
UDP_IP_BYTES = 28
METRES_PER_US = 299.792458


@dataclass(frozen=True)
class Cell:
    """Stations that all send to one receiver at the same distance."""

    payload_bytes: int
    header_bytes: int
    mean_backoff_slots: float
    distance_m: float
    rts: bool

    @property
    def delay_us(self) -> float:
        """From a station to the receiver."""
        return self.distance_m / METRES_PER_US

    @property
    def data_us(self) -> float:
        """A data frame in the air."""
        size = self.header_bytes + UDP_IP_BYTES + self.payload_bytes
        return PREAMBLE_US + size * 8 / DATA_MBPS

    @property
    def exchange_us(self) -> float:
        """From the first bit sent until the sender has the acknowledgement."""
        data = self.data_us + SIFS_US + ACK_US + 2 * self.delay_us
        reservation = RTS_US + CTS_US + 2 * SIFS_US + 2 * self.delay_us
        return reservation + data if self.rts else data

    @property
    def cycle_us(self) -> float:
        """A lone saturated sender's mean time per packet."""
        return DIFS_US + SLOT_US * self.mean_backoff_slots + self.exchange_us

    def saturation_bps(self, stations: int, *, eifs: bool = False) -> float:
        """Payload received when every station always has a packet.

        With `eifs`, a collision is followed by EIFS in place of DIFS.
        """
        tau = attempt_probability(stations)
        some = 1 - (1 - tau) ** stations
        alone = stations * tau * (1 - tau) ** (stations - 1)
        success = self.exchange_us + DIFS_US
        first = RTS_US if self.rts else self.data_us
        collision = first + self.delay_us + (EIFS_US if eifs else DIFS_US)
        slot = (1 - some) * SLOT_US + alone * success + (some - alone) * collision
        return alone * self.payload_bytes * 8 / slot * 1e6


def attempt_probability(stations: int) -> float:
    """Bianchi's tau: the share of slots in which a station sends."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        collided = 1 - (1 - middle) ** (stations - 1)
        if _sending(collided) > middle:
            low = middle
        else:
            high = middle
    return low


def _sending(p: float) -> float:
    """Bianchi's (7), with the geometric sum written out: no 0/0 at p = 1/2."""
    stages = sum((2 * p) ** k for k in range(DOUBLINGS))
    return 2 / (1 + WINDOW + p * WINDOW * stages)
