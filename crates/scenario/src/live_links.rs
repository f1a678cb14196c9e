//! Links that are changed while they are used: what is said of one holds from then on, what is not said stays.
//!
//! Spec      the keys of `[[links.changes]]` without `at_s`; RFC 8259 for how they are written
//! Holds     what is refused has changed nothing; the same things said at the same times make the same links: no file is
//!           read, which might be another one when all of it is played again

use std::collections::VecDeque;
use std::sync::Arc;

use hopwright_machine::Time;
use hopwright_shape::Config;
use hopwright_sim as sim;
use hopwright_transport::adaptation::Source;
use serde_json::{Map, Value};

use crate::check::{self, how_many};
use crate::config::link::{self, Records};
use crate::loader::Loaded;
use crate::model::{Directions, LinkChange, LinkMoment, LinkState, Scenario, Transport};
use crate::read::{self, LinkFile};
use crate::units::{at, seconds};

/// The keys that name files.
const FILES: [&str; 4] = ["trace", "loss_trace", "reverse.trace", "reverse.loss_trace"];

/// Both directions of a link from some time on.
#[derive(Clone, Debug, PartialEq)]
pub struct PairChange {
    /// Since when.
    pub at: Time,
    /// From the first end to the second.
    pub forward: Config,
    /// The way back.
    pub backward: Config,
    /// Whether what waits for the link is lost.
    pub clears: bool,
}

impl PairChange {
    pub(crate) fn new(at: Time, state: &LinkState, clears: bool, records: &Records) -> Self {
        let [forward, backward] = link::both(state, records);
        Self { at, forward, backward, clears }
    }
}

/// The links of a scenario.
#[derive(Clone, Debug)]
pub struct LiveLinks {
    links: Vec<LiveLink>,
    /// Whether a flow has a connection: it would send without end where nothing takes time.
    has_connections: bool,
    /// Whether a flow is told what links are like: one that follows a profile does not say.
    tells: bool,
}

impl Loaded {
    /// The links, to be changed while they are used.
    #[must_use]
    pub fn live_links(&self) -> LiveLinks {
        LiveLinks::new(&self.scenario, &self.records)
    }
}

impl LiveLinks {
    fn new(scenario: &Scenario, records: &Records) -> Self {
        let records = Arc::new(records.clone());
        let links = scenario.links.iter().map(|link| LiveLink {
            now: link.state(),
            planned: link.changes.iter().cloned().collect(),
            directions: link.ends.directions,
            records: Arc::clone(&records),
        });
        let connections = || {
            scenario.flows.iter().filter_map(|flow| match &flow.transport {
                Transport::Tcp(tcp) => Some(tcp),
                Transport::Whole(_) | Transport::Udp => None,
            })
        };
        let tells = connections()
            .any(|tcp| tcp.params.triggers.as_ref().is_some_and(|triggers| triggers.settings.source == Source::Told));
        Self { links: links.collect(), has_connections: connections().next().is_some(), tells }
    }

    /// What link number `link` becomes by what is said of it at `now`. Times never go back.
    ///
    /// # Errors
    /// If there is no such link, or it cannot be like this: which key, why, and what would be right.
    pub fn reshape(&mut self, now: Time, link: usize, set: &Map<String, Value>) -> Result<sim::LinkChange, String> {
        let links = self.links.len();
        let Some(live) = self.links.get_mut(link) else {
            return Err(match links {
                0 => sim::Unsteerable::NoLinks.to_string(),
                _ => format!("link: there is no link {link}: {}", how_many(links, "link")),
            });
        };
        let (when, next) = live.read(now, set)?;
        let free = check::free_ways(&live.now).into_iter().zip(check::free_ways(&next));
        if self.has_connections && free.into_iter().any(|(was_free, is_free)| is_free && !was_free) {
            return Err(
                "set: packets would take no time over this link, and a connection would send without end: give \
                 the link rate_kbps or delay_ms"
                    .to_owned(),
            );
        }
        if self.tells && next.profile.is_some() {
            return Err(
                "profile: a flow has monitor_source = 'told', and a link that follows a profile does not tell \
                 its properties"
                    .to_owned(),
            );
        }
        let shape = link::two_ways(&next, live.directions, &live.records);
        live.now = next;
        Ok(sim::LinkChange { at: now, shape, network: when.network, clears: when.clear })
    }
}

/// A link, and what is planned for it.
#[derive(Clone, Debug)]
pub struct LiveLink {
    now: LinkState,
    planned: VecDeque<LinkChange>,
    directions: Directions,
    records: Arc<Records>,
}

impl LiveLink {
    pub(crate) fn of_a_file(file: LinkFile, records: Records) -> Self {
        Self {
            now: file.state,
            planned: file.changes.into(),
            directions: Directions::Separate,
            records: Arc::new(records),
        }
    }

    /// What it becomes by what is said of it at `now`. Times never go back.
    ///
    /// # Errors
    /// If it cannot be like this: which key, why, and what would be right.
    pub fn reshape(&mut self, now: Time, set: &Map<String, Value>) -> Result<PairChange, String> {
        let (when, next) = self.read(now, set)?;
        let change = PairChange::new(now, &next, when.clear, &self.records);
        self.now = next;
        Ok(change)
    }

    fn read(&mut self, now: Time, set: &Map<String, Value>) -> Result<(LinkMoment, LinkState), String> {
        while self.planned.front().is_some_and(|change| at(seconds(change.when.at_s)) <= now) {
            self.now = self.planned.pop_front().expect("just seen").state();
        }
        if set.is_empty() {
            return Err("set: is empty; write what changes from now on, for example {\"rate_kbps\": 500}".to_owned());
        }
        let text = toml::to_string(set).map_err(|_| "set: no key can be null; leave the key out".to_owned())?;
        let (mut document, root) = read::parse("set", &text);
        let read = read::next_state(&mut document, &root, &self.now);
        if let Some((when, next)) = &read {
            check::live_link(&mut document, when, next, self.directions);
            for key in FILES.iter().filter(|key| document.gives(key)).copied().collect::<Vec<_>>() {
                let reason = "names a file, and no file is read while a link is used: write it as a change of the \
                              link in the scenario";
                document.refuse(key, reason.to_owned());
            }
        }
        document.verdict().map_err(|errors| {
            let said: Vec<String> = errors.errors().iter().map(crate::ScenarioError::message).collect();
            said.join("; ")
        })?;
        Ok(read.expect("without it, something was refused"))
    }
}
