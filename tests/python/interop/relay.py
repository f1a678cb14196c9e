"""A wire between two namespaces that loses, delays, reorders and duplicates packets.

    relay.py --left k0 --right r0 [--loss PERCENT] [--reorder PERCENT] [--duplicate PERCENT]
             [--delay-ms MS] [--seed N]

Makes two TUN devices in the namespace it runs in and passes packets between them, each way through
the same mischief. It prints "ready" when both exist; a device may then be moved to another
namespace. A line "loss 100" on its input changes the loss, so that a test can cut the wire.
"""

import argparse
import fcntl
import heapq
import itertools
import os
import random
import select
import struct
import sys
import time
from dataclasses import dataclass

TUNSETIFF = 0x400454CA
IFF_TUN = 0x0001
IFF_NO_PI = 0x1000

REORDER_DELAY_S = 0.01
"""How long a packet waits that others shall overtake."""

MTU = 65536


@dataclass
class Mischief:
    """What happens to packets, in percent of them."""

    loss: float
    reorder: float
    duplicate: float
    delay_s: float


def open_tun(name: str) -> int:
    """A TUN device's file descriptor, packets without a header in front."""
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    return device


def main() -> None:
    """Relays until its input ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--left", required=True)
    parser.add_argument("--right", required=True)
    parser.add_argument("--loss", type=float, default=0)
    parser.add_argument("--reorder", type=float, default=0)
    parser.add_argument("--duplicate", type=float, default=0)
    parser.add_argument("--delay-ms", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    mischief = Mischief(options.loss, options.reorder, options.duplicate, options.delay_ms / 1000)
    left, right = open_tun(options.left), open_tun(options.right)
    print("ready", flush=True)
    relay(left, right, mischief, random.Random(options.seed))


def relay(left: int, right: int, mischief: Mischief, chance: random.Random) -> None:
    """Passes packets between two devices until standard input ends."""
    control = sys.stdin.fileno()
    waiting: list[tuple[float, int, int, bytes]] = []
    order = itertools.count()
    other = {left: right, right: left}
    while True:
        now = time.monotonic()
        while waiting and waiting[0][0] <= now:
            _, _, device, packet = heapq.heappop(waiting)
            put(device, packet)
        timeout = max(0.0, waiting[0][0] - now) if waiting else None
        ready, _, _ = select.select([control, left, right], [], [], timeout)
        if control in ready:
            line = os.read(control, 1000)
            if not line:
                return
            word, value = line.split()[:2]
            setattr(mischief, word.decode(), float(value))
            ready.remove(control)
        for device in ready:
            try:
                packet = os.read(device, MTU)
            except OSError:
                continue  # nothing there after all, or the device is down
            for _ in range(1 + (chance.random() * 100 < mischief.duplicate)):
                if chance.random() * 100 < mischief.loss:
                    continue
                late = REORDER_DELAY_S if chance.random() * 100 < mischief.reorder else 0.0
                if late or mischief.delay_s:
                    at = time.monotonic() + mischief.delay_s + late
                    heapq.heappush(waiting, (at, next(order), other[device], packet))
                else:
                    put(other[device], packet)


def put(device: int, packet: bytes) -> None:
    """Writes a packet; a device that is down or full loses it, as a wire would."""
    try:
        os.write(device, packet)
    except OSError:
        return


if __name__ == "__main__":
    main()
