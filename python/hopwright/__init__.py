"""Transport protocols over wireless multi-hop networks, simulated.

>>> import hopwright as hw
>>> chain = hw.Scenario(
...     duration_s=30,
...     topology=hw.Chain(hops=4),
...     flows=[hw.BulkFlow(from_=0, to=4, transport=hw.Tcp(protocol="reno"))],
... )
>>> results = hw.run(chain, runs=5)
>>> protocols = {"flows.transport.protocol": ["reno", "vegas"]}
>>> sweep = hw.sweep(chain, protocols, runs=5)
>>> comparison = hw.compare(chain, protocols, baseline="reno")

Tables are Arrow tables: polars, pandas (with pyarrow) and DuckDB take them without copying.
"""

import importlib as _importlib
import typing as _typing

from hopwright import _core
from hopwright._core import RunError, ScenarioError
from hopwright._io.errors import HopwrightWarning, InputError, StarvationWarning, UnfinishedError
from hopwright.runs.run import load, run

if _typing.TYPE_CHECKING:
    from hopwright import scenario as _scenario
    from hopwright.comparisons import Comparison, compare
    from hopwright.emulation.control import Control
    from hopwright.runs.results import Results
    from hopwright.runs.simulation import Simulation
    from hopwright.scenario import *  # noqa: F403
    from hopwright.sweeps import Range, Sweep, sweep

__version__ = _core.version()

__all__ = [
    "Comparison",
    "Control",
    "HopwrightWarning",
    "InputError",
    "Range",
    "Results",
    "RunError",
    "ScenarioError",
    "Simulation",
    "StarvationWarning",
    "Sweep",
    "UnfinishedError",
    "__version__",
    "compare",
    "load",
    "run",
    "sweep",
]
if _typing.TYPE_CHECKING:
    __all__ += _scenario.__all__

_HOMES = {
    "Comparison": "hopwright.comparisons",
    "Control": "hopwright.emulation.control",
    "Range": "hopwright.sweeps",
    "Results": "hopwright.runs.results",
    "Simulation": "hopwright.runs.simulation",
    "Sweep": "hopwright.sweeps",
    "compare": "hopwright.comparisons",
    "sweep": "hopwright.sweeps",
}
"""Where names are that not every program needs; all others are tables of the scenario."""


def __getattr__(name: str) -> object:
    """What is imported when it is first used, so that the command line starts at once."""
    # Tables have capitals. Modules have none: `from hopwright import commands` asks here first.
    if name not in _HOMES and not name[:1].isupper():
        raise AttributeError(f"module 'hopwright' has no attribute '{name}'")
    home = _importlib.import_module(_HOMES.get(name, "hopwright.scenario"))
    if name not in _HOMES and name not in home.__all__:
        raise AttributeError(f"module 'hopwright' has no attribute '{name}'")
    value: object = getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """What there is to use: what this module is made of is nobody's."""
    return sorted({*__all__, *_importlib.import_module("hopwright.scenario").__all__})
