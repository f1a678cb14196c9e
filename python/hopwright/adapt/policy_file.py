"""The policy as a file: triggers, and for each the cells that it comes from."""

from hopwright import _core
from hopwright._io.plural import many
from hopwright._schema.settings import shown, toml_text
from hopwright.adapt.bounds import Bound, Unseen
from hopwright.adapt.outcome import Made, Outcome
from hopwright.adapt.policy import Row


def policy_file(outcome: Outcome, made: Made, name: str) -> str:
    """The text of the file called `name`, for `flows.transport.policy` of a scenario.

    `hopwright host --triggers` reads it as well.
    """
    request, policy, networks = (
        outcome.request,
        outcome.policy,
        many(len(outcome.verdicts), "network"),
    )
    own = {k: v for k, v in made.settings.items() if k not in ("triggers", "monitor_source")}
    lines = [
        f"# Which composition on which network: by `hopwright adapt`, version {_core.version()},",
        f"# from {shown(request.name)}: {request.measure.title} in {networks}.",
        "#",
        f"# The flow begins with '{policy.base}'. So this goes into its [flows.transport]:",
        "#",
        *(f"# {key} = {toml_text(value)}" for key, value in own.items()),
    ]
    if "triggers" in made.settings:
        lines += [f'# policy = "{name}"', "", f'monitor_source = "{made.source}"']
    else:
        lines += ["", f"# No trigger: '{policy.base}' never changes."]
    for place, row in enumerate(policy.rows):
        lines += ["", *_row(outcome, made, place, row)]
    return "\n".join(lines) + "\n"


def said(outcome: Outcome, row: Row) -> str:
    """`westwood where rate_kbps is above 1000 (next in the grid: 2000)`."""
    grid = list(outcome.request.grid.items())
    parts = []
    for split in row.when:
        key, values = grid[split.axis]
        low, high = values[split.place], values[split.place + 1]
        inside, outside = (high, low) if split.side == "above" else (low, high)
        what = "and more" if split.side == "above" else "and less"
        parts.append(f"{key} {inside:g} {what} (not at {outside:g})")
    return f"{row.composition} at {', and '.join(parts)}"


def _row(outcome: Outcome, made: Made, place: int, row: Row) -> list[str]:
    conditions, networks = made.bounds[place], many(len(row.cells), "network")
    lines = [
        f"# {said(outcome, row)}.",
        f"# In {networks}, it lowers the regret by {100 * row.saved:.1f} points on average.",
        *(f"# {_seen(each)}" for each in conditions),
    ]
    if not made.works(place):
        return [*lines, "# So nothing can trigger it."]
    when = [each.condition() for each in conditions if isinstance(each, Bound)]
    shown = ", ".join(
        f"{{ {', '.join(f'{k} = {toml_text(v)}' for k, v in each.items())} }}" for each in when
    )
    slots = outcome.switches[outcome.policy.base, row.composition].slots
    parts = ", ".join(f"{slot} = {toml_text(part)}" for slot, part in slots.items())
    return [
        *lines,
        "[[triggers]]",
        f"when = [{shown}]",
        f"set = {{ {parts} }}",
        "back = true",
    ]


def _seen(condition: Bound | Unseen) -> str:
    says = f"The monitor {condition.monitor} says"
    if condition.outside is None or condition.inside is None:
        return f"{says} nothing on one side of the bound."
    both = f"{condition.outside:.4g} before the bound and {condition.inside:.4g} beyond"
    if isinstance(condition, Unseen):
        return f"{says} {both}, on average: it does not distinguish these networks."
    trap = ". After the change, the flow may not change back" if condition.is_trap else ""
    return f"{says} {both}, on average{trap}."
