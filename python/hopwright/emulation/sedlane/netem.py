"""A profile as a script of `tc qdisc` commands: Linux's netem.

One after the other, pipes are `tc qdisc change` and a pause. All at once, netem has one delay with
a jitter of any distribution: the pipes' delays and probabilities become a table of 16-bit numbers,
in units of an 8192nd of the jitter (tc-netem(8), net/sched/sch_netem.c), so that delays are right
to a 30,000th of their span and probabilities to a 4096th.
"""

from hopwright._io.errors import InputError
from hopwright._io.plural import many
from hopwright.emulation.sedlane.link_file import Link, Pipe, check_device, comment, plain

LIMIT = 100_000
"""Packets: netem counts those that it delays, and must not drop them for that."""
TABLE = 4096
SCALE, MOST = 8192, 32767
"""Of netem: a table's unit, and its largest number."""
PER_LINE = 16

USAGE = (
    "Usage: sh FILE [FORWARD [BACK]], as root. FORWARD is where data leaves, BACK where "
    "acknowledgements leave. Each delays packets by half of the round-trip time; losses are on "
    "FORWARD. Without BACK, FORWARD has the whole delay."
)
END = "To end it: tc qdisc del dev FORWARD root (and BACK)."
OVERTAKING = (
    "A packet that leaves just after the delay has become shorter may overtake the packet before "
    "it. tc takes some milliseconds for each change, which the lifetimes here do not include."
)
NEARLY = (
    "Approximately, not exactly: tc cannot draw a pipe for a packet. It draws a packet's delay "
    "from a table with the delays and probabilities of the pipes. The loss of a packet does not "
    "depend on this delay: all packets are lost with the mean loss rate of the pipes. With BACK, "
    "each direction draws its half of the delay: round-trip times then vary less."
)


def script(link: Link, device: str | None) -> str:
    """The script. Raises `InputError` for what tc cannot say."""
    check_device(device)
    if link.queue_packets is not None:
        raise InputError(
            "queue_packets: netem's limit counts packets that it delays, so it cannot say how many "
            "may wait: omit queue_packets, or use --to dummynet"
        )
    body = _sequential(link) if link.mode == "sequential" else _simultaneous(link)
    return "\n".join([*_head(link, device), *body, ""])


def _head(link: Link, device: str | None) -> list[str]:
    said = [f"{link.name} for netem: {many(len(link.pipes), 'pipe')}, {link.mode}.", USAGE, END]
    said.append(OVERTAKING if link.mode == "sequential" else NEARLY)
    notes = [line for text in said for line in comment(text)]
    usual = f"${{1:-{device}}}" if device else "${1:?name the device where data leaves}"
    return [
        "#!/bin/sh",
        *notes,
        "set -eu",
        f'forward="{usual}"',
        'back="${2:-}"',
        "",
    ]


def _sequential(link: Link) -> list[str]:
    netem = f"root netem limit {LIMIT}"
    lines = [
        "# pipe VERB RTT_MS HALF_MS LOSS RATE",
        "pipe() {",
        '    if [ -z "$back" ]; then',
        f'        tc qdisc "$1" dev "$forward" {netem} delay "$2ms" loss "$4%" rate "$5"',
        "    else",
        f'        tc qdisc "$1" dev "$forward" {netem} delay "$3ms" loss "$4%" rate "$5"',
        f'        tc qdisc "$1" dev "$back" {netem} delay "$3ms" loss 0% rate "$5"',
        "    fi",
        "}",
        "",
        _pipe("replace", link.pipes[0]),
    ]
    if len(link.pipes) == 1:
        return lines
    # The first again at the beginning of each round: it was put there before.
    if link.repeats:
        lines.append("while true; do")
    indent = "    " if link.repeats else ""
    for pipe, after in zip(link.pipes, [*link.pipes[1:], None], strict=True):
        if after is None and not link.repeats:
            lines.append("# The last one stays.")
            break
        lines.append(f"{indent}sleep {plain(pipe.lifetime_s)}")
        lines.append(indent + _pipe("change", after or link.pipes[0]))
    if link.repeats:
        lines.append("done")
    return lines


def _pipe(verb: str, pipe: Pipe) -> str:
    rate = 0 if pipe.rate_kbps is None else max(round(1e3 * pipe.rate_kbps), 8)
    loss = plain(pipe.loss_percent)
    return f"pipe {verb} {plain(pipe.rtt_ms)} {plain(pipe.rtt_ms / 2)} {loss} {rate}bit"


def _simultaneous(link: Link) -> list[str]:
    if any(pipe.rate_kbps != link.pipes[0].rate_kbps for pipe in link.pipes):
        raise InputError(
            "profile.pipes: netem cannot draw a rate for each packet: leave rate_kbps out, give "
            "all pipes the same, or use --to dummynet"
        )
    loss = sum(pipe.probability * pipe.loss_percent for pipe in link.pipes)
    rate = link.pipes[0].rate_kbps
    of_rate = "" if rate is None else f" rate {max(round(1e3 * rate), 8)}bit"
    least = min(pipe.rtt_ms for pipe in link.pipes)
    most = max(pipe.rtt_ms for pipe in link.pipes)
    if least == most:
        shape = (f"delay {plain(least)}ms", f"delay {plain(least / 2)}ms")
        lines = []
    else:
        centre, jitter = (least + most) / 2, (most - least) / 2 * SCALE / MOST
        table = _table(link.pipes, centre, jitter)
        rows = [" ".join(map(str, table[n : n + PER_LINE])) for n in range(0, TABLE, PER_LINE)]
        lines = [
            "TC_LIB_DIR=$(mktemp -d)",
            "export TC_LIB_DIR",
            "trap 'rm -r \"$TC_LIB_DIR\"' EXIT",
            'cat > "$TC_LIB_DIR/pipes.dist" <<END',
            *rows,
            "END",
        ]
        shape = (
            f"delay {plain(centre)}ms {plain(jitter)}ms distribution pipes",
            f"delay {plain(centre / 2)}ms {plain(jitter / 2)}ms distribution pipes",
        )
    first = f"netem limit {LIMIT}"
    return [
        *lines,
        'if [ -z "$back" ]; then',
        f'    tc qdisc replace dev "$forward" root {first} {shape[0]} loss {plain(loss)}%{of_rate}',
        "else",
        f'    tc qdisc replace dev "$forward" root {first} {shape[1]} loss {plain(loss)}%{of_rate}',
        f'    tc qdisc replace dev "$back" root {first} {shape[1]}{of_rate}',
        "fi",
    ]


def _table(pipes: tuple[Pipe, ...], centre: float, jitter: float) -> list[int]:
    """What netem draws from: a delay is the centre and so many 8192nds of jitter."""
    # The largest remainders get what is left; who has any probability has a place.
    shares = [pipe.probability * TABLE for pipe in pipes]
    counts = [max(int(share), 1) if share > 0 else 0 for share in shares]
    by_need = sorted(range(len(pipes)), key=lambda n: counts[n] - shares[n])
    while sum(counts) < TABLE:
        for n in by_need[: TABLE - sum(counts)]:
            counts[n] += 1
    while sum(counts) > TABLE:
        counts[max(range(len(pipes)), key=counts.__getitem__)] -= 1
    values = [round((pipe.rtt_ms - centre) / jitter * SCALE) for pipe in pipes]
    return [
        max(-MOST, min(MOST, value))
        for value, count in sorted(zip(values, counts, strict=True))
        for _ in range(count)
    ]
