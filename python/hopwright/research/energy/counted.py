"""The process whose instructions `hopwright measure-energy` counts: protocol, cycles, samples."""

import sys

from hopwright import _core

if __name__ == "__main__":
    try:
        _core.be_counted(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    except _core.RunError as error:
        raise SystemExit(str(error)) from None
