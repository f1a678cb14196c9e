"""Programs in network namespaces whose only way out are devices of ours, and nothing left of it.

Three processes, so that the kernel cleans up whatever happens:

    hopwright           waits, passes signals on                (`outside`)
    └─ its child        makes the namespaces, and waits         (`inside`)
       └─ process 1     of its own namespace: does the job      (`job`, `command`)
          └─ commands   in networks, without privileges         (`enter`)

When process 1 ends, the kernel ends every process in its namespace, and with the last one the
networks go. Process 1 and its parent are killed when their parents are: `kill -9` of any of them
ends all. No namespace has a name, no mount shows outside, no file is made.
"""

from hopwright.emulation.sandbox.command import Command
from hopwright.emulation.sandbox.job import Job
from hopwright.emulation.sandbox.outside import check_command, run

__all__ = ["Command", "Job", "check_command", "run"]
