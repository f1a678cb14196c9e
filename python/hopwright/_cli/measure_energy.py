"""`hopwright measure-energy`: what this project's transports cost to compute, on this machine."""

import argparse
import json
import math
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright import _core
from hopwright._cli.whole import whole
from hopwright._io.data import Json, Object, at, number, toml_of
from hopwright._io.errors import InputError, near
from hopwright._io.files import read_text
from hopwright._io.paths import no_place
from hopwright._io.progress import progress_bar
from hopwright.research.energy.coefficients import (
    ASSUMED_WATTS,
    FORMAT,
    Conversion,
    check_counted,
    report,
    to_toml,
)
from hopwright.research.energy.measure import CYCLES, measure

if TYPE_CHECKING:
    from rich.table import Table

    from hopwright._cli.arguments import _Parser

EXIT_CODES = "Exit codes: 0 done, 1 it failed, 2 the input is wrong, 130 interrupted."

USUAL = ("newreno", "sack", "vegas", "westwood", "welcome", "reno", "veno", "cubic")
"""The five that Ghaleb-Seddik (2009) compares, and what else is in wide use."""


TABLE_COLUMNS = 115
"""What the table takes, where the terminal is smaller or there is none."""

POWERCAP = Path("/sys/class/powercap")
"""Where Linux has the RAPL counters, if it has any."""

RAPL_SPAN_S = 5.0
"""How long the package's energy is read, idle and busy: some thousand steps of its counter."""


def add_measure_energy(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    parser.description = (
        "Measures the energy that this project's transports use for computation on this machine, "
        "for each protocol and function: slow start, congestion avoidance, fast retransmit and "
        "recovery, timers, signals of the path, and the receiver. CPU time and instructions are "
        "measured. Joules come from the processor's RAPL counters if they can be read; otherwise "
        "they are CPU time or instructions times a stated coefficient. A scenario that names the "
        "file of --out in [energy] compute reports the energy of its transports. "
        "With the defaults, the command takes about 100 s."
    )
    parser.epilog = EXIT_CODES
    parser.option(
        "--protocols",
        metavar="LIST",
        help=f"protocols, separated by commas, or 'all' [{','.join(USUAL)}]",
    )
    parser.option(
        "--repeat",
        type=whole(1, 1000),
        default=10,
        metavar="N",
        help="number of measurements of CPU time; the result is their median [10]",
    )
    parser.option(
        "--samples",
        type=whole(0, 10_000),
        default=25,
        metavar="N",
        help="events of each function whose instructions are counted; 0 counts none [25]",
    )
    parser.option(
        "--watts",
        type=_coefficient,
        metavar="W",
        help="joules = CPU time x W, even if the machine has RAPL counters "
        f"[{ASSUMED_WATTS:g} if it has none]",
    )
    parser.option(
        "--nanojoules-per-instruction",
        type=_coefficient,
        metavar="X",
        help="joules = instructions x X nanojoules",
    )
    parser.option(
        "--powercap",
        type=Path,
        metavar="DIR",
        help=f"folder of the RAPL counters [{POWERCAP}]",
    )
    parser.option("--out", type=Path, metavar="FILE", help="write the coefficient file")
    parser.option(
        "--overwrite", action="store_true", help="replace FILE if it is a coefficient file"
    )
    parser.option("--json", action="store_true", help="print everything as JSON on standard output")
    parser.set_defaults(do=_do_measure_energy)
    return parser


def _coefficient(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number") from None
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is not a finite number above 0")
    return value


def _do_measure_energy(options: argparse.Namespace) -> None:
    names = _protocols(options.protocols)
    if options.watts is not None and options.nanojoules_per_instruction is not None:
        raise InputError("--watts and --nanojoules-per-instruction: use only one of them")
    if options.nanojoules_per_instruction is not None and options.samples == 0:
        raise InputError("--nanojoules-per-instruction needs instructions: omit --samples 0")
    if options.powercap is not None and not options.powercap.is_dir():
        raise InputError(f"--powercap {options.powercap}: there is no such folder")
    _check_out(options)
    with progress_bar("measuring") as watch:
        measurements = measure(names, repeat=options.repeat, samples=options.samples, watch=watch)
    found = report(
        measurements, _conversion(options, names, measurements), _command(options), cycles=CYCLES
    )
    _tell(found)
    if options.json:
        sys.stdout.write(json.dumps(found, indent=2) + "\n")
    else:
        from hopwright._io.console import standard_output

        console = standard_output()
        standard_output(max(console.width, TABLE_COLUMNS)).print(_table(found))
    sys.stdout.flush()
    if options.out is not None:
        _write(options.out, to_toml(found), overwrite=options.overwrite)


def _protocols(given: str | None) -> list[str]:
    known = [str(at(each, "id")) for each in json.loads(_core.protocols_json())]
    known.remove("udp")
    if given is None:
        return list(USUAL)
    if given == "all":
        return known
    names = [name.strip() for name in given.split(",")]
    for place, name in enumerate(names):
        if not name:
            raise InputError(f"--protocols '{given}': a name is missing; write it as reno,vegas")
        if name in names[:place]:
            raise InputError(f"--protocols: {name} is named twice")
        if name == "udp":
            raise InputError("--protocols: udp has no functions to measure: name protocols of TCP")
        if name not in known:
            raise InputError(f"--protocols: no protocol called '{name}'{near(name, known)}")
    return names


def _conversion(
    options: argparse.Namespace, names: list[str], measurements: list[Json]
) -> Conversion:
    if options.nanojoules_per_instruction is not None:
        check_counted(measurements)
        value = options.nanojoules_per_instruction
        return Conversion("nanojoules_per_instruction", value, "an assumption, given by the user")
    if options.watts is not None:
        return Conversion("watts", options.watts, "an assumption, given by the user")
    try:
        power = json.loads(
            _core.measure_power(options.powercap or POWERCAP, names, cycles=20, span_s=RAPL_SPAN_S)
        )
    except _core.RunError as error:
        about = "an assumption: the base power of a laptop's processor"
        return Conversion("watts", ASSUMED_WATTS, f"{about}; {error}")
    total, idle, cpu = (number(power, key) for key in ("total_j", "idle_j", "cpu_s"))
    source = (
        f"RAPL: package {total:.3f} J less {idle:.3f} J idle, radio 0 J, in {cpu:.3f} s of CPU time"
    )
    return Conversion("rapl", float(number(power, "watts") or 0.0), source)


def _tell(found: Object) -> None:
    """Says what was measured, and what was not."""
    print(at(found, "conversion", "said"), file=sys.stderr)
    if "uncounted" in found:
        print(f"no instructions: {found['uncounted']}", file=sys.stderr)


HEADINGS = (
    "\nevents",
    "ns/event,\nmedian",
    "ns/event,\nmean ± 95 %",
    "\ninstructions",
    "\nnJ/event",
    "\nnJ/byte",
    "\nµJ/s",
)
"""Of the columns with numbers. The interval is the mean's; joules are made from the median."""


def _table(found: Object) -> "Table":
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for word in ("\nprotocol", "\nfunction"):
        table.add_column(word, no_wrap=True)
    for word in HEADINGS:
        table.add_column(word, justify="right", no_wrap=True)
    protocols, totals = found["protocols"], found["totals"]
    for name, works in protocols.items() if isinstance(protocols, dict) else ():
        for function, work in works.items() if isinstance(works, dict) else ():
            table.add_row(
                name,
                function,
                _shown(work, "events", 1, 0),
                _shown(work, "ns_per_event", 1, 1),
                _mean(work),
                _shown(work, "instructions_per_event", 1, 1),
                _shown(work, "joules_per_event", 1e9, 1),
                _shown(work, "joules_per_sent_byte", 1e9, 4),
                _shown(work, "joules_per_second", 1e6, 3),
            )
        table.add_row(
            name,
            "sender, all",
            *[""] * 5,
            _shown(at(totals, name), "sender_joules_per_sent_byte", 1e9, 4),
            _shown(at(totals, name), "sender_joules_per_second", 1e6, 3),
            end_section=True,
        )
    return table


def _mean(work: Json) -> str:
    """`178.3 ± 25.8`; a single measurement has no interval."""
    mean, spread = (_shown(work, f"ns_per_event_{key}", 1, 1) for key in ("mean", "mean_ci95"))
    return mean if spread == "-" else f"{mean} ± {spread}"


def _shown(work: Json, key: str, scale: float, decimals: int) -> str:
    if not isinstance(work, dict) or key not in work:
        return "-"
    value = number(work, key)
    return "-" if value is None else f"{value * scale:.{decimals}f}"


def _command(options: argparse.Namespace) -> str:
    """What to type for such a file, on another machine as well."""
    words = ["hopwright", "measure-energy"]
    if options.protocols is not None:
        words += ["--protocols", options.protocols]
    words += ["--repeat", str(options.repeat), "--samples", str(options.samples)]
    if options.watts is not None:
        words += ["--watts", f"{options.watts:g}"]
    if options.nanojoules_per_instruction is not None:
        words += ["--nanojoules-per-instruction", f"{options.nanojoules_per_instruction:g}"]
    if options.out is not None:
        words += ["--out", options.out.name]
    return shlex.join(words)


def _check_out(options: argparse.Namespace) -> None:
    """Before anything is measured: that takes long."""
    from hopwright._io.out import probe

    if options.out is None:
        if options.overwrite:
            raise InputError("--overwrite needs --out")
        return
    _check_free(options.out, overwrite=options.overwrite)
    if not options.out.parent.is_dir():
        raise InputError(f"{options.out}: there is no folder {options.out.parent}")
    try:
        probe(options.out.parent)
    except OSError as error:
        raise no_place(options.out, error) from error


def _check_free(out: Path, *, overwrite: bool) -> None:
    if out.is_dir():
        raise InputError(f"{out}: is a folder; name a file with --out")
    if not out.exists():
        return
    if not overwrite:
        raise InputError(f"{out}: exists already; add --overwrite or name another file")
    if not _is_own(out):
        raise InputError(
            f"{out}: is not a coefficient file and would be lost; name another file with --out"
        )


def _is_own(out: Path) -> bool:
    """Whether `hopwright measure-energy`, of whatever version, wrote this file."""
    try:
        written = str(toml_of(read_text(out)).get("format"))
    except (InputError, ValueError):
        return False
    return written.rpartition("-")[0] == FORMAT.rpartition("-")[0]


def _write(out: Path, text: str, *, overwrite: bool) -> None:
    from hopwright._io.out import write_whole

    _check_free(out, overwrite=overwrite)  # somebody else may have written there meanwhile
    try:
        write_whole(out, text.encode())
    except OSError as error:
        raise no_place(out, error) from error
