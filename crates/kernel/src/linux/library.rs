//! libbpf's own messages, kept until there is an error to explain.

use std::sync::Mutex;

use libbpf_rs::PrintLevel;

static SAID: Mutex<String> = Mutex::new(String::new());

/// From now on libbpf prints nothing; what it says is kept.
pub(crate) fn listen() {
    SAID.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clear();
    libbpf_rs::set_print(Some((PrintLevel::Warn, |_, text| {
        let mut said = SAID.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if said.len() < 1 << 20 {
            said.push_str(&text);
        }
    })));
}

/// What libbpf said, the end of it: a verifier explains itself at length.
pub(crate) fn said() -> String {
    let said = SAID.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(12)..].join("\n")
}
