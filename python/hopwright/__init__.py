"""Transport protocols over wireless multi-hop networks, simulated.

>>> import hopwright
>>> scenario = hopwright.load("scenarios/chain.toml", {"flows.transport.protocol": "reno"})
>>> summary = hopwright.run(scenario, runs=5)
>>> swept = hopwright.sweep("scenarios/chain.toml", {"topology.hops": [4, 8]}, runs=5)
"""

from hopwright import _core
from hopwright._core import RunError, Scenario, ScenarioError
from hopwright.errors import InputError, UnfinishedError
from hopwright.runs import load, run
from hopwright.sweeps import sweep

__version__ = _core.version()

__all__ = [
    "InputError",
    "RunError",
    "Scenario",
    "ScenarioError",
    "UnfinishedError",
    "__version__",
    "load",
    "run",
    "sweep",
]
