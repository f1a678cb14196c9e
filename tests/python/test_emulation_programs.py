"""Programs of many kinds over a simulated network: they work, and what they say of it is so.

Those that are not installed are skipped.
"""

import hashlib
import json
import random
import shutil
import sys
from pathlib import Path

import pytest

from hopwright._io.data import amount, at, items
from test_emulation import emulate, live

CHAIN = """
name = "programs"
duration_s = 60
topology = { kind = "chain", hops = 2, spacing_m = 200 }
routing = { protocol = "static" }
"""

SSH_SERVER = """
import asyncio, asyncssh, sys

async def answer(process):
    assert process.command == "cat"
    async for data in process.stdin:
        process.stdout.write(data)
    process.exit(0)

class Open(asyncssh.SSHServer):
    def begin_auth(self, username):
        return False

async def main():
    key = asyncssh.generate_private_key("ssh-ed25519")
    await asyncssh.listen("", 2222, server_factory=Open, server_host_keys=[key],
                          process_factory=answer, encoding=None)
    open(sys.argv[1], "x").close()
    await asyncio.Future()

asyncio.run(main())
"""

QUIC = """
import asyncio, hashlib, random, ssl, sys
from aioquic.asyncio import connect, serve
from aioquic.quic.configuration import QuicConfiguration

async def answer(reader, writer):
    writer.write(hashlib.sha256(await reader.read()).hexdigest().encode())
    writer.write_eof()

async def main(folder, peer):
    about = QuicConfiguration(is_client=peer is not None, alpn_protocols=["hop"])
    if peer is None:
        about.load_cert_chain(f"{folder}/certificate", f"{folder}/key")
        def handle(*ends): handle.task = asyncio.ensure_future(answer(*ends))
        await serve("0.0.0.0", 4433, configuration=about, stream_handler=handle)
        open(f"{folder}/ready", "x").close()
        await asyncio.Future()
    about.verify_mode = ssl.CERT_NONE
    async with connect(peer, 4433, configuration=about) as connection:
        reader, writer = await connection.create_stream()
        writer.write(random.Random(1).randbytes(100_000))
        writer.write_eof()
        print((await reader.read()).decode())

asyncio.run(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None))
"""


def needs(*programs: str) -> pytest.MarkDecorator:
    """Skips where one of the programs is not there."""
    lacking = [program for program in programs if shutil.which(program) is None]
    return pytest.mark.skipif(bool(lacking), reason=f"not installed: {', '.join(lacking)}")


def until(there: Path) -> str:
    """For a shell: waits for the file that a server makes once it hears."""
    return f"until [ -e {there} ]; do sleep 0.1; done"


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    file = tmp_path / "programs.toml"
    file.write_text(CHAIN)
    return file


@live
@needs("iperf3")
def test_iperf3_measures_what_the_network_carried(scenario: Path, tmp_path: Path) -> None:
    words = ("--out", tmp_path / "out", "--with", "2:iperf3 -s -1", "--at", "0", "--")
    # Until the server hears, what the client says is that it was refused, and that all is well.
    ask = f"iperf3 -c node-2 -t 3 --json > {tmp_path}/said"
    client = f"until {ask} && grep -q sum_received {tmp_path}/said; do sleep 0.2; done"
    done = emulate(scenario, *words, "sh", "-c", client)
    assert done.returncode == 0, done.stderr
    measured = json.loads((tmp_path / "said").read_text())["end"]["sum_received"]
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    attached = items(summary, "emulation", "attached")
    (came,) = (amount(each, "received_bytes") for each in attached if at(each, "node") == 2)
    # Headers of 52 bytes on segments of 1448, and what iperf3 says to itself.
    assert 1.03 * measured["bytes"] < came < 1.2 * measured["bytes"] + 10_000
    assert 200e3 < measured["bits_per_second"] < 1e6, "two hops of 2 Mb/s that hear each other"


@live
@needs("dnsmasq", "dig")
def test_a_name_server_answers_over_udp(scenario: Path) -> None:
    server = "dnsmasq --keep-in-foreground --conf-file=/dev/null --no-hosts --no-resolv --user= "
    server += "--group= --pid-file= --port=5353 --address=/hop.example/192.0.2.7"
    ask = "dig @10.0.0.3 -p 5353 +notcp +short +tries=10 +time=1 hop.example"
    done = emulate(scenario, "--with", f"2:{server}", "--at", "0", "--", *ask.split())
    assert done.returncode == 0, done.stderr
    # Until the server hears, dig says that it was refused, and asks again.
    assert done.stdout.splitlines()[-1] == "192.0.2.7", done.stdout


@live
@needs("ssh")
def test_ssh_brings_a_file_there_and_back(scenario: Path, tmp_path: Path) -> None:
    pytest.importorskip("asyncssh")
    (tmp_path / "server.py").write_text(SSH_SERVER)
    content = random.Random(2).randbytes(50_000)
    (tmp_path / "sent").write_bytes(content)
    options = "-F none -o StrictHostKeyChecking=no -o UpdateHostKeys=no"
    options += f" -o UserKnownHostsFile={tmp_path}/known"
    client = f"ssh {options} -p 2222 node-2 cat < {tmp_path}/sent > {tmp_path}/back"
    client = f"{until(tmp_path / 'ready')}; {client}"
    server = f"2:{sys.executable} {tmp_path}/server.py {tmp_path}/ready"
    done = emulate(scenario, "--with", server, "--at", "0", "--", "sh", "-c", client)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "back").read_bytes() == content


@live
def test_quic_brings_a_stream_whole(scenario: Path, tmp_path: Path) -> None:
    pytest.importorskip("aioquic")
    certify(tmp_path)
    program = tmp_path / "quic.py"
    program.write_text(QUIC)
    run = f"{sys.executable} {program} {tmp_path}"
    client = f"{until(tmp_path / 'ready')}; exec {run} 10.0.0.3"
    done = emulate(scenario, "--with", f"2:{run}", "--at", "0", "--", "sh", "-c", client)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == hashlib.sha256(random.Random(1).randbytes(100_000)).hexdigest()


def certify(folder: Path) -> None:
    """Writes a key and a certificate that it signs itself."""
    import datetime as dt

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "node-2")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    (folder / "certificate").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
