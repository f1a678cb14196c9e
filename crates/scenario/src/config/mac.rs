//! The MAC of every node.

use hopwright_link as link;
use hopwright_machine::Duration;
use hopwright_radio::{LIGHT_MPS, Radio};
use hopwright_sim::stamps::contention;

use super::{has_contention, radio};
use crate::model::{Backoff, Profile, Scenario};
use crate::units::{bps, micros};

/// The MAC's configuration.
pub(crate) fn mac(scenario: &Scenario) -> link::Config {
    let mac = &scenario.mac;
    let usual = link::Config::default();
    // Waiting for an answer must outlast the way there and back between the farthest neighbours.
    let farthest_m = Radio::new(&radio(scenario)).farthest_reception_m();
    link::Config {
        kind: mac.kind,
        slot: micros(mac.slot_us),
        sifs: micros(mac.sifs_us),
        difs: micros(mac.difs_us),
        preamble: micros(mac.preamble_us),
        framing: match mac.phy.band() {
            None if scenario.run.profile == Profile::Ns2 => link::Framing::Bits,
            None => link::Framing::Microseconds,
            Some(band) => link::Framing::Symbols { extension: band.extension() },
        },
        propagation_allowance: usual.propagation_allowance.max(Duration::from_secs_f64(farthest_m / LIGHT_MPS)),
        data_rate_bps: bps(mac.data_rate_mbps),
        basic_rate_bps: bps(mac.basic_rate_mbps),
        lowest_rate_bps: match mac.phy.band() {
            None => usual.lowest_rate_bps,
            Some(_) => link::ofdm::MANDATORY_BPS[0],
        },
        cw_min: mac.cw_min,
        cw_max: mac.cw_max,
        rts_threshold_bytes: mac.rts_threshold(),
        short_retry_limit: mac.short_retry_limit,
        long_retry_limit: mac.long_retry_limit,
        rts_retries: mac.rts_retries,
        queue_packets: mac.queue_packets as usize,
        queue_discipline: mac.queue_discipline,
        fba: (mac.backoff == Backoff::Fba).then_some(link::fba::Config {
            tradeoff: mac.fba_tradeoff,
            min_threshold: mac.fba_min_threshold,
            max_threshold: mac.fba_max_threshold,
            lost_race: mac.fba_lost_race,
            emptied: mac.fba_emptied,
            buffered: mac.fba_buffered,
        }),
        lred: (mac.lred || mac.adaptive_pacing).then_some(link::lred::Config {
            min_threshold: mac.lred_min_threshold_tries,
            max_threshold: mac.lred_max_threshold_tries,
            max_probability: mac.lred_max_probability,
            weight: mac.lred_weight,
            signals: mac.lred,
            paces: mac.adaptive_pacing,
        }),
        header_bytes: mac.header_bytes + if has_contention(scenario) { contention::FIELD_BYTES } else { 0 },
        backoff_includes_cw: mac.backoff_includes_cw,
        backoff_always: mac.backoff_always,
        eifs: mac.eifs,
        data_waits_for_idle: mac.data_waits_for_idle,
        rts_counts_preamble: mac.rts_counts_preamble,
        retry_counters: mac.retry_counters,
        link_delay: micros(mac.link_delay_us),
        arp: mac.arp.then(|| match scenario.run.profile {
            Profile::Standard => link::arp::Config { delay: micros(mac.link_delay_us), ..Default::default() },
            Profile::Ns2 => link::arp::Config::ns2(),
        }),
    }
}
