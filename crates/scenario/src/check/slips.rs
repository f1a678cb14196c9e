//! Numbers that are allowed, but that look like those of another unit: told of, as a study may want any of them.
//!
//! A row of the list says which numbers are doubtful, and what would be usual. It is there only where a slip is likely (the
//! field writes the quantity in both units, or its other keys here do) and where what the number says is far from everything
//! that the simulator models.

use toml::Value;

use crate::model::{Mac, Scenario};
use crate::read::{Document, join};

/// Numbers of a key that are doubtful: from `from` up to but not including `below`.
struct Slip {
    /// The first part of the key.
    table: &'static str,
    /// Its last part.
    name: &'static str,
    from: f64,
    below: f64,
    /// The unit of the key.
    unit: &'static str,
    /// What numbers are usual.
    usual: &'static str,
    /// The unit that may have been meant, and how many units of the key it is.
    meant: &'static str,
    factor: f64,
}

const fn slip(table: &'static str, name: &'static str) -> Slip {
    Slip { table, name, from: f64::MIN_POSITIVE, below: f64::INFINITY, unit: "", usual: "", meant: "", factor: 1.0 }
}

impl Slip {
    /// `value` and more.
    const fn from(self, from: f64) -> Self {
        Self { from, ..self }
    }

    /// Less than `value`, and not 0, which means "none".
    const fn below(self, below: f64) -> Self {
        Self { below, ..self }
    }

    const fn unit(self, unit: &'static str, usual: &'static str) -> Self {
        Self { unit, usual, ..self }
    }

    const fn meant(self, meant: &'static str, factor: f64) -> Self {
        Self { meant, factor, ..self }
    }
}

const RATES: &str = "stations of 802.11b, a and g send at 1 to 54 Mb/s";
const RADIOS: &str = "radios of 802.11 reach tens to hundreds of metres";
const SPACES: &str = "the times of 802.11 are from 9 to 192 µs";
const DELAYS: &str = "the delay of a satellite is 250 ms";
const TIMERS: &str = "timers of TCP are from 10 ms to minutes";
const CLOCKS: &str = "the clocks of TCP tick every 1 to 500 ms";
const CROSSING: &str = "a packet takes milliseconds to cross a node";
const SEARCHES: &str = "searches for routes take tens of milliseconds to seconds";
const ROUTES: &str = "routing protocols count seconds here";
const CARDS: &str = "cards of 802.11 take up to 3 W";
const BANDS: &str = "802.11 uses 2,400 to 5,900 MHz";

const SLIPS: &[Slip] = &[
    slip("mac", "data_rate_mbps").from(1e3).unit("Mb/s", RATES).meant("kb/s", 1e-3),
    slip("mac", "basic_rate_mbps").from(1e3).unit("Mb/s", RATES).meant("kb/s", 1e-3),
    slip("mac", "slot_us").below(1.0).unit("µs", SPACES).meant("ms", 1e3),
    slip("mac", "slot_us").from(5e3).unit("µs", SPACES).meant("ns", 1e-3),
    slip("mac", "sifs_us").below(1.0).unit("µs", SPACES).meant("ms", 1e3),
    slip("mac", "sifs_us").from(5e3).unit("µs", SPACES).meant("ns", 1e-3),
    slip("mac", "difs_us").below(1.0).unit("µs", SPACES).meant("ms", 1e3),
    slip("mac", "difs_us").from(1e4).unit("µs", SPACES).meant("ns", 1e-3),
    slip("mac", "preamble_us").below(1.0).unit("µs", SPACES).meant("ms", 1e3),
    slip("mac", "preamble_us").from(1e4).unit("µs", SPACES).meant("ns", 1e-3),
    slip("radio", "reception_range_m").below(1.0).unit("m", RADIOS).meant("km", 1e3),
    slip("radio", "carrier_sense_range_m").below(1.0).unit("m", RADIOS).meant("km", 1e3),
    slip("radio", "frequency_mhz").below(30.0).unit("MHz", BANDS).meant("GHz", 1e3),
    slip("radio", "frequency_mhz").from(3e5).unit("MHz", BANDS).meant("kHz", 1e-3),
    slip("radio", "transmit_w").from(100.0).unit("W", CARDS).meant("mW", 1e-3),
    slip("radio", "receive_w").from(100.0).unit("W", CARDS).meant("mW", 1e-3),
    slip("radio", "overhear_w").from(100.0).unit("W", CARDS).meant("mW", 1e-3),
    slip("radio", "sense_w").from(100.0).unit("W", CARDS).meant("mW", 1e-3),
    slip("radio", "idle_w").from(100.0).unit("W", CARDS).meant("mW", 1e-3),
    slip("links", "delay_ms").from(1e4).unit("ms", DELAYS).meant("µs", 1e-3),
    slip("links", "bad_delay_ms").from(1e4).unit("ms", DELAYS).meant("µs", 1e-3),
    slip("links", "rtt_ms").from(2e4).unit("ms", DELAYS).meant("µs", 1e-3),
    slip("flows", "min_rto_ms").below(1.0).unit("ms", TIMERS).meant("s", 1e3),
    slip("flows", "min_rto_ms").from(1e5).unit("ms", TIMERS).meant("µs", 1e-3),
    slip("flows", "initial_rto_ms").below(10.0).unit("ms", TIMERS).meant("s", 1e3),
    slip("flows", "initial_rto_ms").from(1e5).unit("ms", TIMERS).meant("µs", 1e-3),
    slip("flows", "delayed_ack_ms").below(1.0).unit("ms", TIMERS).meant("s", 1e3),
    slip("flows", "delayed_ack_ms").from(1e4).unit("ms", TIMERS).meant("µs", 1e-3),
    slip("flows", "max_rto_s").from(1e4).unit("s", TIMERS).meant("ms", 1e-3),
    slip("flows", "granularity_ms").below(0.1).unit("ms", CLOCKS).meant("s", 1e3),
    slip("routing", "node_traversal_time_ms").below(1.0).unit("ms", CROSSING).meant("s", 1e3),
    slip("routing", "path_discovery_time_ms").below(50.0).unit("ms", SEARCHES).meant("s", 1e3),
    slip("routing", "request_period_ms").below(10.0).unit("ms", SEARCHES).meant("s", 1e3),
    slip("routing", "nonprop_request_timeout_ms").below(1.0).unit("ms", SEARCHES).meant("s", 1e3),
    slip("routing", "buffer_timeout_s").from(3e3).below(1e5).unit("s", ROUTES).meant("ms", 1e-3),
    slip("routing", "update_interval_s").from(3e3).below(1e5).unit("s", ROUTES).meant("ms", 1e-3),
    // Longer ones are as good as "for ever", and are written as such.
    slip("routing", "hello_interval_s").from(500.0).below(1e4).unit("s", ROUTES).meant("ms", 1e-3),
    slip("routing", "active_route_timeout_s").from(1e3).below(1e5).unit("s", ROUTES).meant("ms", 1e-3),
    slip("routing", "my_route_timeout_s").from(1e3).below(1e5).unit("s", ROUTES).meant("ms", 1e-3),
];

/// Nodes nearer than the reach of their radios by more than this are all at one place, as far as the radios can tell.
const PLACE_OF_REACH: f64 = 1.0 / 50.0;
/// A source that is to fill its medium offers up to some times what that carries, not more than this.
const MOST_OFFERED: f64 = 10.0;

/// Numbers that look like those of another unit: the name of each key, and a line about it. `reach`: of the radio, metres.
pub(crate) fn unit_slips(document: &mut Document, scenario: &Scenario, reach: f64) -> Vec<(&'static str, String)> {
    let printed = Value::try_from(scenario).expect("a scenario can be printed");
    let mut numbers = Vec::new();
    collect(&printed, "", "", &mut numbers);
    let has_medium = scenario.links.is_empty();
    let mut doubtful: Vec<(&'static str, String)> = Vec::new();
    for (table, place, number) in &numbers {
        if !document.gives(place) {
            continue;
        }
        let name = place.rsplit('.').next().expect("a key has a last part");
        let fixed = SLIPS.iter().filter(|slip| slip.table == table && slip.name == name);
        let fixed = fixed.filter(|slip| (slip.from..slip.below).contains(number)).map(|slip| {
            let (unit, usual, meant) = (slip.unit, slip.usual, slip.meant);
            (slip.name, told(*number, unit, usual, meant, slip.factor))
        });
        let derived = has_medium.then(|| of_the_network(table, name, *number, &scenario.mac, reach)).flatten();
        for (name, reason) in fixed.chain(derived).take(1) {
            if doubtful.iter().all(|&(known, _)| known != name) {
                doubtful.push((name, document.refuse(place, reason).to_string()));
            }
        }
    }
    doubtful
}

/// What is doubtful beside what the scenario says of the radio and the MAC.
fn of_the_network(table: &str, name: &str, number: f64, mac: &Mac, reach: f64) -> Option<(&'static str, String)> {
    let lengths = [("topology", "spacing_m"), ("area", "width_m"), ("area", "height_m")];
    if let Some(&(_, key)) = lengths.iter().find(|&&known| known == (table, name)) {
        let usual = format!("a radio reaches {}", with_unit(reach, "m"));
        return (number < reach * PLACE_OF_REACH).then(|| (key, told(number, "m", &usual, "km", 1e3)));
    }
    let carried = mac.data_rate_mbps * 1e3;
    if (table, name) == ("flows", "rate_kbps") && number >= carried * MOST_OFFERED {
        let usual = format!("the medium carries {}", with_unit(carried, "kb/s"));
        return Some(("rate_kbps", told(number, "kb/s", &usual, "b/s", 1e-3)));
    }
    None
}

fn told(number: f64, unit: &str, usual: &str, meant: &str, factor: f64) -> String {
    let right = if factor < 1.0 { number / (1.0 / factor) } else { number * factor };
    let given = with_unit(number, unit);
    format!("is {given}, but {usual}; if {} is meant, write {}", with_unit(number, meant), plain(right))
}

fn with_unit(number: f64, unit: &str) -> String {
    format!("{} {unit}", plain(number))
}

/// A number without the digits that only binary fractions have.
fn plain(number: f64) -> String {
    let rounded = (number * 1e9 + 0.5).floor() / 1e9;
    if (rounded - number).abs() <= number.abs() * 1e-12 { rounded.to_string() } else { number.to_string() }
}

/// All numbers: the first part of the key, where the key stands, the number.
fn collect(value: &Value, table: &str, place: &str, numbers: &mut Vec<(String, String, f64)>) {
    match value {
        Value::Table(inner) => {
            for (part, value) in inner {
                collect(value, if table.is_empty() { part } else { table }, &join(place, part), numbers);
            }
        }
        Value::Array(list) => {
            for (n, value) in list.iter().enumerate() {
                collect(value, table, &join(place, &n.to_string()), numbers);
            }
        }
        Value::Integer(n) => numbers.push((table.to_owned(), place.to_owned(), *n as f64)),
        Value::Float(n) => numbers.push((table.to_owned(), place.to_owned(), *n)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::SLIPS;
    use crate::model::Tcp;
    use crate::model::limits::limits;

    /// A key that is called otherwise one day would silently be told of no more.
    #[test]
    fn every_row_is_about_a_key_that_there_is() {
        for slip in SLIPS {
            let is_of_table = |key: &str| key.split('.').next() == Some(slip.table);
            let is_limited = limits().any(|(table, limit)| is_of_table(table) && limit.key == slip.name);
            let is_of_transports = slip.table == "flows" && Tcp::parameter_names().any(|name| name == slip.name);
            assert!(is_limited || is_of_transports, "{}.{}", slip.table, slip.name);
            assert!(!slip.unit.is_empty() && !slip.meant.is_empty() && slip.from < slip.below);
        }
    }
}
