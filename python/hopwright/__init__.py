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

# Checkers of types know this name; `typing` itself takes longer to load than all the rest here.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from hopwright._core import RunError, ScenarioError
    from hopwright._io.errors import (
        HopwrightWarning,
        InputError,
        StarvationWarning,
        UnfinishedError,
    )
    from hopwright.comparisons import Comparison, compare
    from hopwright.emulation.control import Control
    from hopwright.runs.results import Results
    from hopwright.runs.run import load, run
    from hopwright.runs.simulation import Simulation
    from hopwright.scenario import (
        Aodv,
        Area,
        Attach,
        BonnMotionMovements,
        BulkFlow,
        CbrFlow,
        Chain,
        Condition,
        Cross,
        Down,
        Dsdv,
        Dsr,
        Energy,
        Error,
        Event,
        FileFlow,
        Flow,
        GaussMarkov,
        GilbertElliott,
        Grid,
        Link,
        LinkChange,
        LinkProfile,
        Links,
        LinkShape,
        Mac,
        Manhattan,
        Mechanisms,
        Mobility,
        Move,
        Ns2Movements,
        Olsr,
        OnOffFlow,
        Output,
        Positions,
        Powers,
        ProfilePipe,
        Radio,
        RandomNodes,
        RandomWalk,
        RandomWaypoint,
        ReferencePointGroup,
        Relay,
        Routing,
        Scenario,
        Scripted,
        SnoopRelay,
        SplitRelay,
        Star,
        Static,
        SumoFcd,
        Tcp,
        Topology,
        Trigger,
        Udp,
        Uniform,
        Up,
    )
    from hopwright.sweeps import Range, Sweep, sweep

    __version__: str

del TYPE_CHECKING

__all__ = [
    "Aodv",
    "Area",
    "Attach",
    "BonnMotionMovements",
    "BulkFlow",
    "CbrFlow",
    "Chain",
    "Comparison",
    "Condition",
    "Control",
    "Cross",
    "Down",
    "Dsdv",
    "Dsr",
    "Energy",
    "Error",
    "Event",
    "FileFlow",
    "Flow",
    "GaussMarkov",
    "GilbertElliott",
    "Grid",
    "HopwrightWarning",
    "InputError",
    "Link",
    "LinkChange",
    "LinkProfile",
    "LinkShape",
    "Links",
    "Mac",
    "Manhattan",
    "Mechanisms",
    "Mobility",
    "Move",
    "Ns2Movements",
    "Olsr",
    "OnOffFlow",
    "Output",
    "Positions",
    "Powers",
    "ProfilePipe",
    "Radio",
    "RandomNodes",
    "RandomWalk",
    "RandomWaypoint",
    "Range",
    "ReferencePointGroup",
    "Relay",
    "Results",
    "Routing",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Scripted",
    "Simulation",
    "SnoopRelay",
    "SplitRelay",
    "Star",
    "StarvationWarning",
    "Static",
    "SumoFcd",
    "Sweep",
    "Tcp",
    "Topology",
    "Trigger",
    "Udp",
    "UnfinishedError",
    "Uniform",
    "Up",
    "__version__",
    "compare",
    "load",
    "run",
    "sweep",
]

_HOMES = {
    "Comparison": "hopwright.comparisons",
    "Control": "hopwright.emulation.control",
    "HopwrightWarning": "hopwright._io.errors",
    "InputError": "hopwright._io.errors",
    "Range": "hopwright.sweeps",
    "Results": "hopwright.runs.results",
    "RunError": "hopwright._core",
    "ScenarioError": "hopwright._core",
    "Simulation": "hopwright.runs.simulation",
    "StarvationWarning": "hopwright._io.errors",
    "Sweep": "hopwright.sweeps",
    "UnfinishedError": "hopwright._io.errors",
    "compare": "hopwright.comparisons",
    "load": "hopwright.runs.run",
    "run": "hopwright.runs.run",
    "sweep": "hopwright.sweeps",
}
"""Where names are; all others are tables of the scenario."""


def __getattr__(name: str) -> object:
    """What is imported when it is first used: an interrupt before `main` begins is a traceback."""
    from importlib import import_module

    if name not in __all__:
        raise AttributeError(f"module 'hopwright' has no attribute '{name}'")
    if name == "__version__":
        value: object = import_module("hopwright._core").version()
    else:
        home = import_module(_HOMES.get(name, "hopwright.scenario"))
        value = getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """What there is to use: what this module is made of is nobody's."""
    return sorted(__all__)
