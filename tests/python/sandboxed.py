"""Runs a job of `sandbox_jobs` in a sandbox, as a command would: `sandboxed.py JOB DATA`."""

import json
import os
import sys

from hopwright._io.outcome import outcome
from hopwright.emulation.sandbox import check_command, run
from sandbox_jobs import NAMES


def main() -> int:
    name, text = sys.argv[1:]
    data = json.loads(text)
    if not os.isatty(0):
        os.setpgid(0, 0)  # as a shell does, for an interrupt of all
    try:
        if "command" in data:
            check_command(data["command"])
        return run(f"sandbox_jobs:{name}", data, names=NAMES)
    except Exception as error:  # noqa: BLE001 - as on the command line
        code, message = outcome(error)
        print(message, file=sys.stderr)
        return code


if __name__ == "__main__":
    sys.exit(main())
