"""Checks what the project is built from: licences, sources, known weaknesses (`make audit`).

Licences and sources need nothing from outside. Advisories need a database: RustSec's for crates,
PyPI's for Python packages. Where one cannot be reached, the check says so and fails nothing.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent
CARGO = os.environ.get("CARGO", "cargo")
# One for each Cargo.lock of the project.
MANIFESTS = ("Cargo.toml", "fuzz/Cargo.toml")
REQUIREMENTS = ("requirements.txt", "requirements-audit.txt", "requirements-docs.txt")


def main(pip_audit: str) -> int:
    """Prints a line per check; 1 if any failed."""
    verdicts = {
        "licences, sources": _all(_deny(m, "licenses", "bans", "sources") for m in MANIFESTS)
    }
    if _quiet(CARGO, "deny", "fetch", "db"):
        advisories = _all(_deny(m, "advisories") for m in MANIFESTS)
        verdicts["advisories, crates"] = advisories
    else:
        verdicts["advisories, crates"] = "not checked: RustSec's database cannot be reached"
    verdicts["advisories, Python"] = _packages(pip_audit)
    print()
    for check, verdict in verdicts.items():
        print(f"{check:20} {verdict}")
    return int("FAILED" in verdicts.values())


def _deny(manifest: str, *words: str) -> bool:
    """Whether cargo-deny finds nothing to object to in the dependencies of a manifest."""
    command = [CARGO, "deny", "--locked", "--manifest-path", manifest, "--config", "deny.toml"]
    command += ["check", "--hide-inclusion-graph", *words]
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def _packages(pip_audit: str) -> str:
    """What PyPI knows against the pinned Python packages, without installing any of them."""
    command = [pip_audit, "--require-hashes", "--disable-pip", "--format", "json"]
    for name in REQUIREMENTS:
        command += ["--requirement", name]
    ran = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if not ran.stdout:
        return f"not checked: {ran.stderr.strip().splitlines()[-1] if ran.stderr else 'no answer'}"
    packages = json.loads(ran.stdout)["dependencies"]
    skipped = sum("skip_reason" in package for package in packages)
    known = [p for p in packages if p.get("vulns")]
    for package in known:
        names = ", ".join(weakness["id"] for weakness in package["vulns"])
        print(f"{package['name']} {package['version']}: {names}")
    if known:
        return "FAILED"
    if skipped == len(packages):
        return "not checked: PyPI's advisories cannot be reached"
    return f"passed ({len(packages) - skipped} packages, {skipped} unknown to PyPI)"


def _quiet(*command: str) -> bool:
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True).returncode == 0


def _all(passed: Iterable[bool]) -> str:
    """One word for all; every check runs, so that all its findings are printed."""
    return "passed" if all([*passed]) else "FAILED"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
