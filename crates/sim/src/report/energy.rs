//! What radios and transports took in the measured time.

use hopwright_radio::RadioState;
use schemars::JsonSchema;
use serde::Serialize;

use crate::annotations::{shown, when};
use crate::energy::{Meter, ROUTING, Spent};

/// Energy, over the measured time.
#[derive(Clone, Debug, Serialize, PartialEq, JsonSchema)]
#[schemars(title = "Energy", extend("x-better" = "lower"))]
pub struct EnergyReport {
    /// What the radios took.
    #[serde(flatten)]
    pub radio: Option<RadioReport>,
    /// Energy for the computation of the transports of all flows. Datagrams are not charged: their transport is eight
    /// bytes without state.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(title = "energy for computation", extend("x-shown" = shown("mJ", 1e3, 2), "x-when" = [when::compute()]))]
    pub compute_j: Option<f64>,
    /// Energy, `energy.compute_j` included if it is counted, divided by the bits that all flows handed to their
    /// receiving applications; null if there were none.
    #[schemars(title = "energy per received bit", extend("x-unit" = "J/bit", "x-shown" = shown("µJ", 1e6, 3)))]
    pub j_per_received_bit: Option<f64>,
}

/// What the radios of all nodes spent.
#[derive(Clone, Debug, Serialize, PartialEq, JsonSchema)]
pub struct RadioReport {
    /// Energy that the radios of all nodes spent.
    #[schemars(title = "energy", extend("x-shown" = shown("J", 1.0, 1), "x-when" = [when::radio_energy()]))]
    pub radio_j: f64,
    /// The part of `energy.radio_j` that radios spent on frames: sending, receiving, overhearing or sensing them.
    #[schemars(title = "communication energy", extend("x-when" = [when::radio_energy()]))]
    pub communication_j: f64,
    /// `energy.communication_j` divided by the bits that all flows handed to their receiving applications; null if
    /// there were none.
    #[schemars(title = "communication energy per received bit", extend("x-null" = true, "x-unit" = "J/bit", "x-shown" = shown("µJ", 1e6, 3), "x-when" = [when::radio_energy()]))]
    pub communication_j_per_received_bit: Option<f64>,
    /// The part of `energy.communication_j` for messages of routing, messages of address resolution, and notices. The
    /// flows took the rest.
    #[schemars(title = "energy for routing", extend("x-when" = [when::radio_energy()]))]
    pub routing_j: f64,
    /// `energy.radio_j`, by the state of the radios.
    #[schemars(extend("x-each" = "energy by state", "x-when" = [when::radio_energy()]))]
    pub state_j: OverStates,
    /// Time in each state, summed over all radios. All states together: the number of nodes times the measured time.
    #[schemars(extend("x-each" = "time of radios by state", "x-better" = "neither", "x-when" = [when::radio_energy()]))]
    pub state_time_s: OverStates,
    /// The radio of each node, in the order of the node numbers. Tables leave this field out.
    #[schemars(extend("x-when" = [when::radio_energy()]))]
    pub nodes: Vec<NodeEnergy>,
}

/// One node's radio.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, JsonSchema)]
#[schemars(title = "NodeEnergy")]
pub struct NodeEnergy {
    /// Energy that the radio of the node spent.
    #[schemars(title = "energy", extend("x-better" = "lower"))]
    pub radio_j: f64,
    /// Time in each state. All states together: the measured time.
    #[schemars(extend("x-each" = "time of the radio by state", "x-better" = "neither"))]
    pub state_time_s: OverStates,
}

/// A quantity by what radios were busy with.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, JsonSchema)]
#[schemars(title = "OverStates")]
pub struct OverStates {
    /// The radio was sending.
    #[schemars(title = "sending")]
    pub transmit: f64,
    /// The radio received frames that were strong enough to be decoded and addressed to the node, or to all nodes.
    #[schemars(title = "receiving")]
    pub receive: f64,
    /// The radio received frames that were strong enough to be decoded and addressed to another node.
    #[schemars(title = "overhearing")]
    pub overhear: f64,
    /// The radio sensed frames that were too weak to be decoded.
    #[schemars(title = "sensing")]
    pub sense: f64,
    /// No frame arrived at the radio, and the radio was not sending.
    #[schemars(title = "idle")]
    pub idle: f64,
    /// The node was down.
    #[schemars(title = "off")]
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
