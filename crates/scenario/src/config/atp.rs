//! From ATP's parameters to what its ends and stations do.

use hopwright_machine::Duration;
use hopwright_sim::stamps::delay;
use hopwright_transport::Value;
use hopwright_transport::atp::Params;

use crate::model::{Flow, Transport, Whole};

/// Those of its parameters that are of all stations.
pub(crate) const OF_STATIONS: [&str; 4] = ["atp_node_weight", "atp_probe_factor", "atp_idle_s", "atp_stale_s"];

/// What the ends of a flow over ATP do; `None` for another.
pub(crate) fn ends(flow: &Flow) -> Option<Params> {
    let whole = over_atp(flow)?;
    Some(Params {
        segment_bytes: number(whole, "atp_segment_bytes") as u32,
        window_segments: number(whole, "atp_window_segments") as u16,
        epoch: seconds(whole, "atp_epoch_s"),
        phi: number(whole, "atp_phi"),
        k: number(whole, "atp_k"),
        receiver_weight: number(whole, "atp_receiver_weight"),
        sack_blocks: number(whole, "atp_sack_blocks") as u32,
        halve_epochs: number(whole, "atp_halve_epochs") as u32,
        probe_epochs: number(whole, "atp_probe_epochs") as u32,
        probe_fill_bytes: number(whole, "atp_probe_fill_bytes") as u32,
        early_change: number(whole, "atp_early_change"),
    })
}

/// What all stations write for a flow over ATP; `None` for another.
pub(crate) fn stations(flow: &Flow) -> Option<delay::Config> {
    let whole = over_atp(flow)?;
    Some(delay::Config {
        weight: number(whole, "atp_node_weight"),
        probe_factor: number(whole, "atp_probe_factor"),
        idle: seconds(whole, "atp_idle_s"),
        stale: seconds(whole, "atp_stale_s"),
    })
}

fn over_atp(flow: &Flow) -> Option<&Whole> {
    let Transport::Whole(whole) = &flow.transport else { return None };
    (whole.id == "atp").then_some(whole)
}

fn number(whole: &Whole, name: &str) -> f64 {
    match whole.params.value(name) {
        Some(Value::Number(n)) => n,
        other => unreachable!("{name} is a number, not {other:?}"),
    }
}

fn seconds(whole: &Whole, name: &str) -> Duration {
    Duration::from_secs_f64(number(whole, name))
}
