//! What each number of the file may be: one list, from which the checks and their messages come.

/// The numbers allowed under a key; list positions are left out of the key.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The key: `flows.start_s`.
    pub key: &'static str,
    /// The smallest number, or the one that all must exceed.
    pub least: f64,
    /// Whether `least` itself is allowed.
    pub inclusive: bool,
    /// The largest number.
    pub most: f64,
}

impl Limit {
    /// Whether `n` is allowed. No limit allows infinity or "not a number".
    #[must_use]
    pub fn allows(&self, n: f64) -> bool {
        n <= self.most && if self.inclusive { n >= self.least } else { n > self.least }
    }

    /// The same of a whole number, which a floating-point number may not hold exactly.
    #[must_use]
    pub fn allows_whole(&self, n: i64) -> bool {
        self.allows(n as f64) && i128::from(n) <= self.most as i128
    }

    /// The range in words.
    #[must_use]
    pub fn describe(&self) -> String {
        let Self { least, most, .. } = self;
        if self.inclusive { format!("from {least} to {most}") } else { format!("above {least}, up to {most}") }
    }
}

/// The limits of the numbers under `key`.
#[must_use]
pub fn limit(key: &str) -> Option<&'static Limit> {
    let of = |key: &str| LIMITS.iter().find(|l| l.key == key);
    // What a link is like is said in the same words of the way back, and of what it becomes.
    let later = ["links.changes.reverse.", "links.changes.", "links.reverse."];
    of(key).or_else(|| later.iter().find_map(|table| of(&format!("links.{}", key.strip_prefix(table)?))))
}

const fn from(key: &'static str, least: f64, most: f64) -> Limit {
    Limit { key, least, inclusive: true, most }
}

const fn above(key: &'static str, least: f64, most: f64) -> Limit {
    Limit { key, least, inclusive: false, most }
}

/// What floating-point numbers, and those who read JSON into them, still hold exactly: 2^53.
const LARGEST: f64 = 9_007_199_254_740_992.0;
const COUNT: f64 = u32::MAX as f64;
/// Longer than any run.
const LONGEST_S: f64 = 1e6;

/// The clock's step: a shorter time would be none.
const STEP_US: f64 = 0.001;
/// The shortest time after which a protocol does something of its own accord, or forgets: what happens without end, or
/// again and again, must let time pass. Shorter than any frame at the rates of today.
const SHORTEST_S: f64 = 1e-6;
const SHORTEST_MS: f64 = 1e-3;
/// The shortest time between two things that happen for ever, of each node: the run would not get on otherwise.
const PERIOD_S: f64 = 1e-3;
const PERIOD_MS: f64 = 1.0;
/// The shortest length that a node goes, or a link bridges.
const SHORTEST_M: f64 = 1e-3;

/// The longest time that an OLSR message can state (RFC 3626 §18.3).
const LONGEST_OLSR_S: f64 = 3968.0;

/// Every number of the file but the transport's, which the transport layer checks itself.
pub const LIMITS: &[Limit] = &[
    from("duration_s", SHORTEST_S, LONGEST_S),
    from("seed", 0.0, LARGEST),
    from("warm_up_s", 0.0, LONGEST_S),
    from("topology.hops", 1.0, 9_999.0),
    from("topology.rows", 1.0, 10_000.0),
    from("topology.columns", 1.0, 10_000.0),
    from("topology.arm_hops", 1.0, 2_499.0),
    from("topology.leaves", 1.0, 9_999.0),
    from("topology.nodes", 2.0, 10_000.0),
    from("topology.spacing_m", SHORTEST_M, 1e6),
    from("topology.radius_m", SHORTEST_M, 1e6),
    from("topology.list", -1e6, 1e6),
    from("area.width_m", SHORTEST_M, 1e6),
    from("area.height_m", SHORTEST_M, 1e6),
    from("mobility.min_speed_mps", 0.0, 1e4),
    above("mobility.max_speed_mps", 0.0, 1e4),
    from("mobility.pause_s", 0.0, LONGEST_S),
    from("mobility.pause_max_s", 0.0, LONGEST_S),
    from("mobility.leg_s", PERIOD_S, LONGEST_S),
    from("mobility.leg_m", SHORTEST_M, 1e6),
    from("mobility.alpha", 0.0, 1.0),
    from("mobility.mean_speed_mps", 0.0, 1e4),
    from("mobility.speed_sd_mps", 0.0, 1e4),
    from("mobility.direction_sd_deg", 0.0, 360.0),
    from("mobility.update_interval_s", PERIOD_S, LONGEST_S),
    from("mobility.edge_m", 0.0, 1e6),
    from("mobility.groups", 1.0, 10_000.0),
    from("mobility.radius_m", 0.0, 1e6),
    from("mobility.deviation_m", 0.0, 1e6),
    from("mobility.blocks_x", 1.0, 10_000.0),
    from("mobility.blocks_y", 1.0, 10_000.0),
    from("mobility.turn_left", 0.0, 1.0),
    from("mobility.turn_right", 0.0, 1.0),
    from("mobility.acceleration_mps2", 0.0, 1e4),
    from("events.at_s", 0.0, LONGEST_S),
    from("events.node", 0.0, COUNT),
    from("events.to_m", -1e6, 1e6),
    above("events.speed_mps", 0.0, 1e4),
    from("errors.from", 0.0, COUNT),
    from("errors.to", 0.0, COUNT),
    from("errors.probability", 0.0, 1.0),
    from("errors.mean_good_s", 1e-5, LONGEST_S),
    from("errors.mean_bad_s", 1e-5, LONGEST_S),
    from("errors.good_probability", 0.0, 1.0),
    from("errors.bad_probability", 0.0, 1.0),
    from("radio.path_loss_exponent", 1.0, 10.0),
    from("radio.reference_distance_m", 0.001, 1e6),
    from("radio.shadowing_sigma_db", 0.0, 30.0),
    from("radio.ricean_k_db", -30.0, 60.0),
    from("radio.noise_floor_dbm", -200.0, 100.0),
    from("radio.reception_range_m", SHORTEST_M, 1e6),
    from("radio.carrier_sense_range_m", SHORTEST_M, 1e6),
    from("radio.reception_threshold_dbm", -200.0, 100.0),
    from("radio.carrier_sense_threshold_dbm", -200.0, 100.0),
    from("radio.transmit_power_dbm", -100.0, 100.0),
    from("radio.frequency_mhz", 1.0, 1e6),
    from("radio.antenna_height_m", SHORTEST_M, 1e4),
    from("radio.capture_threshold_db", 0.0, 100.0),
    from("radio.energy.transmit_w", 0.0, 1e6),
    from("radio.energy.receive_w", 0.0, 1e6),
    from("radio.energy.overhear_w", 0.0, 1e6),
    from("radio.energy.sense_w", 0.0, 1e6),
    from("radio.energy.idle_w", 0.0, 1e6),
    from("radio.energy.off_w", 0.0, 1e6),
    from("mac.data_rate_mbps", 0.001, 1e5),
    from("mac.basic_rate_mbps", 0.001, 1e5),
    from("mac.rts_threshold_bytes", 0.0, COUNT),
    from("mac.queue_packets", 1.0, 1e6),
    from("mac.ecn_threshold_packets", 0.0, 1e6),
    from("mac.fba_tradeoff", 1.0, 65_535.0),
    from("mac.fba_min_threshold", 0.0, 1.0),
    from("mac.fba_max_threshold", 0.0, 1.0),
    from("mac.lred_min_threshold_tries", 0.0, 255.0),
    above("mac.lred_max_threshold_tries", 0.0, 255.0),
    from("mac.lred_max_probability", 0.0, 1.0),
    above("mac.lred_weight", 0.0, 1.0),
    from("mac.short_retry_limit", 1.0, 255.0),
    from("mac.long_retry_limit", 1.0, 255.0),
    from("mac.cw_min", 1.0, 65_535.0),
    from("mac.cw_max", 1.0, 65_535.0),
    from("mac.slot_us", STEP_US, 1e6),
    from("mac.sifs_us", STEP_US, 1e6),
    from("mac.difs_us", STEP_US, 1e6),
    from("mac.preamble_us", 0.0, 1e6),
    from("mac.header_bytes", 0.0, 1_000.0),
    from("mac.link_delay_us", 0.0, 1e6),
    from("routing.multicast_jitter_ms", 0.0, 1e4),
    from("routing.aodv.active_route_timeout_s", SHORTEST_S, LONGEST_S),
    from("routing.aodv.my_route_timeout_s", SHORTEST_S, LONGEST_S),
    from("routing.aodv.net_diameter", 1.0, 255.0),
    from("routing.aodv.node_traversal_time_ms", SHORTEST_MS, 1e6),
    from("routing.aodv.path_discovery_time_ms", SHORTEST_MS, 1e9),
    from("routing.aodv.ttl_start", 1.0, 255.0),
    from("routing.aodv.ttl_increment", 1.0, 255.0),
    from("routing.aodv.ttl_threshold", 1.0, 255.0),
    from("routing.aodv.rreq_retries", 0.0, 255.0),
    from("routing.aodv.buffer_packets", 0.0, 1e6),
    from("routing.aodv.buffer_timeout_s", SHORTEST_S, LONGEST_S),
    from("routing.aodv.release_gap_ms", 0.0, 1e6),
    from("routing.aodv.broadcast_jitter_ms", 0.0, 1e6),
    from("routing.aodv.delete_period_s", SHORTEST_S, 1e7),
    from("routing.aodv.timeout_buffer", 0.0, 255.0),
    from("routing.aodv.rreq_ratelimit", 1.0, COUNT),
    from("routing.aodv.rerr_ratelimit", 1.0, COUNT),
    from("routing.aodv.hello_interval_s", PERIOD_S, LONGEST_S),
    from("routing.aodv.hello_jitter_ms", 0.0, 1e6),
    from("routing.aodv.allowed_hello_loss", 1.0, 255.0),
    from("routing.aodv.max_repair_ttl", 0.0, 255.0),
    from("routing.aodv.local_add_ttl", 0.0, 255.0),
    from("routing.aodv.blacklist_timeout_s", 0.0, LONGEST_S),
    from("routing.aodv.next_hop_wait_ms", SHORTEST_MS, 1e6),
    from("routing.aodv.rev_route_life_s", 0.0, LONGEST_S),
    from("routing.aodv.max_rreq_timeout_s", 0.0, LONGEST_S),
    from("routing.aodv.purge_interval_ms", PERIOD_MS, 1e6),
    from("routing.dsr.broadcast_jitter_ms", 0.0, 1e6),
    from("routing.dsr.send_buffer_timeout_s", SHORTEST_S, LONGEST_S),
    from("routing.dsr.send_buffer_packets", 1.0, 1e6),
    from("routing.dsr.request_period_ms", SHORTEST_MS, 1e6),
    from("routing.dsr.max_request_period_s", SHORTEST_S, LONGEST_S),
    from("routing.dsr.nonprop_request_timeout_ms", SHORTEST_MS, 1e6),
    from("routing.dsr.max_salvage_count", 0.0, 15.0),
    from("routing.dsr.grat_reply_holdoff_s", 0.0, LONGEST_S),
    from("routing.dsr.cache_paths", 1.0, 1e6),
    from("routing.dsr.route_cache_timeout_s", SHORTEST_S, 1e7),
    from("routing.dsr.init_stability_s", SHORTEST_S, 1e7),
    from("routing.dsr.stability_increase", 0.0, 1e3),
    from("routing.dsr.stability_decrease", 0.0, 1.0),
    from("routing.dsr.min_lifetime_s", SHORTEST_S, 1e7),
    from("routing.dsr.use_extends_s", 0.0, 1e7),
    from("routing.dsr.request_table_size", 1.0, 1e6),
    from("routing.dsr.request_table_ids", 1.0, 1e6),
    from("routing.dsr.max_request_rexmt", 0.0, 1e6),
    from("routing.dsr.discovery_hop_limit", 1.0, 255.0),
    from("routing.dsr.reply_delay_ms", 0.0, 1e6),
    from("routing.dsr.maintenance_buffer_packets", 1.0, 1e6),
    from("routing.dsr.maint_holdoff_ms", 0.0, 1e6),
    from("routing.dsr.max_maint_rexmt", 0.0, 255.0),
    from("routing.dsr.try_passive_acks", 0.0, 255.0),
    from("routing.dsr.passive_ack_timeout_ms", SHORTEST_MS, 1e6),
    from("routing.dsr.primary_paths", 1.0, 1e6),
    from("routing.dsr.secondary_paths", 1.0, 1e6),
    from("routing.dsr.flow_timeout_s", SHORTEST_S, 65_535.0),
    from("routing.dsr.flow_route_interval_s", SHORTEST_S, LONGEST_S),
    from("routing.dsr.release_gap_ms", 0.0, 1e6),
    from("routing.olsr.hello_interval_s", PERIOD_S, LONGEST_OLSR_S),
    from("routing.olsr.refresh_interval_s", PERIOD_S, LONGEST_OLSR_S),
    from("routing.olsr.tc_interval_s", PERIOD_S, LONGEST_OLSR_S),
    from("routing.olsr.neighbour_hold_time_s", SHORTEST_S, LONGEST_OLSR_S),
    from("routing.olsr.topology_hold_time_s", SHORTEST_S, LONGEST_OLSR_S),
    from("routing.olsr.duplicate_hold_time_s", SHORTEST_S, LONGEST_S),
    from("routing.olsr.max_jitter_ms", 0.0, 1e6),
    from("routing.olsr.willingness", 0.0, 7.0),
    from("routing.olsr.tc_redundancy", 0.0, 2.0),
    from("routing.olsr.mpr_coverage", 1.0, 255.0),
    from("routing.olsr.hysteresis_high", 0.0, 1.0),
    from("routing.olsr.hysteresis_low", 0.0, 1.0),
    above("routing.olsr.hysteresis_scaling", 0.0, 1.0),
    from("routing.dsdv.update_interval_s", PERIOD_S, LONGEST_S),
    from("routing.dsdv.missed_updates", 1.0, 1000.0),
    from("routing.dsdv.initial_settling_time_s", 0.0, LONGEST_S),
    from("routing.dsdv.settling_weight", 0.0, 1.0),
    from("routing.dsdv.trigger_spacing_s", 0.0, LONGEST_S),
    from("routing.dsdv.broadcast_jitter_ms", 0.0, 1e6),
    from("routing.dsdv.start_jitter_s", 0.0, LONGEST_S),
    from("routing.dsdv.buffer_packets", 0.0, 1e6),
    from("links.from", 0.0, 9_999.0),
    from("links.to", 0.0, 9_999.0),
    above("links.rate_kbps", 0.0, 1e9),
    above("links.period_percent", 0.0, 1e6),
    from("links.amplitude_percent", 0.0, 99.0),
    from("links.delay_ms", 0.0, 1e6),
    from("links.jitter_percent", 0.0, 1000.0),
    from("links.loss_percent", 0.0, 100.0),
    from("links.burst_packets", 1.0, 1e6),
    from("links.jitter_correlation_percent", 0.0, 99.0),
    from("links.reorder_percent", 0.0, 100.0),
    from("links.reorder_gap", 1.0, 1e6),
    from("links.reorder_correlation_percent", 0.0, 99.0),
    from("links.duplicate_percent", 0.0, 100.0),
    from("links.loss_delay_correlation_percent", -100.0, 100.0),
    from("links.bad_begins_percent", 0.0, 100.0),
    from("links.bad_ends_percent", 0.0, 100.0),
    from("links.bad_loss_percent", 0.0, 100.0),
    from("links.good_loss_percent", 0.0, 100.0),
    from("links.bad_delay_ms", 0.0, 1e6),
    from("links.profile.pipes.rtt_ms", 0.0, 1e6),
    from("links.profile.pipes.lifetime_s", 0.0, LONGEST_S),
    from("links.profile.pipes.probability", 0.0, 1.0),
    from("links.profile.pipes.loss_percent", 0.0, 100.0),
    above("links.profile.pipes.rate_kbps", 0.0, 1e9),
    from("links.queue_packets", 0.0, 1e6),
    from("links.codel_target_ms", 0.001, 1e6),
    from("links.codel_interval_ms", 0.001, 1e6),
    from("links.changes.at_s", 0.0, LONGEST_S),
    from("links.changes.network", 0.0, 1000.0),
    from("relays.node", 0.0, 9_999.0),
    from("relays.towards", 0.0, 9_999.0),
    from("relays.cache_packets", 1.0, 1e6),
    from("relays.min_timeout_ms", PERIOD_MS, 1e6),
    from("relays.retry_limit", 1.0, 255.0),
    from("relays.buffer_bytes", 536.0, 1_073_725_440.0),
    from("attach.node", 0.0, COUNT),
    from("attach.prefix_length", 1.0, 32.0),
    from("output.pcap", 0.0, COUNT),
    from("output.series_interval_s", 0.0, LONGEST_S),
    from("flows.from", 0.0, COUNT),
    from("flows.to", 0.0, COUNT),
    from("flows.count", 1.0, 10_000.0),
    from("flows.parallel", 1.0, 10_000.0),
    from("flows.start_s", 0.0, LONGEST_S),
    from("flows.stop_s", 0.0, LONGEST_S),
    from("flows.rate_kbps", 0.001, 1e8),
    from("flows.payload_bytes", 1.0, 65_507.0),
    from("flows.jitter", 0.0, 1.0),
    from("flows.on_s", SHORTEST_S, LONGEST_S),
    from("flows.off_s", 0.0, LONGEST_S),
    from("flows.bytes", 1.0, LARGEST),
    from("flows.transport.segment_bytes", 1.0, 65_495.0),
    from("flows.transport.trigger_hold_s", 0.0, LONGEST_S),
    from("flows.transport.trigger_period_ms", 0.0, 1e6),
    from("flows.transport.loss_window_segments", 10.0, 1e6),
    from("flows.transport.triggers.when.above", 0.0, 1e12),
    from("flows.transport.triggers.when.below", 0.0, 1e12),
    from("flows.transport.triggers.when.until", 0.0, 1e12),
    from("flows.transport.triggers.when.equals", 0.0, 1000.0),
];
