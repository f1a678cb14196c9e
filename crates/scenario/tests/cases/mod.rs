//! Mistakes that people make: what is replaced in the chain, by what.

#![allow(dead_code, reason = "every test file takes what it needs")]

/// Title, what is replaced in the chain, by what.
pub(crate) type Case = (&'static str, &'static str, &'static str);

const TOP: &str = "duration_s = 100\n";
const HOPS: &str = "hops = 4\n";
/// The chain's place for nodes placed by chance.
const CHAINED: &str = "\"chain\"\nhops = 4";

/// Nodes placed by chance, with a table `[mobility]`.
macro_rules! moving {
    ($mobility:literal) => {
        concat!("\"random\"\nnodes = 20\n[mobility]\n", $mobility)
    };
}
const END: &str = "to = 4\n";

/// Wrong words.
pub(crate) const SLIPS: &[Case] = &[
    ("unknown key at the top", TOP, "duration = 100\n"),
    ("unknown table", "[topology]", "[topologie]"),
    ("flows in the singular", "[[flows]]", "[[flow]]"),
    ("flows in single brackets", "[[flows]]", "[flows]"),
    ("unknown key in a table", HOPS, "hops = 4\n[mac]\ndata_rate_mpbs = 2\n"),
    ("a physical layer that there is not", HOPS, "hops = 4\n[mac]\nphy = \"802.11n\"\n"),
    ("two unknown keys", HOPS, "hops = 4\n[mac]\nrts_treshold_bytes = 2\ncolour = 1\n"),
    ("unit forgotten", HOPS, "hops = 4\nspacing = 100\n"),
    ("unknown kind", "\"chain\"", "\"chian\""),
    ("kind missing", "kind = \"chain\"\n", ""),
    ("topology missing", "[topology]\nkind = \"chain\"\nhops = 4\n", ""),
    ("duration missing", TOP, ""),
    ("key of another kind", HOPS, "hops = 4\nrows = 2\n"),
    ("required key missing", HOPS, ""),
    ("unknown word", HOPS, "hops = 4\n[radio]\npropagation = \"freespace\"\n"),
    ("unknown mobility model", HOPS, "hops = 4\n[mobility]\nmodel = \"random-wayponit\"\n"),
    ("key of another model", HOPS, "hops = 4\n[mobility]\nmodel = \"random-walk\"\nalpha = 0.5\n"),
    ("key of a model without one", HOPS, "hops = 4\n[mobility]\npause_s = 5\n"),
    ("event without a deed", HOPS, "hops = 4\n[[events]]\nat_s = 1\nnode = 1\n"),
    ("unknown deed", HOPS, "hops = 4\n[[events]]\nat_s = 1\nnode = 1\ndo = \"mvoe\"\n"),
    ("key of another deed", HOPS, "hops = 4\n[[events]]\nat_s = 1\nnode = 1\ndo = \"down\"\nspeed_mps = 1\n"),
    ("move without a speed", HOPS, "hops = 4\n[[events]]\nat_s = 1\nnode = 1\ndo = \"move\"\nto_m = [1, 2]\n"),
    ("events in single brackets", HOPS, "hops = 4\n[events]\nat_s = 1\n"),
    ("unknown table of powers", HOPS, "hops = 4\n[radio]\nenergy = \"wavelen\"\n"),
    ("power missing", HOPS, "hops = 4\n[radio]\nenergy = { transmit_w = 1.6, receive_w = 1.2 }\n"),
    ("no power at all", HOPS, "hops = 4\n[radio]\nenergy = {}\n"),
    (
        "unknown state of a radio",
        HOPS,
        "hops = 4\n[radio.energy]\ntransmit_w = 1\nreceive_w = 1\nidle_w = 1\nsleep_w = 0\n",
    ),
    ("unknown profile", TOP, "duration_s = 100\nprofile = \"ns3\"\n"),
    ("unknown routing", HOPS, "hops = 4\n[routing]\nprotocol = \"oadv\"\n"),
    ("AODV's key one level too high", HOPS, "hops = 4\n[routing]\nttl_start = 2\n"),
    ("unknown application", END, "to = 4\napp = \"ftp\"\n"),
    ("unknown transport", END, "to = 4\n[flows.transport]\nprotocol = \"newremo\"\n"),
    ("unknown transport key", END, "to = 4\n[flows.transport]\nsegment_byte = 1000\n"),
    ("transport key in the flow", END, "to = 4\nsegment_bytes = 1000\n"),
    ("unknown part of a slot", END, "to = 4\n[flows.transport]\nacking = \"delay\"\n"),
    ("unknown word of a transport", END, "to = 4\n[flows.transport]\ngranularity_mode = \"exactly\"\n"),
    ("not TOML", HOPS, "hops = = 4\n"),
    ("key given twice", HOPS, "hops = 4\nhops = 5\n"),
    ("string not closed", "\"chain\"", "\"chain"),
    ("right key, wrong table", HOPS, "hops = 4\n[mac]\ncapture = \"any\"\n"),
    ("right key of several tables, in none of them", TOP, "duration_s = 100\nprotocol = \"aodv\"\n"),
    ("required key in the wrong table", "kind = \"chain\"\nhops = 4\n", "kind = \"chain\"\n[area]\nhops = 4\n"),
    ("several required keys missing", "\"chain\"\nhops = 4", "\"grid\""),
    ("unknown words of the output", HOPS, "hops = 4\n[output]\nfigures = [\"cwmd\"]\nns2_trace = \"older\"\n"),
    ("unknown word for nodes", HOPS, "hops = 4\n[output]\npcap = \"everything\"\n"),
    ("near word for nodes", HOPS, "hops = 4\n[output]\npcap = \"al\"\n"),
    ("unknown key of the output", HOPS, "hops = 4\n[output]\npcaps = [1]\n"),
    ("unknown model of errors", HOPS, "hops = 4\n[[errors]]\nmodel = \"unifrom\"\nprobability = 0.1\n"),
    ("errors without a model", HOPS, "hops = 4\n[[errors]]\nprobability = 0.1\n"),
    ("errors in single brackets", HOPS, "hops = 4\n[errors]\nmodel = \"uniform\"\nprobability = 0.1\n"),
    (
        "key of another model of errors",
        HOPS,
        "hops = 4\n[[errors]]\nmodel = \"uniform\"\nmean_bad_s = 1\nprobability = 0.1\n",
    ),
    ("errors without a probability", HOPS, "hops = 4\n[[errors]]\nmodel = \"uniform\"\n"),
    (
        "unknown kind of frame",
        HOPS,
        "hops = 4\n[[errors]]\nmodel = \"uniform\"\nframes = [\"dta\"]\nprobability = 0.1\n",
    ),
    ("unknown fading", HOPS, "hops = 4\n[radio]\nfading = \"rician\"\n"),
    ("figure twice", HOPS, "hops = 4\n[output]\nfigures = [\"rtt\", \"cwnd\", \"rtt\"]\n"),
];

/// Wrong types.
pub(crate) const WRONG_TYPES: &[Case] = &[
    ("number as a string", TOP, "duration_s = \"100\"\n"),
    ("fraction for a count", HOPS, "hops = 4.5\n"),
    ("negative count", HOPS, "hops = -4\n"),
    ("count too large for any machine", HOPS, "hops = 99999999999\n"),
    ("number beyond TOML", HOPS, "hops = 99999999999999999999999999999999999999999999999\n"),
    ("boolean for a number", HOPS, "hops = true\n"),
    ("number for a word", HOPS, "hops = 4\n[radio]\ncapture = 1\n"),
    ("word for a boolean", HOPS, "hops = 4\n[mac]\nbackoff_always = \"yes\"\n"),
    ("number for kind", "\"chain\"", "1"),
    ("value for a table", "[topology]\nkind = \"chain\"\nhops = 4\n", "topology = \"chain\"\n"),
    ("table for a value", TOP, "duration_s = { s = 100 }\n"),
    ("list for a value", HOPS, "hops = [4]\n"),
    ("date for a value", TOP, "duration_s = 2026-01-01\n"),
    ("position with one coordinate", "\"chain\"\nhops = 4", "\"positions\"\nlist = [[0, 0], [1], [2, \"a\"]]"),
    ("string in a position", "\"chain\"\nhops = 4", "\"positions\"\nlist = [[0, 0], [2, \"a\"]]"),
    ("several in one table", HOPS, "hops = 4\n[mac]\nkind = 1\nqueue_packets = \"x\"\narp = 0\n"),
    ("several in several tables", HOPS, "hops = \"4\"\n[mac]\nkind = 1\n[radio]\ncapture = \"last\"\n"),
    ("number for a transport's switch", END, "to = 4\n[flows.transport]\nlimited_transmit = 1\n"),
    ("string for a transport's number", END, "to = 4\n[flows.transport]\nsegment_bytes = \"1460\"\n"),
    ("fraction for a transport's count", END, "to = 4\n[flows.transport]\ndupack_threshold = 2.5\n"),
    ("number for a slot", END, "to = 4\n[flows.transport]\navoidance = 3\n"),
    ("number for a list of nodes", HOPS, "hops = 4\n[output]\npcap = 3\n"),
    ("word among nodes", HOPS, "hops = 4\n[output]\npcap = [3, \"all\"]\n"),
    ("word for a list of words", HOPS, "hops = 4\n[output]\nseries = \"cwnd\"\n"),
    ("dotted table for a word", HOPS, "hops = 4\n[radio]\npropagation.pcap = \"all\"\n"),
    ("number for a list of frames", HOPS, "hops = 4\n[[errors]]\nmodel = \"uniform\"\nframes = 1\nprobability = 0.1\n"),
    ("word for a switch of the radio", HOPS, "hops = 4\n[radio]\nbit_errors = \"yes\"\n"),
    ("number for a table of powers", HOPS, "hops = 4\n[radio]\nenergy = 1.6\n"),
    ("word for a power", HOPS, "hops = 4\n[radio]\nenergy = { transmit_w = \"high\", receive_w = 1, idle_w = 1 }\n"),
    ("table for a word", HOPS, "hops = 4\n[radio]\npropagation = { disc = 1 }\n"),
];

/// Numbers that cannot be.
pub(crate) const OUT_OF_RANGE: &[Case] = &[
    ("no duration", TOP, "duration_s = 0\n"),
    ("a prefix of nothing", END, "to = 4\n[[attach]]\nnode = 1\nlayer = \"ethernet\"\nprefix_length = 0\n"),
    ("endless", TOP, "duration_s = inf\n"),
    ("not a number", TOP, "duration_s = nan\n"),
    ("far too long", TOP, "duration_s = 1e7\n"),
    ("warm-up beyond the end", TOP, "duration_s = 100\nwarm_up_s = 100\n"),
    ("name with a slash", TOP, "duration_s = 100\nname = \"a/b\"\n"),
    ("negative seed", TOP, "duration_s = 100\nseed = -1\n"),
    ("no hops", HOPS, "hops = 0\n"),
    ("negative spacing", HOPS, "hops = 4\nspacing_m = -200.0\n"),
    ("too many nodes", "\"chain\"\nhops = 4", "\"grid\"\nrows = 1000\ncolumns = 1000"),
    ("no positions", "\"chain\"\nhops = 4", "\"positions\"\nlist = []"),
    ("position nowhere", "\"chain\"\nhops = 4", "\"positions\"\nlist = [[0, 0], [inf, 2]]"),
    ("capture below one", HOPS, "hops = 4\n[radio]\ncapture_threshold_db = -1\n"),
    ("no rate", HOPS, "hops = 4\n[mac]\ndata_rate_mbps = 0\n"),
    ("no queue", HOPS, "hops = 4\n[mac]\nqueue_packets = 0\n"),
    ("retries beyond the standard", HOPS, "hops = 4\n[mac]\nshort_retry_limit = 256\n"),
    ("two numbers out of range", HOPS, "hops = 4\n[mac]\nlong_retry_limit = 0\ncw_min = 0\n"),
    ("AODV's time to live", HOPS, "hops = 4\n[routing]\nprotocol = \"aodv\"\naodv.ttl_start = 0\n"),
    ("AODV without a HELLO to miss", HOPS, "hops = 4\n[routing]\nprotocol = \"aodv\"\naodv.allowed_hello_loss = 0\n"),
    ("stop after the end", END, "to = 4\nstop_s = 101\n"),
    ("start after the stop", END, "to = 4\nstart_s = 50\nstop_s = 40\n"),
    ("start after the end", END, "to = 4\nstart_s = 100\n"),
    ("segment longer than IP", END, "to = 4\n[flows.transport]\nsegment_bytes = 65496\n"),
    ("no window", END, "to = 4\n[flows.transport]\nwindow_limit_segments = 0\n"),
    ("jitter above one", END, "to = 4\napp = \"cbr\"\nrate_kbps = 100\njitter = 1.5\n"),
    ("datagram longer than IP", END, "to = 4\napp = \"cbr\"\nrate_kbps = 100\npayload_bytes = 65508\n"),
    ("empty file", END, "to = 4\napp = \"file\"\nbytes = 0\n"),
    ("negative node", HOPS, "hops = 4\n[output]\npcap = [0, -1]\n"),
    ("probability above one", HOPS, "hops = 4\n[[errors]]\nmodel = \"uniform\"\nprobability = 1.5\n"),
    ("no time at all", HOPS, "hops = 4\n[[errors]]\nmodel = \"gilbert-elliott\"\nmean_good_s = 0\nmean_bad_s = 1\n"),
    ("negative power", HOPS, "hops = 4\n[radio]\nenergy = { transmit_w = 1, receive_w = -1, idle_w = 1 }\n"),
    ("negative shadowing", HOPS, "hops = 4\n[radio]\nshadowing = \"link\"\nshadowing_sigma_db = -1\n"),
    (
        "power that grows with distance",
        HOPS,
        "hops = 4\n[radio]\npropagation = \"log-distance\"\npath_loss_exponent = 0\n",
    ),
    ("time backwards", HOPS, "hops = 4\n[output]\nseries_interval_s = -1\n"),
];

/// Keys that do not go together, or not with the nodes.
pub(crate) const COMBINATIONS: &[Case] = &[
    ("a jitter of nothing", HOPS, "hops = 4\n[routing]\nmulticast_jitter_ms = 5\n"),
    ("a prefix of packets", END, "to = 4\n[[attach]]\nnode = 1\nprefix_length = 32\n"),
    ("unknown node", END, "to = 9\n"),
    ("flow to oneself", END, "to = 0\n"),
    ("both ends wrong", "from = 0\nto = 4\n", "from = 7\nto = 7\n"),
    ("ends named and drawn", END, "to = 4\npairs = \"random\"\n"),
    ("more pairs than there are", "from = 0\nto = 4\n", "pairs = \"random\"\ncount = 21\n"),
    ("one end missing", END, ""),
    (
        "both ways to say a threshold",
        HOPS,
        "hops = 4\n[radio]\nreception_range_m = 250\nreception_threshold_dbm = -64\n",
    ),
    ("a disc with powers", HOPS, "hops = 4\n[radio]\npropagation = \"disc\"\nreception_threshold_dbm = -64\n"),
    ("carrier sense below reception", HOPS, "hops = 4\n[radio]\ncarrier_sense_range_m = 200\n"),
    ("reception above carrier sense", HOPS, "hops = 4\n[radio]\nreception_range_m = 600\n"),
    (
        "the same in powers",
        HOPS,
        "hops = 4\n[radio]\nreception_threshold_dbm = -78\ncarrier_sense_threshold_dbm = -64\n",
    ),
    (
        "a disc with shadowing and fading",
        HOPS,
        "hops = 4\n[radio]\npropagation = \"disc\"\nshadowing = \"frame\"\nfading = \"rayleigh\"\n",
    ),
    ("bit errors without noise", HOPS, "hops = 4\n[radio]\nbit_errors = true\n"),
    (
        "bit errors of unknown bits",
        HOPS,
        "hops = 4\n[radio]\ninterference = \"sum\"\nbit_errors = true\n[mac]\ndata_rate_mbps = 6\n",
    ),
    ("a rate that OFDM has not", HOPS, "hops = 4\n[mac]\nphy = \"802.11a\"\ndata_rate_mbps = 11\n"),
    ("a control rate that OFDM has not", HOPS, "hops = 4\n[mac]\nphy = \"802.11g\"\nbasic_rate_mbps = 1\n"),
    (
        "bits of OFDM without it",
        HOPS,
        "hops = 4\n[radio]\ninterference = \"sum\"\nbit_errors = true\n[mac]\ndata_rate_mbps = 11\nbasic_rate_mbps = 54\n",
    ),
    ("noise above all", HOPS, "hops = 4\n[radio]\ninterference = \"sum\"\nnoise_floor_dbm = -70\n"),
    (
        "keys of the channel that nobody reads",
        HOPS,
        "hops = 4\n[radio]\npath_loss_exponent = 4\nreference_distance_m = 2\nshadowing_sigma_db = 8\nricean_k_db = 1\nnoise_floor_dbm = -90\n",
    ),
    (
        "beyond DIFS with luck",
        HOPS,
        "hops = 4\n[radio]\npropagation = \"free-space\"\nshadowing = \"frame\"\nshadowing_sigma_db = 10\n",
    ),
    ("no frames to damage", HOPS, "hops = 4\n[[errors]]\nmodel = \"uniform\"\nframes = []\nprobability = 0.1\n"),
    (
        "frames twice",
        HOPS,
        "hops = 4\n[[errors]]\nmodel = \"uniform\"\nframes = [\"ack\", \"ack\"]\nprobability = 0.1\n",
    ),
    (
        "errors on the way to oneself",
        HOPS,
        "hops = 4\n[[errors]]\nmodel = \"uniform\"\nfrom = 1\nto = 1\nprobability = 0.1\n",
    ),
    (
        "errors at an unknown node",
        HOPS,
        "hops = 4\n[[errors]]\nmodel = \"uniform\"\nfrom = 7\nto = 9\nprobability = 0.1\n",
    ),
    (
        "a link that is shadowed away",
        TOP,
        "duration_s = 100\nseed = 2\n[radio]\nshadowing = \"link\"\nshadowing_sigma_db = 6\n",
    ),
    ("beyond DIFS", HOPS, "hops = 4\n[radio]\ncarrier_sense_range_m = 15000\n"),
    ("contention windows", HOPS, "hops = 4\n[mac]\ncw_min = 63\ncw_max = 31\n"),
    ("interframe spaces", HOPS, "hops = 4\n[mac]\nsifs_us = 50\n"),
    ("both ways to say which frames RTS protects", HOPS, "hops = 4\n[mac]\nrts = \"none\"\nrts_threshold_bytes = 0\n"),
    (
        "data no longer than acknowledgements",
        END,
        "to = 4\ntransport.segment_bytes = 400\n[mac]\nrts = \"data\"\nheader_bytes = 28\n",
    ),
    ("a file that is shorter still", END, "to = 4\napp = \"file\"\nbytes = 100\n[mac]\nrts = \"data\"\n"),
    ("rings wider than the network", HOPS, "hops = 4\n[routing]\nprotocol = \"aodv\"\naodv.net_diameter = 5\n"),
    (
        "HELLOs with more jitter than interval",
        HOPS,
        "hops = 4\n[routing]\nprotocol = \"aodv\"\naodv.hello = true\naodv.hello_interval_s = 0.1\n",
    ),
    (
        "a blacklist that nothing fills",
        HOPS,
        "hops = 4\n[routing]\nprotocol = \"aodv\"\naodv.link_feedback = false\naodv.blacklist = true\n",
    ),
    (
        "AODV that notices no lost link",
        HOPS,
        "hops = 4\n[routing]\nprotocol = \"aodv\"\naodv.link_feedback = false\naodv.hello = false\n",
    ),
    (
        "DSR that notices no lost link",
        HOPS,
        "hops = 4\n[routing]\nprotocol = \"dsr\"\ndsr.link_layer_feedback = false\n",
    ),
    (
        "keys of the other ways of DSR",
        HOPS,
        "hops = 4\n[routing]\nprotocol = \"dsr\"\ndsr.network_acks = true\ndsr.route_cache_timeout_s = 60\n",
    ),
    ("HELLOs of an AODV without them", HOPS, "hops = 4\n[routing]\nprotocol = \"aodv\"\naodv.allowed_hello_loss = 3\n"),
    ("key of the other AODV", HOPS, "hops = 4\n[routing]\nprotocol = \"aodv\"\naodv.purge_interval_ms = 5\n"),
    ("datagrams over TCP", END, "to = 4\napp = \"cbr\"\nrate_kbps = 100\n[flows.transport]\nprotocol = \"reno\"\n"),
    ("bytes over UDP", END, "to = 4\napp = \"bulk\"\n[flows.transport]\nprotocol = \"udp\"\n"),
    ("TCP's parameters for UDP", END, "to = 4\napp = \"cbr\"\nrate_kbps = 100\n[flows.transport]\nsegment_bytes = 9\n"),
    ("rate without datagrams", END, "to = 4\nrate_kbps = 100\n"),
    ("datagrams without a rate", END, "to = 4\napp = \"cbr\"\n"),
    ("pauses without lengths", END, "to = 4\napp = \"onoff\"\nrate_kbps = 100\n"),
    ("time-outs", END, "to = 4\n[flows.transport]\nmin_rto_ms = 2000\nmax_rto_s = 1\n"),
    ("spaced too far", HOPS, "hops = 4\nspacing_m = 250.5\n"),
    ("spaced too far, over AODV", HOPS, "hops = 4\nspacing_m = 300\n[routing]\nprotocol = \"aodv\"\n"),
    ("a gap", "\"chain\"\nhops = 4", "\"positions\"\nlist = [[0, 0], [200, 0], [500, 0], [700, 0], [700, 200]]"),
    (
        "a drawn place without a way",
        "\"chain\"\nhops = 4",
        "\"random\"\nnodes = 5\n[area]\nwidth_m = 9e3\nheight_m = 9e3",
    ),
    ("no movement file", "\"chain\"\nhops = 4", "\"ns2\"\nfile = \"nowhere.tcl\""),
    ("static routes, moving nodes", "\"chain\"\nhops = 4", "\"ns2\"\nfile = \"moving.tcl\""),
    ("broken movement file", "\"chain\"\nhops = 4", "\"ns2\"\nfile = \"broken.tcl\""),
    (
        "movement of BonnMotion in three dimensions",
        "\"chain\"\nhops = 4",
        "\"bonnmotion\"\nfile = \"heights.movements\"",
    ),
    ("floating-car data cut short", "\"chain\"\nhops = 4", "\"sumo-fcd\"\nfile = \"cut.xml\""),
    ("static routes, absent vehicles", "\"chain\"\nhops = 4", "\"sumo-fcd\"\nfile = \"cars.xml\""),
    ("no steady state", CHAINED, moving!("model = \"random-waypoint\"\nmin_speed_mps = 0\n")),
    ("speeds the wrong way round", CHAINED, moving!("model = \"random-waypoint\"\nmin_speed_mps = 30\n")),
    ("pauses the wrong way round", CHAINED, moving!("model = \"random-waypoint\"\npause_s = 5\npause_max_s = 4\n")),
    ("legs of both kinds", CHAINED, moving!("model = \"random-walk\"\nleg_s = 5\nleg_m = 4\n")),
    ("legs that never end", CHAINED, moving!("model = \"random-walk\"\nmin_speed_mps = 0\nleg_m = 4\n")),
    ("nothing but edges", CHAINED, moving!("model = \"gauss-markov\"\nedge_m = 150\n")),
    ("turns above one", CHAINED, moving!("model = \"manhattan\"\nturn_left = 0.6\nturn_right = 0.5\n")),
    ("more groups than nodes", CHAINED, moving!("model = \"reference-point-group\"\ngroups = 30\n")),
    ("too many turning points", CHAINED, moving!("model = \"random-walk\"\nleg_m = 0.1\nmax_speed_mps = 1e4\n")),
    ("static routes, model", CHAINED, moving!("model = \"gauss-markov\"\n")),
    ("steady state from given places", HOPS, "hops = 4\n[mobility]\nmodel = \"random-waypoint\"\n"),
    ("groups from given places", HOPS, "hops = 4\n[mobility]\nmodel = \"reference-point-group\"\n"),
    ("beginning outside the area", HOPS, "hops = 4\n[area]\nwidth_m = 700\n[mobility]\nmodel = \"random-walk\"\n"),
    (
        "model beside a movement file",
        "\"chain\"\nhops = 4",
        "\"ns2\"\nfile = \"moving.tcl\"\n[mobility]\nmodel = \"random-walk\"",
    ),
    ("event at an unknown node", HOPS, "hops = 4\n[[events]]\nat_s = 1\nnode = 5\ndo = \"down\"\n"),
    ("up before down", HOPS, "hops = 4\n[routing]\nprotocol = \"aodv\"\n[[events]]\nat_s = 1\nnode = 2\ndo = \"up\"\n"),
    ("static routes, events", HOPS, "hops = 4\n[[events]]\nat_s = 1\nnode = 2\ndo = \"down\"\n"),
    (
        "static routes, moves",
        HOPS,
        "hops = 4\n[[events]]\nat_s = 1\nnode = 2\ndo = \"move\"\nto_m = [1, 2]\nspeed_mps = 3\n",
    ),
    ("capture at an unknown node", HOPS, "hops = 4\n[output]\npcap = [0, 9]\n"),
    ("capture at a node twice", HOPS, "hops = 4\n[output]\npcap = [0, 3, 0]\n"),
];

/// Triggers of the chain's flow, and what is wrong with them.
pub(crate) const TRIGGERS: &[Case] = &[
    ("no list", END, "to = 4\n[flows.transport.triggers]\nwhen = []\n"),
    ("nothing in it", END, "to = 4\n[[flows.transport.triggers]]\n"),
    ("no condition", END, "to = 4\n[[flows.transport.triggers]]\nwhen = []\nset = { response = \"spare\" }\n"),
    (
        "an unknown monitor",
        END,
        "to = 4\n[[flows.transport.triggers]]\nwhen = [{ monitor = \"los\", above = 2 }]\nset = { response = \"spare\" }\n",
    ),
    (
        "no side",
        END,
        "to = 4\n[[flows.transport.triggers]]\nwhen = [{ monitor = \"loss\" }]\nset = { response = \"spare\" }\n",
    ),
    (
        "two sides",
        END,
        "to = 4\n[[flows.transport.triggers]]\nwhen = [{ monitor = \"loss\", above = 2, below = 3 }]\nset = { response = \
         \"spare\" }\n",
    ),
    (
        "until on the wrong side",
        END,
        "to = 4\n[[flows.transport.triggers]]\nwhen = [{ monitor = \"loss\", above = 2, until = 2.5 }]\nset = { response = \
         \"spare\" }\n",
    ),
    (
        "a number that is none",
        END,
        "to = 4\n[[flows.transport.triggers]]\nwhen = [{ monitor = \"delay\", below = -2 }]\nset = { response = \
         \"spare\" }\n",
    ),
    (
        "a network measured",
        END,
        "to = 4\n[[flows.transport.triggers]]\nwhen = [{ monitor = \"interface\", above = 0 }]\nset = { response = \
         \"spare\" }\n",
    ),
    (
        "slips in every place",
        END,
        "to = 4\n[[flows.transport.triggers]]\nwehn = []\nany = 1\nset = { respons = \"spare\", avoidance = \"vagas\", \
         timeout = 3, protocol = \"vegas\" }\n",
    ),
    (
        "nothing set",
        END,
        "to = 4\n[[flows.transport.triggers]]\nwhen = [{ monitor = \"loss\", above = 2 }]\nset = {}\n",
    ),
    (
        "an impossible set",
        END,
        "to = 4\n[[flows.transport.triggers]]\nwhen = [{ monitor = \"loss\", above = 2 }]\nset = { control = \"hybrid\" }\n",
    ),
    (
        "what the network must know",
        END,
        "to = 4\n[[flows.transport.triggers]]\nwhen = [{ monitor = \"loss\", above = 2 }]\nset = { path = \"elfn\" }\n",
    ),
    (
        "contradictory rows",
        END,
        "to = 4\n[[flows.transport.triggers]]\nwhen = [{ monitor = \"loss\", above = 2 }]\nset = { response = \"spare\" }\n\
         [[flows.transport.triggers]]\nwhen = [{ monitor = \"loss\", above = 2 }]\nset = { response = \"veno\" }\n",
    ),
    (
        "a hold that is none",
        END,
        "to = 4\ntransport.trigger_hold_s = -1\n[[flows.transport.triggers]]\nwhen = [{ monitor = \"loss\", above = 2 }]\nset \
         = { response = \"spare\" }\n",
    ),
    (
        "told by a medium",
        END,
        "to = 4\ntransport.monitor_source = \"told\"\n[[flows.transport.triggers]]\nwhen = [{ monitor = \"loss\", above = 2 }]\nset \
         = { response = \"spare\" }\n",
    ),
    (
        "one way without timestamps",
        END,
        "to = 4\ntransport.jitter_of = \"one-way\"\n[[flows.transport.triggers]]\nwhen = [{ monitor = \"jitter\", above = 9 \
         }]\nset = { response = \"spare\" }\n",
    ),
    (
        "one way of what is asked for",
        END,
        "to = 4\ntransport.jitter_of = \"one-way\"\ntransport.timestamps = true\ntransport.place = \"receiver\"\n\
         [[flows.transport.triggers]]\nwhen = [{ monitor = \"jitter\", above = 9 }]\nset = { response = \"spare\" }\n",
    ),
    ("of datagrams", END, "to = 4\napp = \"cbr\"\nrate_kbps = 8\n[[flows.transport.triggers]]\nwhen = []\nset = {}\n"),
];

/// Links in place of the chain, and what is wrong with them.
pub(crate) const LINKS: &[Case] = &[
    ("no links", CHAIN_OF, "kind = \"links\"\n"),
    (
        "frames over links",
        CHAIN_OF,
        "kind = \"links\"\n[[links]]\nfrom = 0\nto = 4\ndelay_ms = 5\n[[attach]]\nnode = 0\nlayer = \"ethernet\"\n",
    ),
    ("links beside a medium", HOPS, "hops = 4\n[[links]]\nfrom = 0\nto = 1\n"),
    (
        "slips",
        CHAIN_OF,
        "kind = \"links\"\n[[links]]\nfrom = 0\nto = 4\npreset = \"wlna\"\nrate = 8\ndirections = \"both\"\n",
    ),
    ("no ends", CHAIN_OF, "kind = \"links\"\n[[links]]\nrate_kbps = 8\n"),
    ("a link to itself", CHAIN_OF, "kind = \"links\"\n[[links]]\nfrom = 4\nto = 4\n"),
    ("a link twice", CHAIN_OF, "kind = \"links\"\n[[links]]\nfrom = 0\nto = 4\n[[links]]\nfrom = 4\nto = 0\n"),
    ("no way", CHAIN_OF, "kind = \"links\"\n[[links]]\nfrom = 0\nto = 1\n[[links]]\nfrom = 3\nto = 4\n"),
    ("no way back", CHAIN_OF, "kind = \"links\"\n[[links]]\nfrom = 0\nto = 4\ndirections = \"one-way\"\n"),
    (
        "a radio",
        CHAIN_OF,
        "kind = \"links\"\n[[links]]\nfrom = 0\nto = 4\n[radio]\nreception_range_m = 9\n[mac]\ncw_min = 15\n[output]\npcap = \
         [0]\nns2_trace = \"new\"\nseries = [\"backoff\"]\n",
    ),
    (
        "hops of a network",
        CHAIN_OF,
        "kind = \"links\"\n[[links]]\nfrom = 0\nto = 4\n[output]\nmedium_use = true\nframes = \
         true\npositions = true\nseries = [\"connection-progress\"]\n",
    ),
    (
        "out of range",
        CHAIN_OF,
        "kind = \"links\"\n[[links]]\nfrom = 0\nto = 4\nrate_kbps = 0\nloss_percent = 101\ndelay_ms = -1\nburst_packets = \
         0.5\namplitude_percent = 100\n",
    ),
    (
        "what does not go together",
        CHAIN_OF,
        "kind = \"links\"\n[[links]]\nfrom = 0\nto = 4\ndirections = \"shared\"\nreverse = { rate_kbps = 8 }\nvariation = \
         \"sine\"\nloss_per = \"bit\"\nburst_packets = 3\n",
    ),
    (
        "changes out of order",
        CHAIN_OF,
        "kind = \"links\"\n[[links]]\nfrom = 0\nto = 4\n[[links.changes]]\nat_s = 5\n[[links.changes]]\nat_s = \
         4\n[[links.changes]]\nat_s = 500\nlos_percent = 3\n",
    ),
];

const CHAIN_OF: &str = "kind = \"chain\"\nhops = 4\n";
