"""Words of other programs and of papers, and what they are called here.

Who comes from ns-2, ns-3, INET or `tc` brings their words along. No spelling leads from those to
ours: "throughput" is nearer to `rto_count` than to `goodput_bps`.
"""

import re
from collections.abc import Iterable

SYNONYMS = {
    # results
    "throughput": "goodput_bps",
    "goodput": "goodput_bps",
    "bandwidth": "goodput_bps rate_kbps",
    "fairness fairnessindex jainindex": "fairness.jain",
    "worst minimum starvation": "fairness.worst_goodput_bps",
    "latency delay rtt roundtriptime": "mean_rtt_s rtt_s delay_ms",
    "jitter delayvariation": "sd_rtt_s jitter",
    "loss packetloss lossrate errorrate": "loss_percent retransmissions",
    "retransmits retrans resent": "retransmissions retransmitted_segments",
    "timeouts timeout rtos": "rto_count",
    "cwnd window congestionwindow": "mean_cwnd_segments cwnd_segments",
    "ssthresh": "ssthresh_segments",
    "backlog qlen queuelength occupancy": "mac.mean_queue_packets queue_packets",
    "collisions": "mac.collisions.total",
    "overhead routingoverhead": "routing.control_packets",
    "pathlength hopcount": "mean_hops",
    "energy consumption": "energy.radio_j",
    "utilisation utilization channelusage": "medium_use.mac_utilisation",
    # keys of the scenario
    "ifqlen ifq queuelimit maxpackets limit maxsize packetcapacity": "queue_packets",
    "bitrate datarate datamode": "data_rate_mbps rate_kbps",
    "basicrate controlmode": "basic_rate_mbps",
    "rtsthreshold rtsctsthreshold": "rts_threshold_bytes",
    "rtscts": "rts",
    "rxthresh sensitivity": "reception_threshold_dbm",
    "csthresh ccaedthreshold energydetection": "carrier_sense_threshold_dbm",
    "cpthresh snirthreshold": "capture_threshold_db",
    "pt txpower txpowerstart txpowerend": "transmit_power_dbm",
    "range txrange communicationrange": "reception_range_m",
    "interferencerange sensingrange csrange": "carrier_sense_range_m",
    "freq channel centerfrequency": "frequency_mhz",
    "simtime simtimelimit simulationtime stoptime duration": "duration_s",
    "warmup warmupperiod": "warm_up_s",
    "rngrun rngseed randomseed": "seed --seed",
    "nn numnodes numhosts nodecount": "nodes hops",
    "packetsize mss segmentsize pktsize": "segment_bytes",
    "ssrc source src from": "from",
    "dst dest destination sink": "to",
    "lossmodel error errormodel ber": "bit_errors",
    "cwmin": "cw_min",
    "cwmax": "cw_max",
    "shortretry macretrylimit maxssrc": "short_retry_limit",
    "longretry maxslrc": "long_retry_limit",
    # values
    "off no false disabled never": "none false static",
    "on yes true enabled always": "all true",
    "tworay tworayground": "two-ray-ground",
    "friis freespace": "free-space",
    "logdistance shadowingmodel": "log-distance",
    "unitdisk unitdisc rangepropagation": "disc",
    "noah manual": "static",
    "ftp tcp bulksend": "bulk newreno",
    "udp onoff constantbitrate": "cbr",
    "rwp waypoint": "random-waypoint",
    "constantposition stationary fixed": "static",
    "tcpnewreno linuxreno": "newreno",
    "tcpreno": "reno",
    "tcpvegas": "vegas",
    "tcpsack sack1": "sack",
    "tcpwestwood": "westwood",
    "bulk": "bulk",
    "line string linear": "chain",
    "mesh lattice": "grid",
    # commands and options
    "simulate sim start": "run",
    "batch campaign grid": "sweep --vary",
    "diff versus": "compare",
    "draw graph figure chart": "plot",
    "animate nam netanim show visualise visualize": "view",
    "why trace": "explain",
    "validate lint": "check",
    "netem tc emulation": "emulate",
    "list ls": "protocols --list",
    "format": "--json",
    "output directory outdir": "--out",
    "force clobber": "--overwrite",
    "param parameter config define": "--set",
    "repeat repetitions replications reps numruns": "--runs",
    "threads workers parallel processes": "--jobs",
    "metric measure": "--metric --of --y",
    "hue groupby series": "--by",
    "continue restart": "--resume",
    "time when": "--at",
    "best": "--best",
    "orderby order": "--sort",
}
"""Of each word on the left, without `-`, `_` and capitals: ours, the one first that is possible."""

_OURS = {word: ours.split() for words, ours in SYNONYMS.items() for word in words.split()}

_NO_SUCH_VALUE = re.compile(
    r"^error: \S+?(?: \(and \d+ more\))?: '(?P<word>[^']*)' does not exist; "
    r"possible: (?P<known>'[^']*'(?:, '[^']*')*)"
    r"(?:; did you mean '[^']*'\?)?$",
    re.MULTILINE,
)
_NO_SUCH_KEY = re.compile(
    r"^error: (?:\S*\.)?(?P<word>[^.\s]+): unknown key$(?P<between>(?:(?!^error:)[\s\S])*?)"
    r"^ *= help: keys known here: (?P<known>[^\n]*)$",
    re.MULTILINE,
)
"""Errors about a word of a scenario. A word that other programs use counts more than spelling."""


def called_here(word: str, known: Iterable[str]) -> str | None:
    """What a foreign word is called among the known ones; or the one that ends with it."""
    names = list(known)
    ours = _OURS.get(re.sub("[-_. ]", "", word).lower(), [])
    found = next((name for name in ours if name in names), None)
    if found is not None or not word:
        return found
    ends = [name for name in names if name.rpartition(".")[2] == word]
    return ends[0] if len(ends) == 1 else None


def with_hints(message: str) -> str:
    """What is wrong with a scenario, and of foreign words in it what they are called here."""
    for pattern in (_NO_SUCH_VALUE, _NO_SUCH_KEY):
        message = pattern.sub(_hinted, message)
    return message


def _hinted(error: re.Match[str]) -> str:
    known = [name.strip("'") for name in error["known"].split(", ")]
    ours = called_here(error["word"], known)
    if ours is None:
        return error[0]
    first, *rest = error[0].split("\n")
    first = first.partition("; did you mean")[0]
    return "\n".join([f"{first}; did you mean '{ours}'?", *rest])
