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
    /// The next segment was held back until its time came.
    #[schemars(title = "limited by pacing")]
    pub pacing: f64,
    /// The window that the receiver offers was full, or the scenario's `window_limit_segments`.
    #[schemars(title = "limited by the receiver's window")]
    pub receiver_window: f64,
    /// The congestion window was full, or the next acknowledgement alone let more leave.
    #[schemars(title = "limited by the congestion window")]
    pub congestion_window: f64,
    /// A loss was being repaired (fast recovery).
    #[schemars(title = "repairing a loss", extend("x-better" = "lower"))]
    pub recovery: f64,
    /// From a time-out until new data was acknowledged: `phase_time_s.rto`.
    #[schemars(title = "in time-outs", extend("x-better" = "lower"))]
    pub time_out: f64,
    /// The sender stood still, having been told that its route failed: `phase_time_s.frozen`.
    #[schemars(title = "frozen")]
    pub frozen: f64,
}

/// Where the packets of a flow were. Each moment counts for the first of these that is true of any of them.
#[derive(Clone, Copy, Debug, Default, Serialize, PartialEq, JsonSchema)]
#[schemars(title = "NetworkTimes")]
pub struct NetworkTimes {
    /// A frame of its exchange was on the air: RTS, CTS, data, ACK.
    #[schemars(title = "on the air")]
    pub on_air: f64,
    /// A station had its turn to send it, and waited for the medium: idle times, back-off, others' frames, answers that
    /// did not come.
    #[schemars(title = "waiting for the medium")]
    pub medium: f64,
    /// It waited in an interface queue behind another packet.
    #[schemars(title = "queued")]
    pub queued: f64,
    /// It was in the network, but at no station: with a router, for want of a route, or on a shaped link.
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
    /// Frames of its exchanges were on the air: RTS, CTS, data, ACK.
    #[schemars(title = "on the air")]
    pub on_air: Option<f64>,
    /// Stations had their turn to send it, and waited for the medium: the contention delay of all hops.
    #[schemars(title = "waiting for the medium")]
    pub medium: Option<f64>,
    /// It waited in interface queues behind other packets.
    #[schemars(title = "queued")]
    pub queued: Option<f64>,
    /// It was at no station: with a router, for want of a route, or on a shaped link.
    #[schemars(title = "in routers or on links")]
    pub elsewhere: Option<f64>,
}
