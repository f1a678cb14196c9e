//! What radios and transports took in the measured time.

use hopwright_radio::RadioState;
use serde::Serialize;

use crate::energy::{Meter, ROUTING, Spent};

/// Energy, over the measured time.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct EnergyReport {
    /// What the radios took; `None` where they are not counted.
    #[serde(flatten)]
    pub radio: Option<RadioReport>,
    /// Joules that transports computed for; `None` where that is not counted. Datagrams have a transport of eight bytes
    /// and no state: none are charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compute_j: Option<f64>,
    /// All of it over bits handed to receiving applications, joules; `None` if there were none.
    pub j_per_received_bit: Option<f64>,
}

/// What the radios of all nodes took.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct RadioReport {
    /// All of it, joules.
    pub radio_j: f64,
    /// The part of it in which they were busy with a frame: without idle and off.
    pub communication_j: f64,
    /// That part over bits handed to receiving applications, joules; `None` if there were none.
    pub communication_j_per_received_bit: Option<f64>,
    /// The part of `communication_j` that routing and address resolution took: what the flows did not.
    pub routing_j: f64,
    /// `radio_j` by state.
    pub state_j: OverStates,
    /// Seconds in each state, of all radios together.
    pub state_time_s: OverStates,
    /// Of each node, in order of their numbers.
    pub nodes: Vec<NodeEnergy>,
}

/// One node's radio.
#[derive(Clone, Copy, Debug, Serialize, PartialEq)]
pub struct NodeEnergy {
    /// What it took, joules.
    pub radio_j: f64,
    /// Seconds in each state.
    pub state_time_s: OverStates,
}

/// A quantity by what radios were busy with.
#[derive(Clone, Copy, Debug, Serialize, PartialEq)]
pub struct OverStates {
    /// Sending.
    pub transmit: f64,
    /// Receiving what was for the node, or for everyone.
    pub receive: f64,
    /// Hearing what was for another node.
    pub overhear: f64,
    /// Hearing what was too weak to be decoded.
    pub sense: f64,
    /// Hearing nothing.
    pub idle: f64,
    /// The node was down.
    pub off: f64,
}

impl OverStates {
    fn new(of: impl Fn(RadioState) -> f64) -> Self {
        let [transmit, receive, overhear, sense, idle, off] = RadioState::ALL.map(of);
        Self { transmit, receive, overhear, sense, idle, off }
    }

    fn times(spent: &Spent) -> Self {
        Self::new(|state| spent[state as usize] as f64 / 1e9)
    }
}

impl EnergyReport {
    /// `None` if neither radios nor transports are counted. `bytes`: what all receivers got.
    pub(crate) fn new(radio: Option<&Meter>, compute_j: Option<f64>, bytes: u64) -> Option<Self> {
        let per_bit = |joules: f64| (bytes > 0).then(|| joules / (bytes as f64 * 8.0));
        let radio = radio.map(|meter| RadioReport::new(meter, per_bit));
        let parts = [radio.as_ref().map(|radio| radio.radio_j), compute_j];
        parts.iter().any(Option::is_some).then(|| Self {
            j_per_received_bit: per_bit(parts.into_iter().flatten().sum()),
            compute_j,
            radio,
        })
    }
}

impl RadioReport {
    fn new(meter: &Meter, per_bit: impl Fn(f64) -> Option<f64>) -> Self {
        let mut spent = Spent::default();
        for node in meter.of_nodes() {
            spent.iter_mut().zip(node).for_each(|(sum, ns)| *sum += ns);
        }
        let node = |spent: &Spent| NodeEnergy { radio_j: meter.joules(spent), state_time_s: OverStates::times(spent) };
        let communication_j = meter.joules(&spent[..RadioState::Idle as usize]);
        Self {
            radio_j: meter.joules(&spent),
            communication_j,
            communication_j_per_received_bit: per_bit(communication_j),
            routing_j: meter.of_account_j(ROUTING),
            state_j: OverStates::new(|state| meter.powers.joules(state, spent[state as usize])),
            state_time_s: OverStates::times(&spent),
            nodes: meter.of_nodes().map(node).collect(),
        }
    }
}
