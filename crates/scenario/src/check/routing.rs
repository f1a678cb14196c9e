//! Rules between the keys of one routing protocol.

use crate::model::{Aodv, Olsr, Scenario};
use crate::read::Document;

pub(super) fn routing(document: &mut Document, scenario: &Scenario) {
    let routing = &scenario.routing;
    if let Some(table) = routing.aodv.as_ref().filter(|_| document.is_clean("routing.aodv")) {
        aodv(document, table);
    }
    if let Some(table) = routing.olsr.as_ref().filter(|_| document.is_clean("routing.olsr")) {
        olsr(document, table);
    }
}

fn aodv(document: &mut Document, aodv: &Aodv) {
    if aodv.ttl_threshold > aodv.net_diameter {
        let reason =
            format!("ttl_threshold ({}) must not exceed net_diameter ({})", aodv.ttl_threshold, aodv.net_diameter);
        document.refuse("routing.aodv.ttl_threshold", reason);
    }
    if let (Some(jitter_ms), Some(interval_s)) = (aodv.hello_jitter_ms, aodv.hello_interval_s)
        && jitter_ms >= interval_s * 1e3
    {
        let reason = format!("hello_jitter_ms ({jitter_ms}) must be less than hello_interval_s ({interval_s} s)");
        let key = if document.gives("routing.aodv.hello_jitter_ms") { "hello_jitter_ms" } else { "hello_interval_s" };
        document.refuse(&format!("routing.aodv.{key}"), reason);
    }
    if aodv.blacklist == Some(true) && aodv.link_feedback == Some(false) && aodv.rrep_ack == Some(false) {
        let reason = "blacklist has no effect without link_feedback and without rrep_ack: no lost reply is noticed";
        document.refuse("routing.aodv.blacklist", reason.to_owned());
    }
}

fn olsr(document: &mut Document, olsr: &Olsr) {
    let (hello, tc, jitter) = (olsr.hello_interval_s, olsr.tc_interval_s, olsr.max_jitter_ms);
    if jitter * 1e-3 >= hello.min(tc) {
        let reason = format!(
            "max_jitter_ms ({jitter}) must be shorter than hello_interval_s ({hello}) and tc_interval_s ({tc})"
        );
        document.refuse("routing.olsr.max_jitter_ms", reason);
    }
    let refresh = olsr.refresh_interval_s;
    if refresh < hello {
        let reason = format!("refresh_interval_s ({refresh}) must not be shorter than hello_interval_s ({hello})");
        document.refuse("routing.olsr.refresh_interval_s", reason);
    }
    for (key, hold, name, interval) in [
        ("routing.olsr.neighbour_hold_time_s", olsr.neighbour_hold_time_s, "refresh_interval_s", refresh),
        ("routing.olsr.topology_hold_time_s", olsr.topology_hold_time_s, "tc_interval_s", tc),
    ] {
        if hold < interval {
            document.refuse(key, format!("{hold} s must not be shorter than {name} ({interval})"));
        }
    }
    if olsr.hysteresis_low > olsr.hysteresis_high {
        let reason = format!(
            "hysteresis_low ({}) must not exceed hysteresis_high ({})",
            olsr.hysteresis_low, olsr.hysteresis_high
        );
        document.refuse("routing.olsr.hysteresis_low", reason);
    }
}
