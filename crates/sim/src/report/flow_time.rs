//! Where a flow's time went: each moment of it counts once in what the sender says, and once in what its packets say. And
//! where the time of its packets went.

use schemars::JsonSchema;
use serde::Serialize;

/// What kept a sender from sending more.
#[derive(Clone, Copy, Debug, Default, Serialize, PartialEq, JsonSchema)]
#[schemars(title = "SenderTimes")]
pub struct SenderTimes {
    /// The connection was being opened.
    #[schemars(title = "opening")]
    pub opening: f64,
    /// The application had nothing more to send, or had not begun.
    #[schemars(title = "limited by the application")]
    pub application: f64,
    /// Pacing held the next segment back until its time came.
    #[schemars(title = "limited by pacing")]
    pub pacing: f64,
    /// The window that the receiver offers was full, or the window of the scenario's `window_limit_segments`.
    #[schemars(title = "limited by the receiver's window")]
    pub receiver_window: f64,
    /// The congestion window was full, or only the next acknowledgement let more segments leave.
    #[schemars(title = "limited by the congestion window")]
    pub congestion_window: f64,
    /// The sender was repairing a loss (fast recovery).
    #[schemars(title = "repairing a loss", extend("x-better" = "lower"))]
    pub recovery: f64,
    /// From a time-out until new data was acknowledged: equal to `phase_time_s.rto`.
    #[schemars(title = "in time-outs", extend("x-better" = "lower"))]
    pub time_out: f64,
    /// The sender sent nothing, because it was told that its route failed: equal to `phase_time_s.frozen`.
    #[schemars(title = "frozen")]
    pub frozen: f64,
}

/// Where the packets of a flow were. Each moment counts for the first of these that is true of any of them.
#[derive(Clone, Copy, Debug, Default, Serialize, PartialEq, JsonSchema)]
#[schemars(title = "NetworkTimes")]
pub struct NetworkTimes {
    /// A frame of the exchange of a packet was on the air: RTS, CTS, data, ACK.
    #[schemars(title = "on the air")]
    pub on_air: f64,
    /// A station served a packet, and waited for the medium: idle times, back-off, frames of other stations, answers
    /// that did not come.
    #[schemars(title = "waiting for the medium")]
    pub medium: f64,
    /// A packet waited in an interface queue behind another packet.
    #[schemars(title = "queued")]
    pub queued: f64,
    /// A packet was in the network, but not at a station: it was on a shaped link, or waited for a route in a router.
    #[schemars(title = "in routers or on links")]
    pub elsewhere: f64,
    /// No packet of the flow was in the network.
    #[schemars(title = "nothing in the network")]
    pub nothing: f64,
}

/// Where a packet with data was, from its making to its arrival.
///
/// Means over packets that arrived, null if none did; the parts add up to the mean delay.
#[derive(Clone, Copy, Debug, Default, Serialize, PartialEq, JsonSchema)]
#[schemars(title = "PacketTimes")]
pub struct PacketTimes {
    /// Frames of the packet's exchanges were on the air: RTS, CTS, data, ACK.
    #[schemars(title = "on the air")]
    pub on_air: Option<f64>,
    /// Stations served the packet, and waited for the medium: the contention delay of all hops.
    #[schemars(title = "waiting for the medium")]
    pub medium: Option<f64>,
    /// The packet waited in interface queues behind other packets.
    #[schemars(title = "queued")]
    pub queued: Option<f64>,
    /// The packet was not at a station: it was on a shaped link, or waited for a route in a router.
    #[schemars(title = "in routers or on links")]
    pub elsewhere: Option<f64>,
}
