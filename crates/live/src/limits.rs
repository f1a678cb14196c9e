//! What strangers may take of a host, by name: the keys of `--limit`.
//!
//! Spec      docs/host.md
//! Deviates  nothing
//! Holds     each has a default, a range and one line that says what it is

use hopwright_host::Config;
use hopwright_machine::{Address, Duration};

use crate::defaults::{defaults, near};
use crate::error::Error;

/// Half-open connections that a port keeps before cookies.
const BACKLOG: f64 = 256.0;

/// For how long a server still listens to a client that has everything and does not close (as nginx, Apache).
const LINGER_S: f64 = 30.0;

/// Whole numbers beyond this are no longer exact.
const MOST: f64 = 9e15;

/// See the file's header.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Limits {
    connections: f64,
    connections_per_address: f64,
    half_open: f64,
    half_open_per_address: f64,
    first_send_buffer_bytes: f64,
    send_buffer_bytes: f64,
    buffered_bytes: f64,
    buffered_bytes_per_address: f64,
    stall_timeout_s: f64,
    least_rate_bytes_per_s: f64,
    linger_s: f64,
}

/// A limit as users see it.
pub(crate) struct Limit {
    pub(crate) name: &'static str,
    least: f64,
    most: f64,
    field: fn(&mut Limits) -> &mut f64,
}

macro_rules! limits {
    ($($name:ident $least:literal $most:expr),* $(,)?) => {
        &[$(Limit { name: stringify!($name), least: $least, most: $most, field: |limits| &mut limits.$name }),*]
    };
}

/// All of them.
pub(crate) const LIMITS: &[Limit] = limits! {
    connections 1.0 1e6,
    connections_per_address 1.0 1e6,
    half_open 0.0 1e6,
    half_open_per_address 0.0 1e6,
    first_send_buffer_bytes 4096.0 MOST,
    send_buffer_bytes 4096.0 MOST,
    buffered_bytes 1e6 MOST,
    buffered_bytes_per_address 1e5 MOST,
    stall_timeout_s 0.0 1e6,
    least_rate_bytes_per_s 0.0 MOST,
    linger_s 0.0 1e6,
};

impl Limits {
    /// Those of a host, with what the user typed.
    pub(crate) fn of(typed: &[(String, String)]) -> Result<Self, Error> {
        let mut limits = Self::usual()?;
        for (name, value) in typed {
            limits.set(name, value)?;
        }
        Ok(limits)
    }

    fn usual() -> Result<Self, Error> {
        let (recipe, params) = defaults("newreno")?;
        let host = Config::new(Address(1), 24, recipe, params, [0; 16]);
        Ok(Self {
            connections: host.max_connections as f64,
            connections_per_address: host.max_connections_per_address as f64,
            half_open: BACKLOG,
            half_open_per_address: host.max_half_open_per_address as f64,
            first_send_buffer_bytes: host.first_send_buffer_bytes as f64,
            send_buffer_bytes: host.send_buffer_bytes as f64,
            buffered_bytes: host.max_buffered_bytes as f64,
            buffered_bytes_per_address: host.max_buffered_bytes_per_address as f64,
            stall_timeout_s: host.stall_timeout.as_secs_f64(),
            least_rate_bytes_per_s: host.least_rate_bytes_per_s as f64,
            linger_s: LINGER_S,
        })
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), Error> {
        let Some(limit) = LIMITS.iter().find(|limit| limit.name == name) else {
            let names: Vec<_> = LIMITS.iter().map(|limit| limit.name).collect();
            return Err(Error::input(format!("--limit {name}: no limit is called so{}", near(name, &names))));
        };
        let is_whole = |number: f64| number.fract() == 0.0 || name.ends_with("_s") && !name.contains("bytes");
        let number = value.parse().ok().filter(|n| (limit.least..=limit.most).contains(n) && is_whole(*n));
        *(limit.field)(self) = number.ok_or_else(|| {
            let kind = if is_whole(0.5) { "number" } else { "whole number" };
            Error::input(format!("--limit {name}={value}: a {kind} from {} to {}", limit.least, limit.most))
        })?;
        Ok(())
    }

    /// The same host with these limits.
    pub(crate) fn apply(&self, host: Config) -> Config {
        Config {
            max_connections: self.connections as usize,
            max_connections_per_address: self.connections_per_address as usize,
            max_half_open_per_address: self.half_open_per_address as usize,
            first_send_buffer_bytes: self.first_send_buffer_bytes as u64,
            send_buffer_bytes: self.send_buffer_bytes as u64,
            max_buffered_bytes: self.buffered_bytes as u64,
            max_buffered_bytes_per_address: self.buffered_bytes_per_address as u64,
            stall_timeout: Duration::from_secs_f64(self.stall_timeout_s),
            least_rate_bytes_per_s: self.least_rate_bytes_per_s as u64,
            ..host
        }
    }

    pub(crate) const fn backlog(&self) -> usize {
        self.half_open as usize
    }

    pub(crate) fn linger(&self) -> Duration {
        Duration::from_secs_f64(self.linger_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &str, value: &str) -> Result<Limits, String> {
        Limits::of(&[(name.into(), value.into())]).map_err(|error| error.to_string())
    }

    #[test]
    fn each_limit_sets_its_own_field() {
        for limit in LIMITS {
            let mut expected = Limits::of(&[]).unwrap();
            *(limit.field)(&mut expected) = limit.least + 1.0;
            assert_eq!(with(limit.name, &(limit.least + 1.0).to_string()), Ok(expected), "{}", limit.name);
        }
    }

    #[test]
    fn the_documentation_lists_them_with_their_defaults() {
        let page = include_str!("../../../docs/host.md");
        let mut usual = Limits::of(&[]).unwrap();
        for limit in LIMITS {
            let row = format!("| `{}` | {} |", limit.name, (limit.field)(&mut usual));
            assert!(page.contains(&row), "docs/host.md lacks: {row}");
        }
    }

    #[test]
    fn wrong_ones_are_answered_with_what_would_be_right() {
        let said = |name: &str, value: &str| with(name, value).unwrap_err();
        assert_eq!(said("connection", "5"), "--limit connection: no limit is called so; did you mean 'connections'?");
        assert_eq!(said("half_open", "1.5"), "--limit half_open=1.5: a whole number from 0 to 1000000");
        assert_eq!(said("connections", "0"), "--limit connections=0: a whole number from 1 to 1000000");
        assert_eq!(said("linger_s", "nan"), "--limit linger_s=nan: a number from 0 to 1000000");
        assert_eq!(said("stall_timeout_s", "-1"), "--limit stall_timeout_s=-1: a number from 0 to 1000000");
        assert!(with("linger_s", "0.5").is_ok() && with("least_rate_bytes_per_s", "0.5").is_err());
    }
}
