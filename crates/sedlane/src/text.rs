//! A profile as the text of a link, such as a scenario's `[[links]]` reads it.

use std::fmt::Write;

use hopwright_shape::profile::{Mode, Profile};

/// The text; `about` says in comments what it was made of.
#[must_use]
pub fn to_toml(profile: &Profile, about: &[&str]) -> String {
    let mut text = String::new();
    let mode = match profile.mode {
        Mode::Sequential => "sequential",
        Mode::Simultaneous => "simultaneous",
    };
    for line in about {
        // A name of a file may have anything in it; a comment may not.
        let line: String = line.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect();
        let _ = writeln!(text, "# {line}");
    }
    let _ = writeln!(text, "\n[profile]\nmode = \"{mode}\"\nrepeat = {}", profile.repeats);
    for pipe in &profile.pipes {
        let rtt_ms = pipe.rtt.as_nanos() as f64 / 1e6;
        let (lifetime_s, probability) = (pipe.lifetime.as_secs_f64(), pipe.probability);
        let _ = writeln!(text, "\n[[profile.pipes]]\nrtt_ms = {rtt_ms:?}\nlifetime_s = {lifetime_s:?}");
        let _ = writeln!(text, "probability = {probability:?}\nloss_percent = {:?}", 1e2 * pipe.loss);
        if let Some(bps) = pipe.rate_bps {
            let _ = writeln!(text, "rate_kbps = {:?}", bps / 1e3);
        }
    }
    text
}
