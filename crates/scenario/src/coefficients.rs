//! The coefficient file that `hopwright measure-energy` writes: what an event of each of a transport's functions costs.

use std::collections::BTreeMap;
use std::ops::Range;

use hopwright_sim::JoulesPerEvent;
use hopwright_transport::Function;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// What the file says it is; another number after the dash would be another format.
pub const FORMAT: &str = "hopwright-energy-1";

/// What is wrong with a file, and where.
pub(crate) type Mistake = (Range<usize>, String);

/// Joules of an event, by protocol and function.
pub(crate) type Coefficients = BTreeMap<String, JoulesPerEvent>;

#[derive(Deserialize)]
struct Head {
    format: String,
}

/// What a run needs of the file. The rest, how it came about, is for people.
#[derive(Deserialize)]
struct File {
    protocols: BTreeMap<String, Functions>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Functions {
    slow_start: Work,
    congestion_avoidance: Work,
    recovery: Work,
    timers: Work,
    path: Work,
    receiver: Work,
}

#[derive(Deserialize)]
struct Work {
    joules_per_event: toml::Spanned<f64>,
}

impl Functions {
    /// In the order of `Function::ALL`.
    fn joules(&self) -> Result<JoulesPerEvent, Mistake> {
        let of = |function| match function {
            Function::SlowStart => &self.slow_start,
            Function::CongestionAvoidance => &self.congestion_avoidance,
            Function::Recovery => &self.recovery,
            Function::Timers => &self.timers,
            Function::Path => &self.path,
            Function::Receiver => &self.receiver,
        };
        let mut joules = JoulesPerEvent::default();
        for function in Function::ALL {
            let given = &of(function).joules_per_event;
            let value = *given.get_ref();
            if !(value.is_finite() && value >= 0.0) {
                return Err((given.span(), format!("joules_per_event: a number of joules, 0 or more, not {value}")));
            }
            joules[function as usize] = value;
        }
        Ok(joules)
    }
}

/// Reads the text of a coefficient file.
pub(crate) fn parse(text: &str) -> Result<Coefficients, Mistake> {
    let misread = |error: toml::de::Error| {
        let span = error.span().unwrap_or_default();
        let reason = error.message().trim_end().replace("expected f64", "expected a number");
        (span, format!("{reason}; if the file was cut, 'hopwright measure-energy' writes another"))
    };
    toml::from_str::<BTreeMap<String, IgnoredAny>>(text).map_err(misread)?; // not TOML is said before all else
    let ours = format!("a file that 'hopwright measure-energy --out FILE' wrote begins with format = \"{FORMAT}\"");
    match toml::from_str::<Head>(text) {
        Ok(head) if head.format == FORMAT => {}
        Ok(head) => return Err((0..0, format!("the format is \"{}\"; {ours}", head.format))),
        Err(_) => return Err((0..0, format!("not a coefficient file: {ours}"))),
    }
    let file: File = toml::from_str(text).map_err(misread)?;
    file.protocols.into_iter().map(|(id, functions)| Ok((id, functions.joules()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(format: &str, functions: &[&str], joules: &str) -> String {
        let tables =
            functions.iter().map(|f| format!("[protocols.reno.{f}]\nevents = 7\njoules_per_event = {joules}\n"));
        format!("format = \"{format}\"\nmachine = \"any\"\n{}", tables.collect::<String>())
    }

    fn all() -> Vec<&'static str> {
        Function::ALL.map(Function::name).to_vec()
    }

    #[test]
    fn each_function_gets_its_number() {
        let mut text = file(FORMAT, &all()[..5], "1e-9");
        text += "[protocols.reno.receiver]\njoules_per_event = 3e-9\n";
        assert_eq!(parse(&text).expect("a good file")["reno"], [1e-9, 1e-9, 1e-9, 1e-9, 1e-9, 3e-9]);
    }

    #[test]
    fn bad_files_say_what_is_wrong() {
        let wrong = |text: &str| parse(text).expect_err("a bad file").1;
        assert!(wrong("protocols = [").starts_with("unclosed array"), "{}", wrong("protocols = ["));
        assert!(wrong("a = 1").starts_with("not a coefficient file"));
        assert!(wrong(&file("hopwright-energy-2", &all(), "0")).starts_with("the format is \"hopwright-energy-2\""));
        let cut = "missing field `slow_start`; if the file was cut, 'hopwright measure-energy' writes another";
        assert_eq!(wrong(&file(FORMAT, &all()[1..], "0")), cut);
        assert!(wrong(&file(FORMAT, &all(), "'a'")).starts_with("invalid type: string \"a\", expected a number;"));
        assert_eq!(wrong(&file(FORMAT, &all(), "-1.0")), "joules_per_event: a number of joules, 0 or more, not -1");
        assert_eq!(wrong(&file(FORMAT, &all(), "nan")), "joules_per_event: a number of joules, 0 or more, not NaN");
        assert!(wrong(&file(FORMAT, &[&all()[..], &["idle"]].concat(), "0")).starts_with("unknown field `idle`"));
    }
}
