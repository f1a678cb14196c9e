//! Whatever is in the file: an answer, never a panic; and what is accepted survives printing.

use proptest::prelude::*;

use crate::common::{CHAIN, read};
use crate::samples::SAMPLES;

/// Reads, and draws everything there is to draw from the answer.
fn answer(text: &str, overrides: &[&str]) {
    match read(text, overrides) {
        Ok(loaded) => {
            let printed = loaded.scenario.to_toml();
            let again = read(&printed, &[]).unwrap_or_else(|e| panic!("{e}\nrefused although printed:\n{printed}"));
            assert_eq!(again.scenario, loaded.scenario);
        }
        Err(errors) => {
            let _ = errors.render(true);
            for error in errors.errors() {
                assert!(!error.reason.is_empty() && error.line > 0 && error.column > 0, "{error:?}");
            }
        }
    }
}

/// Values of every type, sane and not.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        any::<u64>().prop_map(|n| n.to_string()),
        (0u32..20).prop_map(|n| n.to_string()),
        any::<f64>().prop_map(|x| format!("{x:?}").to_lowercase()),
        (0.0..1000.0f64).prop_map(|x| format!("{x:?}")),
        prop::sample::select(vec![
            "nan",
            "-inf",
            "true",
            "\"\"",
            "\"aodv\"",
            "[]",
            "[[]]",
            "[{}]",
            "{}",
            "1979-05-27",
            "\"ns2\"",
            "\"grid\"",
            "'cbr'",
            "'udp'",
            "[1, 2]",
            "[[0, 0], [1, 1]]",
            "0x10",
            "{ kind = 'star', leaves = 3 }",
            "\"\\u0000\"",
        ])
        .prop_map(str::to_owned),
    ]
}

proptest! {
    #[test]
    fn any_text(text in "\\PC{0,200}|[\\[\\]{}=.\"'a-z0-9_\n# ]{0,120}") {
        answer(&text, &[]);
    }

    #[test]
    fn any_value_of_any_key(sample in prop::sample::select(SAMPLES), line in any::<prop::sample::Index>(), value in value()) {
        let mut lines: Vec<String> = sample.lines().map(str::to_owned).collect();
        let n = line.index(lines.len());
        if let Some((key, _)) = lines[n].split_once('=') {
            lines[n] = format!("{key}= {value}");
        }
        answer(&lines.join("\n"), &[]);
    }

    #[test]
    fn any_cut(sample in prop::sample::select(SAMPLES), from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>()) {
        let (a, b) = (from.index(sample.len()), to.index(sample.len()));
        answer(&format!("{}{}", &sample[..a.min(b)], &sample[a.max(b)..]), &[]);
    }

    #[test]
    fn any_override(key in "[a-z_]{1,8}(\\.[a-z0-9_]{0,6}){0,3}|flows\\.[0-9]{1,2}\\.to|radio|mac\\.cw_min|duration_s|\\PC{0,9}", value in value()) {
        prop_assume!(!key.contains('='));
        answer(CHAIN, &[&format!("{key}={value}")]);
    }
}
