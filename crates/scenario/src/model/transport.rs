//! What carries a flow's data.
//!
//! Protocols, slots, parts and parameters come from the transport layer's own lists: a mechanism added there
//! can be named here at once.

use std::collections::BTreeMap;

use hopwright_transport::{Parameter, Params, Recipe, Value, parameters, protocol, whole};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::limit::{Limit, from};
use super::{Profile, Trigger, TriggerSettings};

/// The `[flows.transport]` table.
#[derive(Clone, Debug, PartialEq)]
pub enum Transport {
    /// A TCP, composed of mechanisms.
    Tcp(Box<Tcp>),
    /// Another machine that carries a byte stream.
    Whole(Box<Whole>),
    /// Datagrams: nothing to choose.
    Udp,
}

/// A TCP: its row in the table of protocols, slots filled otherwise, and all parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Tcp {
    /// Id in the table of protocols.
    pub protocol: String,
    /// Slots that the file fills itself, with the part's id; the others are the protocol's.
    pub slots: BTreeMap<String, String>,
    /// The parameters of all mechanisms.
    pub params: Params,
    /// Whose defaults those are that the file does not give.
    pub profile: Profile,
}

/// What its numbers may be.
pub(super) const LIMITS: &[Limit] = &[from("segment_bytes", 1.0, 65_495.0)];

/// A transport without slots: which one, and its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Whole {
    /// Its id.
    pub id: String,
    /// The parameters of all transports.
    pub params: Params,
    /// Whose defaults those are that the file does not give.
    pub profile: Profile,
}

impl Whole {
    /// Its parameters where the file gives none.
    #[must_use]
    pub fn defaults(&self) -> Params {
        let usual = Tcp::params_of_profile(self.profile);
        whole(&self.id).map_or_else(|| usual.clone(), |transport| transport.params(usual.clone()))
    }

    /// Whether it reads the parameter of this name.
    #[must_use]
    pub fn reads(&self, name: &str) -> bool {
        whole(&self.id).is_some_and(|transport| transport.knobs.iter().any(|knob| knob.name == name))
    }
}

impl Transport {
    /// Id of the transport that is not TCP.
    pub const UDP: &str = "udp";
    /// The TCP where the file names none.
    pub const DEFAULT_TCP: &str = "newreno";

    /// The id of the protocol.
    #[must_use]
    pub fn protocol(&self) -> &str {
        match self {
            Self::Tcp(tcp) => &tcp.protocol,
            Self::Whole(whole) => &whole.id,
            Self::Udp => Self::UDP,
        }
    }
}

impl Tcp {
    /// Parameters that belong to a driver with real applications: no scenario can set them.
    pub const NOT_IN_SCENARIOS: &[&str] = &["explicit_read"];

    /// The parameters' defaults.
    #[must_use]
    pub fn params_of_profile(profile: Profile) -> Params {
        match profile {
            Profile::Standard => Params::default(),
            Profile::Ns2 => Params::ns2(),
        }
    }

    /// The mechanisms: the protocol's, but for the slots that the file fills itself.
    ///
    /// # Panics
    /// If a protocol, slot or part does not exist: scenarios that name such are refused when they are read.
    #[must_use]
    pub fn recipe(&self) -> Recipe {
        let row = protocol(&self.protocol).expect("unknown protocols are refused");
        let fill = |recipe: Recipe, (slot, part): (&String, &String)| recipe.with(slot, part);
        self.slots.iter().try_fold(row.recipe, fill).expect("unknown parts are refused")
    }

    /// The mechanisms that it may come to have: those it begins with, and with those that each trigger sets.
    pub fn recipes(&self) -> impl Iterator<Item = Recipe> {
        let recipe = self.recipe();
        let triggers = self.params.triggers.as_deref();
        let later = triggers.into_iter().flat_map(move |triggers| triggers.recipes(recipe));
        std::iter::once(recipe).chain(later)
    }

    /// The parameters that a scenario can set.
    fn parameters() -> impl Iterator<Item = &'static Parameter> {
        parameters().iter().filter(|parameter| !Self::NOT_IN_SCENARIOS.contains(&parameter.name))
    }

    /// Their names.
    pub fn parameter_names() -> impl Iterator<Item = &'static str> {
        Self::parameters().map(|parameter| parameter.name)
    }
}

/// Parameters that nobody reads are left out, unless the file sets them: to another value than they would have where this
/// text is read.
fn parameters_into<M: SerializeMap>(
    map: &mut M,
    params: &Params,
    defaults: Option<&Params>,
    is_read: impl Fn(&Parameter) -> bool,
) -> Result<(), M::Error> {
    for parameter in Tcp::parameters() {
        let (name, value) = (parameter.name, parameter.get(params));
        if !is_read(parameter) && defaults.is_some_and(|defaults| value == parameter.get(defaults)) {
            continue;
        }
        match value {
            // Whole numbers as such: 1460, not 1460.0.
            Value::Number(n) if n.fract() == 0.0 && n.abs() < 1e15 => map.serialize_entry(name, &(n as i64))?,
            Value::Number(n) => map.serialize_entry(name, &n)?,
            Value::Bool(b) => map.serialize_entry(name, &b)?,
            Value::Word(word) => map.serialize_entry(name, &word)?,
        }
    }
    Ok(())
}

impl Serialize for Transport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("protocol", self.protocol())?;
        if let Self::Whole(whole) = self {
            let defaults = whole.defaults();
            parameters_into(&mut map, &whole.params, Some(&defaults), |parameter| whole.reads(parameter.name))?;
        }
        if let Self::Tcp(tcp) = self {
            for (slot, part) in &tcp.slots {
                map.serialize_entry(slot, part)?;
            }
            let defaults = protocol(&tcp.protocol).map(|row| row.params(Tcp::params_of_profile(tcp.profile)));
            let readers: Vec<_> = tcp.recipes().map(|recipe| recipe.reads()).collect();
            let is_read = |parameter: &Parameter| readers.iter().any(|reads| reads(parameter));
            parameters_into(&mut map, &tcp.params, defaults.as_ref(), is_read)?;
            if let Some(triggers) = &tcp.params.triggers {
                let settings = TriggerSettings::of(&triggers.settings);
                if let Some(hold_s) = settings.trigger_hold_s {
                    map.serialize_entry("trigger_hold_s", &hold_s)?;
                }
                map.serialize_entry("trigger_period_ms", &settings.trigger_period_ms)?;
                map.serialize_entry("loss_window_segments", &settings.loss_window_segments)?;
                map.serialize_entry("loss_skips_slow_start", &settings.loss_skips_slow_start)?;
                map.serialize_entry("jitter_of", &settings.jitter_of)?;
                map.serialize_entry("monitor_source", &settings.monitor_source)?;
                let rows: Vec<_> = triggers.rows.iter().map(Trigger::of).collect();
                map.serialize_entry("triggers", &rows)?;
            }
        }
        map.end()
    }
}
