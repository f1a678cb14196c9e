"""Refused scenarios: one answer, exit code 2, and nothing written."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from hopwright import _core
from processes import Hopwright


def numbers(schema: dict[str, Any], key: str = "") -> dict[str, tuple[float, float]]:
    """What each number of a plain table may be, by the schema of the program itself."""
    found: dict[str, tuple[float, float]] = {}
    for name, inner in schema["properties"].items():
        path = f"{key}.{name}" if key else name
        if "properties" in inner:
            found |= numbers(inner, path)
        elif inner.get("type") in {"integer", "number"} and "maximum" in inner:
            least = inner.get("minimum", inner.get("exclusiveMinimum"))
            found[path] = (float(least), float(inner["maximum"]))
    return found


LIMITS = numbers(json.loads(_core.schema_json()))


@pytest.mark.parametrize("key", random.Random(1).sample(sorted(LIMITS), 8))
def test_a_number_beyond_its_limits_ends_with_two_and_leaves_nothing(
    chain: Path, hopwright: Hopwright, key: str
) -> None:
    least, most = LIMITS[key]
    protocol = key.split(".")[1] if key.startswith("routing.") else "static"
    for value in (most * 1.01 + 1, least - 1):
        sets = ("--set", f"routing.protocol={protocol}", "--set", f"{key}={value!r}")
        for words in (("check",), ("run", "--out", "result"), ("run", "--json")):
            done = hopwright(*words, chain, *sets)
            assert (done.returncode, done.stdout) == (2, ""), (words, done)
            assert key in done.stderr
            assert "a fault of this program" not in done.stderr
            assert list(chain.parent.iterdir()) == [chain]
