//! The parameters of OLSR.
//!
//! Spec      RFC 3626 §18; Papanastasiou 2006, tables 3.3 and A.3
//! Deviates  nothing
//! Holds     nothing of the run: constants only

use hopwright_machine::Duration;

/// Willingness of a node that carries nobody's packets (§18.8).
pub const WILL_NEVER: u8 = 0;
/// Willingness of a node that says nothing else (§18.8).
pub const WILL_DEFAULT: u8 = 3;
/// Willingness of a node that every neighbour takes as relay (§18.8).
pub const WILL_ALWAYS: u8 = 7;

/// Parameters of OLSR.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// HELLO_INTERVAL: the longest time between two HELLOs.
    pub hello_interval: Duration,
    /// REFRESH_INTERVAL: within this time every link is in some HELLO (§6.2). Where it is longer than
    /// `hello_interval`, a HELLO leaves out links that are not due and have not changed.
    pub refresh_interval: Duration,
    /// TC_INTERVAL: the longest time between two TC messages.
    pub tc_interval: Duration,
    /// NEIGHB_HOLD_TIME: for how long receivers believe a HELLO.
    pub neighbour_hold_time: Duration,
    /// TOP_HOLD_TIME: for how long receivers believe a TC message.
    pub topology_hold_time: Duration,
    /// DUP_HOLD_TIME: for how long a flooded message is remembered.
    pub duplicate_hold_time: Duration,
    /// MAXJITTER: intervals are shorter by a random time below this, and flooded messages wait for one (§3.5).
    pub max_jitter: Duration,
    /// Willingness to carry packets of others, `WILL_NEVER` to `WILL_ALWAYS`.
    pub willingness: u8,
    /// TC_REDUNDANCY: 0 advertises the neighbours that chose this node as relay, 1 also its own relays, 2 all
    /// symmetric neighbours (§15.1). A node that is `WILL_NEVER` advertises as with 0 whatever it says here.
    pub tc_redundancy: u8,
    /// MPR_COVERAGE: how many relays should reach each two-hop neighbour (§16.1).
    pub mpr_coverage: u8,
    /// Link hysteresis (§14); `None`: a link is used from the first HELLO on.
    pub hysteresis: Option<Hysteresis>,
    /// Use the link layer's reports of lost links (§13).
    pub link_layer_notification: bool,
    /// A change of the advertised neighbours is told at once, within MAXJITTER, not with the next periodic TC
    /// message (§9.3 allows it).
    pub immediate_tc: bool,
    /// A flooded message is sent on at once, without jitter and in a packet of its own, not together with others.
    pub immediate_forwarding: bool,
}

/// Constants of link hysteresis (§14.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hysteresis {
    /// HYST_THRESHOLD_HIGH: above this quality a pending link is taken into use.
    pub high: f64,
    /// HYST_THRESHOLD_LOW: below this quality a link is lost.
    pub low: f64,
    /// HYST_SCALING: the weight of one packet, received or missed.
    pub scaling: f64,
}

impl Default for Hysteresis {
    /// §14.3: 0.8, 0.3 and 0.5.
    fn default() -> Self {
        Self { high: 0.8, low: 0.3, scaling: 0.5 }
    }
}

impl Config {
    /// RFC 3626 §18, the core functions alone.
    #[must_use]
    pub const fn rfc() -> Self {
        Self {
            hello_interval: Duration::from_secs(2),
            refresh_interval: Duration::from_secs(2),
            tc_interval: Duration::from_secs(5),
            neighbour_hold_time: Duration::from_secs(6),
            topology_hold_time: Duration::from_secs(15),
            duplicate_hold_time: Duration::from_secs(30),
            max_jitter: Duration::from_millis(500),
            willingness: WILL_DEFAULT,
            tc_redundancy: 0,
            mpr_coverage: 1,
            hysteresis: None,
            link_layer_notification: false,
            immediate_tc: false,
            immediate_forwarding: false,
        }
    }

    /// TC_REDUNDANCY as it counts. Whom others would reach through a node that carries nothing for them must not be
    /// told (§15.1).
    pub(super) const fn redundancy(&self) -> u8 {
        if self.willingness == WILL_NEVER { 0 } else { self.tc_redundancy }
    }

    /// OOLSR as Papanastasiou 2006 runs it (tables 3.3 and A.3): HELLOs every second, jitter of a quarter.
    #[must_use]
    pub const fn papanastasiou() -> Self {
        Self { hello_interval: Duration::from_secs(1), max_jitter: Duration::from_millis(250), ..Self::rfc() }
    }
}
