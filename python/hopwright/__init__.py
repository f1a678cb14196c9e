"""Transport protocols over wireless multi-hop networks, simulated.

>>> import hopwright
>>> scenario = hopwright.load("scenarios/chain.toml", {"flows.transport.protocol": "reno"})
>>> summary = hopwright.run(scenario, runs=5)
>>> protocols = {"flows.transport.protocol": ["reno", "vegas"]}
>>> found = hopwright.compare("scenarios/chain.toml", protocols, baseline="reno")
"""

from hopwright import _core
from hopwright._core import RunError, Scenario, ScenarioError
from hopwright.comparisons import compare
from hopwright.errors import InputError
from hopwright.runs import load, run
from hopwright.sweeps import sweep

__version__ = _core.version()

__all__ = [
    "InputError",
    "RunError",
    "Scenario",
    "ScenarioError",
    "__version__",
    "compare",
    "load",
    "run",
]
