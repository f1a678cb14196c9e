"""A profile as `ipfw` rules: Dummynet, as the document has it (Ghaleb-Seddik 2009, 3.4.1, 3.5.1).

ipfw asks its rules one after another: a rule is reached only by what no rule before it took. So the
probability of a rule is that of its pipe among those that are left, the last one's 1. The document
gives each rule its pipe's own probability, which would leave a part of the traffic without a pipe.
"""

from hopwright._io.plural import many
from hopwright.emulation.sedlane.link_file import Link, Pipe, check_device, comment, plain

FIRST_RULE = 1000


def script(link: Link, device: str | None) -> str:
    """The script."""
    check_device(device)
    usual = f"${{1:-{device}}}" if device else "${1:?name the device where data leaves}"
    last = FIRST_RULE + 2 * (1 if link.mode == "sequential" else len(link.pipes)) - 1
    body = _sequential(link) if link.mode == "sequential" else _simultaneous(link)
    return "\n".join(
        [
            "#!/bin/sh",
            *comment(f"{link.name} for Dummynet: {many(len(link.pipes), 'pipe')}, {link.mode}."),
            *comment("Usage: sh FILE [DEVICE], as root. DEVICE is where data leaves."),
            *comment(
                "Packets that leave there, and packets that arrive there, are delayed by half of "
                "the round-trip time each. Only packets that leave are lost. Dummynet's delays are "
                "whole milliseconds: each delay may be wrong by half a millisecond."
            ),
            *comment(f"To end it: ipfw delete {FIRST_RULE}-{last}; ipfw pipe flush"),
            "set -eu",
            f'device="{usual}"',
            "sysctl net.inet.ip.fw.one_pass=1 # what has taken a pipe takes no second one",
            "",
            *body,
            "",
        ]
    )


def _config(link: Link, number: int, pipe: Pipe, *, is_back: bool) -> str:
    words = [f"ipfw pipe {number} config delay {round(pipe.rtt_ms / 2)}ms"]
    if not is_back:
        words.append(f"plr {plain(pipe.loss_percent / 100, 9)}")
    if pipe.rate_kbps is not None:
        words.append(f"bw {max(round(1e3 * pipe.rate_kbps), 1)}bit/s")
    if link.queue_packets is not None:
        words.append(f"queue {link.queue_packets}")
    return " ".join(words)


def _sequential(link: Link) -> list[str]:
    def both(pipe: Pipe) -> list[str]:
        return [
            _config(link, 1, pipe, is_back=False),
            _config(link, 2, pipe, is_back=True),
        ]

    lines = [
        *both(link.pipes[0]),
        f'ipfw add {FIRST_RULE} pipe 1 ip from any to any out via "$device"',
        f'ipfw add {FIRST_RULE + 1} pipe 2 ip from any to any in via "$device"',
    ]
    if len(link.pipes) == 1:
        return lines
    indent = "    " if link.repeats else ""
    if link.repeats:
        lines.append("while true; do")
    for pipe, after in zip(link.pipes, [*link.pipes[1:], None], strict=True):
        if after is None and not link.repeats:
            lines.append("# The last one stays.")
            break
        lines.append(f"{indent}sleep {plain(pipe.lifetime_s)}")
        lines += [indent + each for each in both(after or link.pipes[0])]
    if link.repeats:
        lines.append("done")
    return lines


def _simultaneous(link: Link) -> list[str]:
    lines = []
    pipes = [pipe for pipe in link.pipes if pipe.probability > 0]
    left = sum(pipe.probability for pipe in pipes)
    for place, pipe in enumerate(pipes):
        is_last = place == len(pipes) - 1
        chance = "" if is_last else f"prob {plain(pipe.probability / left, 9)} "
        left -= pipe.probability
        for way, is_back in (("out", False), ("in", True)):
            number = 2 * place + 1 + is_back
            lines.append(_config(link, number, pipe, is_back=is_back))
            rule = FIRST_RULE + 2 * place + is_back
            lines.append(
                f'ipfw add {rule} {chance}pipe {number} ip from any to any {way} via "$device"'
            )
    return lines
