"""A profile as mahimahi's shells within shells: mm-delay, mm-loss and mm-link.

mm-delay has one delay and mm-loss one probability for as long as they run, so only a profile with
one pipe can be expressed: what has more is refused.
"""

from hopwright._io.errors import InputError
from hopwright._io.plural import many
from hopwright.emulation.sedlane.link_file import Link, check_device, plain

PACKET_BITS = 1500 * 8
"""What mm-link sends at an opportunity."""
SPAN_MS = 10_000
"""Of its file, which begins anew at its end."""
MOST_KBPS = 10_000_000.0


def script(link: Link, device: str | None) -> str:
    """The script. Raises `InputError` for what mahimahi cannot say."""
    if device is not None:
        check_device(device)
        raise InputError("--device: mahimahi has no devices: a program runs inside its shells")
    if len(link.pipes) > 1:
        raise InputError(
            "profile.pipes: mm-delay has one delay for as long as it runs, and there are "
            f"{len(link.pipes)} pipes: make the profile with --pipes 1, or use --to netem"
        )
    pipe = link.pipes[0]
    lines = [
        "#!/bin/sh",
        f"# {link.name} for mahimahi: one pipe.",
        "# Usage: sh FILE COMMAND...: a program that sends its data up, to the world outside.",
        "# Each direction has half of the round-trip time (whole milliseconds); only data is lost.",
        "set -eu",
        '[ $# -gt 0 ] || { echo "usage: sh FILE COMMAND..." >&2; exit 2; }',
    ]
    shells = [f"mm-delay {round(pipe.rtt_ms / 2)}"]
    if pipe.loss_percent > 0:
        shells.append(f"mm-loss uplink {plain(pipe.loss_percent / 100, 9)}")
    if pipe.rate_kbps is None:
        if link.queue_packets is not None:
            raise InputError("queue_packets: only mm-link has a queue, which needs a rate_kbps")
    else:
        lines += _opportunities(pipe.rate_kbps)
        shells.append('mm-link "$folder/link" "$folder/link"')
        if link.queue_packets is not None:
            queue = f'"packets={link.queue_packets}"'
            shells[-1] += f" --uplink-queue=droptail --uplink-queue-args={queue}"
            shells[-1] += f" --downlink-queue=droptail --downlink-queue-args={queue}"
    command = " ".join([*shells, '"$@"'])
    return "\n".join([*lines, command if pipe.rate_kbps is not None else f"exec {command}", ""])


def _opportunities(rate_kbps: float) -> list[str]:
    """A file of mm-link: the milliseconds in which a packet of 1500 bytes can leave."""
    if rate_kbps > MOST_KBPS:
        raise InputError(f"rate_kbps: {rate_kbps:g} is more than mm-link's file can hold")
    # As many milliseconds as the packets take, ten seconds at least.
    count = max(round(rate_kbps * SPAN_MS / PACKET_BITS), 1)
    span_ms = max(round(count * PACKET_BITS / rate_kbps), 1)
    kbps = plain(count * PACKET_BITS / span_ms, 3)
    times = f"for (n = 1; n <= {count}; n++) print int(n * {span_ms} / {count})"
    return [
        "folder=$(mktemp -d)",
        "trap 'rm -r \"$folder\"' EXIT",
        f"# {many(count, 'packet')} of 1500 bytes in {span_ms} ms: {kbps} kb/s",
        f"awk 'BEGIN {{ {times} }}' > \"$folder/link\"",
    ]
