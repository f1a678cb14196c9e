//! A parameter of one mechanism, declared in the mechanism's own file.
//!
//! ```
//! use hopwright_transport::params::Knob;
//! use hopwright_transport::Params;
//!
//! const BETA: Knob = Knob::real("veno_beta", "segments", 3.0, 0.0..=1e6, "backlog from which on there is congestion");
//! assert_eq!(Params::default().number(&BETA), 3.0);
//! ```

use core::ops::RangeInclusive;

use super::{ParamError, Params, Value};

/// See the file's header. A mechanism lists its knobs in its `Part` and reads them when it is built.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Knob {
    /// Its name in scenario files; the mechanism's name comes first, the unit last.
    pub name: &'static str,
    /// Its unit, empty for switches and words.
    pub unit: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Number { default: f64, least: f64, most: f64, is_whole: bool },
    Switch { default: bool },
    Word { words: &'static [&'static str] },
}

impl Knob {
    /// A whole number.
    #[must_use]
    pub const fn count(
        name: &'static str,
        unit: &'static str,
        default: u32,
        range: RangeInclusive<u32>,
        about: &'static str,
    ) -> Self {
        let (least, most) = (*range.start() as f64, *range.end() as f64);
        Self { name, unit, about, kind: Kind::Number { default: default as f64, least, most, is_whole: true } }
    }

    /// A number.
    #[must_use]
    pub const fn real(
        name: &'static str,
        unit: &'static str,
        default: f64,
        range: RangeInclusive<f64>,
        about: &'static str,
    ) -> Self {
        let (least, most) = (*range.start(), *range.end());
        Self { name, unit, about, kind: Kind::Number { default, least, most, is_whole: false } }
    }

    /// True or false.
    #[must_use]
    pub const fn switch(name: &'static str, default: bool, about: &'static str) -> Self {
        Self { name, unit: "", about, kind: Kind::Switch { default } }
    }

    /// One of these words; the first is the default.
    #[must_use]
    pub const fn word(name: &'static str, words: &'static [&'static str], about: &'static str) -> Self {
        Self { name, unit: "", about, kind: Kind::Word { words } }
    }

    /// The value where nobody sets it.
    #[must_use]
    pub fn default_value(&self) -> Value {
        match self.kind {
            Kind::Number { default, .. } => Value::Number(default),
            Kind::Switch { default } => Value::Bool(default),
            Kind::Word { words } => Value::Word(words[0].to_owned()),
        }
    }

    /// Whether it may have this value.
    pub(crate) fn check(&self, value: &Value) -> Result<(), ParamError> {
        let expected = |what: String| Err(ParamError::Expected(what));
        match (self.kind, value) {
            (Kind::Number { least, most, is_whole, .. }, Value::Number(n)) if (least..=most).contains(n) => {
                if is_whole && n.fract() != 0.0 { expected("a whole number".into()) } else { Ok(()) }
            }
            (Kind::Number { least, most, .. }, _) => expected(format!("a number from {least} to {most}")),
            (Kind::Switch { .. }, Value::Bool(_)) => Ok(()),
            (Kind::Switch { .. }, _) => expected("true or false".into()),
            (Kind::Word { words }, Value::Word(word)) if words.contains(&word.as_str()) => Ok(()),
            (Kind::Word { words }, _) => expected(format!("one of {}", words.join(" "))),
        }
    }
}

/// Values of knobs, read by the mechanisms that declare them.
impl Params {
    /// The value of a number.
    ///
    /// # Panics
    /// If the knob is no number: the mechanism that declares it reads it wrongly.
    #[must_use]
    pub fn number(&self, knob: &Knob) -> f64 {
        #[cfg(test)]
        testing::note(knob);
        match (self.knobs.get(knob.name), knob.kind) {
            (Some(Value::Number(n)), _) => *n,
            (None, Kind::Number { default, .. }) => default,
            _ => panic!("{} is no number", knob.name),
        }
    }

    /// The value of a whole number.
    #[must_use]
    pub fn count(&self, knob: &Knob) -> u32 {
        self.number(knob) as u32
    }

    /// The value of a switch.
    ///
    /// # Panics
    /// If the knob is no switch.
    #[must_use]
    pub fn is(&self, knob: &Knob) -> bool {
        #[cfg(test)]
        testing::note(knob);
        match (self.knobs.get(knob.name), knob.kind) {
            (Some(Value::Bool(b)), _) => *b,
            (None, Kind::Switch { default }) => default,
            _ => panic!("{} is no switch", knob.name),
        }
    }

    /// The value of a word.
    ///
    /// # Panics
    /// If the knob is no word.
    #[must_use]
    pub fn word(&self, knob: &Knob) -> &'static str {
        #[cfg(test)]
        testing::note(knob);
        let Kind::Word { words } = knob.kind else { panic!("{} is no word", knob.name) };
        match self.knobs.get(knob.name) {
            Some(Value::Word(set)) => words.iter().find(|w| *w == set).unwrap_or(&words[0]),
            _ => words[0],
        }
    }
}

/// The knobs that somebody set, by name; those at their defaults are absent.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Knobs(Vec<(&'static str, Value)>);

impl Knobs {
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(n, _)| *n == name).map(|(_, value)| value)
    }

    pub(crate) fn set(&mut self, knob: &Knob, value: Value) {
        self.0.retain(|(name, _)| *name != knob.name);
        if value != knob.default_value() {
            let at = self.0.partition_point(|(name, _)| *name < knob.name);
            self.0.insert(at, (knob.name, value));
        }
    }
}

#[cfg(test)]
pub(crate) mod testing {
    //! Which knobs are read.

    use std::cell::RefCell;

    use super::Knob;

    thread_local! {
        static READ: RefCell<Vec<&'static str>> = const { RefCell::new(vec![]) };
    }

    pub(crate) fn note(knob: &Knob) {
        READ.with_borrow_mut(|read| read.push(knob.name));
    }

    /// The names of the knobs read by this thread since the last call.
    pub(crate) fn take_read() -> Vec<&'static str> {
        READ.take()
    }
}
