"""Two namespaces, a wire between them that misbehaves, and this project's TCP at one end.

kernel's namespace              host's namespace
10.9.0.1 k0 ==== relay.py ==== r0  forwarding  hw0 ==== hopwright host 10.9.0.2
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

KERNEL = "10.9.0.1"
HOST = "10.9.0.2"
PORT = 9000

RELAY = Path(__file__).with_name("relay.py")
HOPWRIGHT = (sys.executable, "-m", "hopwright")


def missing() -> str | None:
    """Why there can be no such network here; `None` if there can."""
    if os.geteuid() != 0:
        return "not root: no namespaces, no TUN devices"
    if not Path("/dev/net/tun").exists():
        return "there is no /dev/net/tun"
    if shutil.which("ip") is None:
        return "ip is not installed (Debian: iproute2)"
    name = f"hop-probe-{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode:
        return "namespaces are not allowed here"
    subprocess.run(["ip", "netns", "del", name], check=True)
    return None


def ip(*words: str) -> None:
    """Runs `ip`."""
    subprocess.run(["ip", *words], check=True)


@dataclass
class Network:
    """See the file's head."""

    kernel: str
    host: str
    wire: "subprocess.Popen[str]"
    started: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def in_kernel(self, *words: str | Path) -> list[str]:
        """A command that runs in the kernel's namespace."""
        return ["ip", "netns", "exec", self.kernel, *map(str, words)]

    def start_kernel(self, *words: str | Path) -> "subprocess.Popen[bytes]":
        """Starts a command in the kernel's namespace; it ends with the network."""
        process = subprocess.Popen(
            self.in_kernel(*words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.started.append(process)
        return process

    def start_host(
        self, *words: str | Path, through: Sequence[str] = ()
    ) -> "subprocess.Popen[bytes]":
        """Starts `hopwright host`, by another command if told, until its device forwards."""
        # The kernel behind the device only forwards: it must not take the peer's address.
        addresses = ["--address", f"{HOST}/24", "--kernel-address", "10.9.0.3"]
        arguments = ["--tun", "hw0", *addresses, *map(str, words)]
        command = ["ip", "netns", "exec", self.host, *through, *HOPWRIGHT, "host", *arguments]
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.started.append(process)
        deadline = time.monotonic() + 20
        while process.poll() is None and time.monotonic() < deadline:
            show = ["ip", "-n", self.host, "-4", "addr", "show", "dev", "hw0", "up"]
            shown = subprocess.run(show, capture_output=True, text=True, check=False)
            if "inet " in shown.stdout:
                return process
            time.sleep(0.02)
        if process.poll() is not None and "--connect" in arguments:
            return process  # over already
        process.kill()
        raise AssertionError(f"hopwright host did not come up: {process.communicate()[1].decode()}")

    def end(self) -> None:
        """Ends whatever was started."""
        for process in self.started:
            end(process)

    def set_loss(self, percent: float) -> None:
        """Changes what share of packets the wire loses."""
        assert self.wire.stdin is not None
        self.wire.stdin.write(f"loss {percent}\n")
        self.wire.stdin.flush()


@contextlib.contextmanager
def network(mischief: Sequence[str] = ()) -> Iterator[Network]:
    """Builds the network and takes it down again, whatever happened."""
    name = f"hop-{os.getpid()}"
    kernel, host = f"{name}-k", f"{name}-h"
    with contextlib.ExitStack() as stack:
        for namespace in (kernel, host):
            ip("netns", "add", namespace)
            stack.callback(ip, "netns", "del", namespace)
            ip("-n", namespace, "link", "set", "lo", "up")
        wire = subprocess.Popen(
            [
                "ip",
                "netns",
                "exec",
                host,
                sys.executable,
                str(RELAY),
                "--left",
                "k0",
                "--right",
                "r0",
                *mischief,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        stack.callback(cut, wire)
        assert wire.stdout is not None
        assert wire.stdout.readline() == "ready\n"
        ip("-n", host, "link", "set", "k0", "netns", kernel)
        ip("-n", kernel, "link", "set", "k0", "up")
        ip("-n", kernel, "addr", "add", f"{KERNEL}/32", "peer", HOST, "dev", "k0")
        ip("-n", host, "link", "set", "r0", "up")
        ip("-n", host, "route", "add", f"{KERNEL}/32", "dev", "r0")
        forward = ["sysctl", "-q", "-w", "net.ipv4.ip_forward=1", "net.ipv4.conf.all.rp_filter=0"]
        subprocess.run(["ip", "netns", "exec", host, *forward], check=True)
        built = Network(kernel, host, wire)
        stack.callback(built.end)
        yield built


def cut(wire: "subprocess.Popen[str]") -> None:
    """Ends the relay, by the end of its input."""
    for stream in (wire.stdin, wire.stdout):
        if stream is not None:
            stream.close()
    wire.wait(timeout=5)


def end(process: "subprocess.Popen[bytes]") -> None:
    """Ends a process, kindly if it listens."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(BrokenPipeError):
                stream.close()
