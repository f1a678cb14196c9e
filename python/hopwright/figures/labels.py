"""What a setting is called on an axis: the scenario's keys, as people read them."""

from hopwright.metrics import METRICS, metric

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


def label(column: str) -> str:
    """`data rate (Mb/s)` for `mac.data_rate_mbps`; a metric's own label for a metric."""
    if any(known.key == column for known in METRICS):
        return metric(column).label
    word, unit = _parted(column)
    word = ENDS.get(word, word)
    return f"{word} ({unit})" if unit else word


def setting(column: str, value: object) -> str:
    """What a series with that value is called: a word is enough, a number needs its key."""
    if isinstance(value, str):
        return value
    word, unit = _parted(column)
    if isinstance(value, bool):
        return f"{word} {'on' if value else 'off'}"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return f"{word} {text} {unit}".rstrip()


def _parted(column: str) -> tuple[str, str]:
    last = column.rpartition(".")[2]
    end = "_" + last.rpartition("_")[2]
    unit = UNITS.get(end, "") if end != f"_{last}" else ""
    word = last.removesuffix(end) if unit else last
    return word.replace("_", " "), unit
