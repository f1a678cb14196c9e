//! Parameters of algorithms: named, limited and written as the engine's, and as the whole numbers that programs get.

use crate::{Error, Mechanism};

/// How many numbers a program gets (`PARAMETERS` in bpf/hop.h).
pub(crate) const MOST: usize = 20;

/// A parameter of an algorithm. Its place in the mechanism's list is its place in the program.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Parameter {
    /// Its name, the engine's.
    pub name: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// What it says.
    pub what: &'static str,
}

/// What a parameter may be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// A whole number.
    Count {
        /// Unless it is set.
        default: u64,
        /// The least.
        least: u64,
        /// The most.
        most: u64,
    },
    /// A number, of which the program gets the thousandths.
    Real {
        /// Unless it is set.
        default: f64,
        /// The least.
        least: f64,
        /// The most.
        most: f64,
    },
    /// One of some words; the program gets its place.
    Word {
        /// What it may be.
        words: &'static [&'static str],
        /// Unless it is set: the place of the default.
        default: usize,
    },
}

impl Parameter {
    pub(crate) const fn count(name: &'static str, default: u64, least: u64, most: u64, what: &'static str) -> Self {
        Self { name, kind: Kind::Count { default, least, most }, what }
    }

    pub(crate) const fn real(name: &'static str, default: f64, least: f64, most: f64, what: &'static str) -> Self {
        Self { name, kind: Kind::Real { default, least, most }, what }
    }

    pub(crate) const fn word(
        name: &'static str,
        words: &'static [&'static str],
        default: usize,
        what: &'static str,
    ) -> Self {
        Self { name, kind: Kind::Word { words, default }, what }
    }

    const fn default(&self) -> u64 {
        match self.kind {
            Kind::Count { default, .. } => default,
            Kind::Real { default, .. } => thousandths(default),
            Kind::Word { default, .. } => default as u64,
        }
    }

    fn parse(&self, text: &str) -> Result<u64, Error> {
        let wrong = |right: String| Error::Input(format!("{} = '{text}': {right}", self.name));
        match self.kind {
            Kind::Count { least, most, .. } => text
                .parse()
                .ok()
                .filter(|value| (least..=most).contains(value))
                .ok_or_else(|| wrong(format!("a whole number from {least} to {most}"))),
            Kind::Real { least, most, .. } => text
                .parse()
                .ok()
                .filter(|value| (least..=most).contains(value))
                .map(thousandths)
                .ok_or_else(|| wrong(format!("a number from {least} to {most}"))),
            Kind::Word { words, .. } => {
                let place = words.iter().position(|word| *word == text);
                place.map(|place| place as u64).ok_or_else(|| wrong(format!("one of {}", words.join(", "))))
            }
        }
    }

    fn text(&self, value: u64) -> String {
        match self.kind {
            Kind::Count { .. } => value.to_string(),
            Kind::Real { .. } => (value as f64 / 1e3).to_string(),
            Kind::Word { words, .. } => {
                usize::try_from(value).ok().and_then(|i| words.get(i)).copied().unwrap_or("?").to_owned()
            }
        }
    }
}

const fn thousandths(value: f64) -> u64 {
    (value * 1e3 + 0.5) as u64
}

/// The parameters of an algorithm that is loaded, or is about to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    pub(crate) values: [u64; MOST],
}

impl Settings {
    /// The defaults, with what is set. `k` is a name of both phases' where a mechanism has them.
    ///
    /// # Errors
    /// If the mechanism has no such parameter, or it may not be that.
    pub fn of<'a>(mechanism: &Mechanism, set: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, Error> {
        let mut values = [0; MOST];
        for (value, parameter) in values.iter_mut().zip(mechanism.parameters) {
            *value = parameter.default();
        }
        for (name, text) in set {
            let Some(place) = mechanism.parameters.iter().position(|parameter| parameter.name == name) else {
                let known: Vec<_> = mechanism.parameters.iter().map(|parameter| parameter.name).collect();
                return Err(Error::Input(format!(
                    "{} has no parameter '{name}': it has {}",
                    mechanism.id,
                    known.join(", ")
                )));
            };
            values[place] = mechanism.parameters[place].parse(text)?;
        }
        (mechanism.derive)(&mut values);
        Ok(Self { values })
    }

    /// Names and values, as one would set them.
    #[must_use]
    pub fn pairs(&self, mechanism: &Mechanism) -> Vec<(&'static str, String)> {
        let all = mechanism.parameters.iter().zip(&self.values);
        all.map(|(parameter, value)| (parameter.name, parameter.text(*value))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism;

    fn set(id: &str, pairs: &[(&str, &str)]) -> Result<Vec<(&'static str, String)>, String> {
        let mechanism = mechanism(id).unwrap();
        let settings = Settings::of(mechanism, pairs.iter().copied()).map_err(|error| error.to_string())?;
        Ok(settings.pairs(mechanism))
    }

    #[test]
    fn what_is_not_set_has_its_default() {
        assert_eq!(set("sca", &[]).unwrap(), [("counting", "segments".to_owned()), ("k", "10".to_owned())]);
        assert_eq!(set("sca", &[("k", "25")]).unwrap()[1], ("k", "25".to_owned()));
        assert_eq!(set("veno", &[]).unwrap()[1], ("veno_beta", "3".to_owned()));
        assert_eq!(set("veno", &[("veno_beta", "2.5")]).unwrap()[1], ("veno_beta", "2.5".to_owned()));
    }

    #[test]
    fn the_own_k_of_slow_start_is_k_unless_it_is_set() {
        let of =
            |pairs: &[(&str, &str)]| Settings::of(mechanism("ssca").unwrap(), pairs.iter().copied()).unwrap().values;
        assert_eq!(of(&[("k", "7")])[1..3], [7, 7]);
        assert_eq!(of(&[("k", "7"), ("ss_k", "2")])[1..3], [7, 2]);
    }

    #[test]
    fn mistakes_say_what_would_be_right() {
        assert_eq!(set("sca", &[("q", "1")]).unwrap_err(), "sca has no parameter 'q': it has counting, k");
        assert_eq!(set("sca", &[("k", "-1")]).unwrap_err(), "k = '-1': a whole number from 0 to 1000000");
        assert_eq!(set("veno", &[("veno_beta", "x")]).unwrap_err(), "veno_beta = 'x': a number from 0 to 1000000");
        let words = set("westwood-plus", &[("westwood_plus_filter", "ns2")]).unwrap_err();
        assert_eq!(words, "westwood_plus_filter = 'ns2': one of paper, linux");
    }
}
