"""What a setting is called on an axis: the scenario's keys, as people read them."""

from collections.abc import Collection

from hopwright.results.metrics import metrics

UNITS = {
    "_s": "s",
    "_ms": "ms",
    "_m": "m",
    "_mps": "m/s",
    "_mbps": "Mb/s",
    "_kbps": "kb/s",
    "_bps": "b/s",
    "_bytes": "bytes",
    "_packets": "packets",
    "_segments": "segments",
    "_db": "dB",
    "_dbm": "dBm",
    "_mhz": "MHz",
}
"""Of a key, by its end."""

ENDS = {"from": "source node", "to": "destination node"}
"""Of a flow: a single word on an axis says too little."""


def label(column: str, among: Collection[str] = ()) -> str:
    """`data rate (Mb/s)` for `mac.data_rate_mbps`; a metric's own label for a metric.

    `among` columns that end alike, it says what tells them apart: `routing protocol`.
    """
    known = metrics().get(column)
    if known is not None:
        return known.label
    word, unit = _parted(column)
    word = _before(column, among) + ENDS.get(word, word)
    return f"{word} ({unit})" if unit else word


def setting(column: str, value: object, among: Collection[str] = ()) -> str:
    """What a series with that value is called: a protocol's name is enough, else it needs its key.

    `among`: as for `label`.
    """
    word, unit = _parted(column)
    if isinstance(value, str) and word == "protocol":
        return value
    word = _before(column, among) + word
    if isinstance(value, bool):
        return f"{word} {'on' if value else 'off'}"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return f"{word} {text} {unit}".rstrip()


def _before(column: str, among: Collection[str]) -> str:
    """Of a key's steps before the last those that no other key among these has there, too."""
    steps = column.split(".")
    others = [other.split(".") for other in among if other != column]
    count = 1
    while count < len(steps) and any(other[-count:] == steps[-count:] for other in others):
        count += 1
    if steps[-count].isdigit():
        count += 1  # a number says of what: `flows 0`
    return "".join(f"{step.replace('_', ' ')} " for step in steps[-count:-1])


def _parted(column: str) -> tuple[str, str]:
    last = column.rpartition(".")[2]
    end = "_" + last.rpartition("_")[2]
    unit = UNITS.get(end, "") if end != f"_{last}" else ""
    word = last.removesuffix(end) if unit else last
    return word.replace("_", " "), unit
