//! Scenarios that together use every key there is.

#![allow(dead_code, reason = "every test file takes what it needs")]

/// One of each kind.
pub(crate) const SAMPLES: &[&str] = &[
    r#"
name = "all of a chain"
profile = "standard"
duration_s = 301
seed = 7
warm_up_s = 1.5

[topology]
kind = "chain"
hops = 8
spacing_m = 200

[area]
width_m = 1500
height_m = 300

[mobility]
model = "static"

[radio]
propagation = "two-ray-ground"
reception_range_m = 250
carrier_sense_range_m = 550
transmit_power_dbm = 24.5
frequency_mhz = 914
antenna_height_m = 1.5
capture_threshold_db = 10
capture = "any"
weak_frames = "energy"
interference = "locked"

[mac]
kind = "dcf"
data_rate_mbps = 5.5
basic_rate_mbps = 1
rts_threshold_bytes = 500
backoff = "beb"
queue_packets = 20
short_retry_limit = 6
long_retry_limit = 3
cw_min = 15
cw_max = 511
slot_us = 9
sifs_us = 16
difs_us = 34
preamble_us = 96.5
header_bytes = 28
backoff_includes_cw = false
backoff_always = true
eifs = "then-difs"
data_waits_for_idle = true
rts_counts_preamble = true
retry_counters = "per-station"
link_delay_us = 25
arp = false

[routing]
protocol = "static"

[output]
pcap = [0, 8]
series = ["queue", "rto"]
series_interval_s = 0.5
ns2_trace = "new"
ns2_trace_layers = ["agent"]
figures = ["sequence", "rtt"]

[[flows]]
from = 0
to = 8
app = "bulk"
start_s = 1
stop_s = 301
[flows.transport]
protocol = "newreno"
segment_bytes = 1000
acking = "delayed"
delayed_ack_ms = 50
window_limit_segments = 32
initial_window_segments = 1
max_burst_segments = 0
dupack_threshold = 2
limited_transmit = true
min_rto_ms = 250.5
max_rto_s = 30
granularity_ms = 500
granularity_mode = "exact"
avoidance = "byte-counting"

[[flows]]
from = 8
to = 0
app = "file"
bytes = 1_000_000
"#,
    r#"
duration_s = 10
topology = { kind = "grid", rows = 3, columns = 4, spacing_m = 100 }
[radio]
propagation = "free-space"
reception_threshold_dbm = -55
carrier_sense_threshold_dbm = -65
[routing]
protocol = "aodv"
[routing.aodv]
profile = "rfc"
active_route_timeout_s = 3
my_route_timeout_s = 6
net_diameter = 20
node_traversal_time_ms = 30
path_discovery_time_ms = 2000
ttl_start = 2
ttl_increment = 3
ttl_threshold = 8
rreq_retries = 1
buffer_packets = 32
buffer_timeout_s = 8
release_gap_ms = 1
broadcast_jitter_ms = 5
delete_period_s = 15
timeout_buffer = 1
rreq_retries_include_first = true
rreq_ratelimit = 5
rerr_ratelimit = 6
gratuitous = true
destination_only = true
[[flows]]
pairs = "random"
count = 3
app = "cbr"
rate_kbps = 64
payload_bytes = 160
jitter = 0.5
transport.protocol = "udp"
"#,
    r#"
profile = "ns2"
duration_s = 10
topology = { kind = "cross", arm_hops = 2 }
[routing]
protocol = "aodv"
[routing.aodv]
profile = "ns2"
rev_route_life_s = 5
max_rreq_timeout_s = 9
purge_interval_ms = 400
[[flows]]
from = 0
to = 4
app = "onoff"
rate_kbps = 100
on_s = 1
off_s = 2
[[flows]]
from = 0
to = 4
transport.protocol = "tahoe"
"#,
    "duration_s = 5\ntopology = { kind = 'star', leaves = 6, radius_m = 50 }\nradio.propagation = 'disc'\noutput.pcap = 'all'\n",
    "duration_s = 5\ntopology = { kind = 'random', nodes = 20 }\narea = { width_m = 300, height_m = 200 }\n",
    "duration_s = 5\ntopology = { kind = 'positions', list = [[0, 0], [100.5, -3]] }\n",
    "duration_s = 5\ntopology = { kind = 'ns2', file = 'moving.tcl' }\nrouting.protocol = 'aodv'\n",
    "duration_s = 5\ntopology = { kind = 'chain', hops = 3 }\nrouting.protocol = 'olsr'\n",
    "duration_s = 5\ntopology = { kind = 'chain', hops = 3 }\nrouting.protocol = 'dsdv'\n",
];
