//! From NCTP's parameters to how nodes carry bundles.

use hopwright_bundle::{
    AcksAgain, Config, HEADER_BYTES, InitialTimer, LetsGo, Resumes, Service, TimerStarts, WhenFull,
};
use hopwright_machine::Duration;
use hopwright_transport::{Value, whole as kind};

use crate::model::{Flow, Transport, Whole};
use crate::units::millis;

/// How nodes carry the bundles of a flow, if bundles carry it.
pub(crate) fn config(flow: &Flow) -> Option<Config> {
    let Transport::Whole(whole) = &flow.transport else { return None };
    (kind(&whole.id)?.kind == "nctp").then(|| of(whole))
}

fn of(whole: &Whole) -> Config {
    let value = |name: &str| whole.params.value(name).expect("NCTP's parameters are known");
    let number = |name: &str| if let Value::Number(n) = value(name) { n } else { unreachable!("{name} is a number") };
    let is = |name: &str| value(name) == Value::Bool(true);
    let seconds = |name: &str| Duration::from_secs_f64(number(name));
    let says = |name: &str, word: &str| value(name) == Value::Word(word.to_owned());
    let (hold, room) = (seconds("nctp_hold_s"), number("nctp_buffer_bundles") as u32);
    let headers = if is("nctp_packet_bytes_include_headers") { HEADER_BYTES } else { 0 };
    Config {
        bundle_packets: number("nctp_bundle_packets") as u16,
        // A length without data is refused when a scenario is checked.
        payload_bytes: (number("nctp_packet_bytes") as u32).saturating_sub(headers).max(1),
        in_transit: number("nctp_bundles_in_transit") as u32,
        merges_connections: is("nctp_merge_connections"),
        initial_timer: match seconds("nctp_initial_timer_s") {
            _ if says("nctp_initial_timer", "none") => InitialTimer::Unlimited,
            time if says("nctp_initial_timer", "per-hop") => InitialTimer::PerHop(time),
            time => InitialTimer::Fixed(time),
        },
        max_timer: seconds("nctp_max_timer_s"),
        timer_starts: match says("nctp_timer_starts", "before-transfer") {
            true => TimerStarts::BeforeTransfer,
            false => TimerStarts::AfterTransfer,
        },
        receive_timer: seconds("nctp_recv_timer_s"),
        probe_timer: seconds("nctp_probe_timer_s"),
        heeds_errors: is("nctp_probe_errors"),
        probe_lead: number("nctp_probe_lead_packets") as u16,
        source_probes: is("nctp_source_probes"),
        retry: millis(number("nctp_retry_ms")),
        hold: (hold > Duration::ZERO).then_some(hold),
        acks_again: if says("nctp_reack", "first-packet") { AcksAgain::FirstPacket } else { AcksAgain::Complete },
        service: match () {
            () if says("nctp_service", "oldest-first") => Service::OldestFirst,
            () if says("nctp_service", "nearest-first") => Service::NearestFirst,
            () => Service::Turns,
        },
        cut_through: is("nctp_cut_through"),
        room: (room > 0).then_some(room),
        when_full: if says("nctp_when_full", "refuse") { WhenFull::Refuse } else { WhenFull::Drop },
        lets_go: if says("nctp_relay_keeps", "until-ack") { LetsGo::OnAck } else { LetsGo::OnTransfer },
        link_tries: number("nctp_link_tries") as u32,
        resumes: match says("nctp_restart", "failed-packet") {
            true => Resumes::WhereItFailed,
            false => Resumes::AtTheBeginning,
        },
        messages_first: is("nctp_messages_first"),
        survives_down: is("nctp_survives_down"),
    }
}
