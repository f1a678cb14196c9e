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
phy = "802.11b"
data_rate_mbps = 5.5
basic_rate_mbps = 1
rts_threshold_bytes = 500
backoff = "beb"
queue_packets = 20
ecn_threshold_packets = 10
lred = true
adaptive_pacing = true
lred_min_threshold_tries = 0.5
lred_max_threshold_tries = 2
lred_max_probability = 0.05
lred_weight = 0.25
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
medium_use = true
flow_time = true
frames = true
positions = true
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
trigger_hold_s = 2.5
trigger_period_ms = 50
loss_window_segments = 200
[[flows.transport.triggers]]
when = [{ monitor = "loss", above = 2, until = 1.5 }, { monitor = "delay", below = 100 }]
any = true
set = { response = "spare", diagnosis = "blame-channel" }
back = true
[[flows.transport.triggers]]
when = [{ monitor = "jitter", above = 30 }]
set = { acking = "every" }

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
[mac]
rts = "none"
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
request_jitter_ms = 4
delete_period_s = 15
timeout_buffer = 1
rreq_retries_include_first = true
rreq_ratelimit = 5
rerr_ratelimit = 6
gratuitous = true
destination_only = false
link_feedback = true
hello = true
hello_always = true
hello_interval_s = 2
hello_jitter_ms = 50
allowed_hello_loss = 3
local_repair = true
max_repair_ttl = 5
local_add_ttl = 1
rrep_ack = true
blacklist = true
blacklist_timeout_s = 9
next_hop_wait_ms = 60
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
    "duration_s = 5\ntopology.kind = 'chain'\ntopology.hops = 2\nrouting = { protocol = 'dsr', dsr = { profile = 'rfc', cache = 'link' } }\n",
    "duration_s = 5\ntopology.kind = 'chain'\ntopology.hops = 2\nrouting = { protocol = 'dsr', dsr = { profile = 'ns2' } }\n",
    "duration_s = 5\ntopology = { kind = 'bonnmotion', file = 'two.movements' }\nrouting.protocol = 'aodv'\n",
    "duration_s = 5\ntopology = { kind = 'sumo-fcd', file = 'cars.xml' }\nrouting.protocol = 'aodv'\n",
    r#"
duration_s = 30
topology = { kind = "random", nodes = 10 }
routing.protocol = "aodv"
[mobility]
model = "random-waypoint"
min_speed_mps = 2
max_speed_mps = 5
pause_s = 1
pause_max_s = 3
start = "yoon"
"#,
    r#"
duration_s = 30
topology = { kind = "grid", rows = 2, columns = 3 }
routing.protocol = "aodv"
[mobility]
model = "random-waypoint"
min_speed_mps = 0
start = "uniform"
[[events]]
at_s = 2
node = 1
do = "down"
[[events]]
at_s = 9.5
node = 1
do = "up"
"#,
    r#"
duration_s = 30
topology = { kind = "chain", hops = 3 }
routing.protocol = "aodv"
mobility = { model = "random-walk", min_speed_mps = 0, max_speed_mps = 3, leg_s = 4 }
"#,
    r#"
duration_s = 30
topology = { kind = "chain", hops = 3 }
routing.protocol = "aodv"
mobility = { model = "random-walk", leg_m = 40 }
"#,
    r#"
duration_s = 30
topology = { kind = "random", nodes = 10 }
routing.protocol = "aodv"
[mobility]
model = "gauss-markov"
alpha = 0.5
mean_speed_mps = 4
speed_sd_mps = 2
max_speed_mps = 9
direction_sd_deg = 45
update_interval_s = 0.5
edge_m = 20
"#,
    r#"
duration_s = 30
topology = { kind = "random", nodes = 10 }
routing.protocol = "aodv"
[mobility]
model = "reference-point-group"
groups = 3
radius_m = 50
deviation_m = 5
update_interval_s = 2
min_speed_mps = 1
max_speed_mps = 4
pause_s = 1
pause_max_s = 2
start = "steady-state"
"#,
    r#"
duration_s = 30
topology = { kind = "random", nodes = 10 }
routing.protocol = "aodv"
[mobility]
model = "manhattan"
blocks_x = 5
blocks_y = 3
turn_left = 0.3
turn_right = 0.1
min_speed_mps = 2
max_speed_mps = 10
acceleration_mps2 = 0.5
update_interval_s = 0.5
"#,
    r#"
duration_s = 30
topology = { kind = "chain", hops = 3 }
routing.protocol = "aodv"
mobility.model = "scripted"
[[events]]
at_s = 5
node = 2
do = "move"
to_m = [400, 200.5]
speed_mps = 20
[[flows]]
from = 0
to = 3
"#,
    "duration_s = 5\ntopology = { kind = 'chain', hops = 3 }\nrouting.protocol = 'olsr'\n",
    r#"
duration_s = 5
topology = { kind = "chain", hops = 3, spacing_m = 100 }
[radio]
propagation = "log-distance"
path_loss_exponent = 3.5
reference_distance_m = 5
shadowing = "frame"
shadowing_sigma_db = 6
fading = "ricean"
ricean_k_db = 3
interference = "sum"
noise_floor_dbm = -95
bit_errors = true
energy = "wavelan"
[[errors]]
model = "uniform"
probability = 0.01
[[errors]]
model = "gilbert-elliott"
from = 0
to = 1
frames = ["data", "ack"]
mean_good_s = 2
mean_bad_s = 0.1
good_probability = 0.001
bad_probability = 0.8
[[flows]]
from = 0
to = 3
"#,
    r#"
duration_s = 5
topology = { kind = "chain", hops = 2 }
radio = { shadowing = "link", fading = "rayleigh", energy = { transmit_w = 2, receive_w = 1.5, idle_w = 1 } }
routing.protocol = "aodv"
"#,
    "duration_s = 5\ntopology = { kind = 'chain', hops = 3 }\nrouting.protocol = 'dsdv'\n",
    r#"
duration_s = 10
topology.kind = "links"
[[links]]
from = 0
to = 1
preset = "wwan"
variation = "sine"
amplitude_percent = 20
jitter_law = "normal"
jitter_correlation_percent = 50
reorder = true
reorder_percent = 5
reorder_gap = 4
reorder_correlation_percent = 25
duplicate_percent = 1
loss_per = "packet"
burst_packets = 2.5
queue_packets = 20
queue = "codel"
codel_target_ms = 7
codel_interval_ms = 70
[links.reverse]
rate_kbps = 64
delay_ms = 300
loss_percent = 0.5
[[links.changes]]
at_s = 4
network = 1
clear = true
preset = "satellite"
[links.changes.reverse]
rate_kbps = 32
[[flows]]
from = 0
to = 1
[[flows.transport.triggers]]
when = [{ monitor = "interface", equals = 1 }]
set = { acking = "every" }
"#,
    r#"
duration_s = 5
topology.kind = "links"
[[links]]
from = 0
to = 1
rate_kbps = 1000
jitter_percent = 5
loss_delay_correlation_percent = 50
[links.profile]
mode = "sequential"
repeat = true
losses = "both"
[[links.profile.pipes]]
rtt_ms = 20.5
lifetime_s = 1.5
loss_percent = 0.5
[[links.profile.pipes]]
rtt_ms = 60
lifetime_s = 1
rate_kbps = 500
[[links.changes]]
at_s = 3
[links.changes.profile]
mode = "simultaneous"
pipes = [{ rtt_ms = 10, probability = 0.25 }, { rtt_ms = 30, probability = 0.75 }]
[[links]]
from = 1
to = 2
delay_ms = 5
bad_begins_percent = 1
bad_ends_percent = 20
bad_loss_percent = 50
good_loss_percent = 0.1
bad_delay_ms = 20
[[flows]]
from = 0
to = 2
"#,
    r#"
duration_s = 5
topology.kind = "links"
[[links]]
from = 0
to = 1
delay_ms = 5
[[links]]
from = 1
to = 2
delay_ms = 5
[[links]]
from = 2
to = 3
delay_ms = 5
loss_percent = 1
[[relays]]
node = 1
kind = "split"
towards = 2
protocol = "westwood"
buffer_bytes = 40000
[[relays]]
node = 2
kind = "snoop"
towards = 3
cache_packets = 50
min_timeout_ms = 50
retry_limit = 3
[[flows]]
from = 0
to = 3
"#,
    r#"
name = "programs"
duration_s = 10
topology = { kind = "chain", hops = 2 }
[routing]
protocol = "aodv"
multicast = "flood"
multicast_jitter_ms = 4
[[attach]]
node = 0
[[attach]]
node = 1
namespace = "middle"
layer = "ethernet"
prefix_length = 32
privileged = true
command = ["babeld", "hop0"]
"#,
];
