//! A scenario as it was given, without defaults: a key that is set in it has the effect that it has in the file.

use std::collections::BTreeMap;

use hopwright_scenario::{Carried, Loaded, parse_carried};
use hopwright_transport::protocols;

use crate::common::{CHAIN, good, read};

/// What its text and files alone make, with `key` set.
fn again(given: &(String, Vec<(String, String)>), overrides: &[(String, String)]) -> Result<Loaded, String> {
    let (text, files) = given;
    let of = |name: &str| files.iter().find(|(file, _)| file.starts_with(name)).map(|(_, text)| text.as_str());
    let records: BTreeMap<_, _> = files.iter().cloned().collect();
    let records = serde_json::to_string(&records).expect("texts");
    let (movement, coefficients) = (of("scenario-movement"), of("scenario-coefficients"));
    let carried = Carried { movement, coefficients, records: Some(&records) };
    parse_carried("given.toml", text, carried, overrides).map_err(|errors| errors.to_string())
}

#[test]
fn a_protocol_that_is_set_has_its_own_defaults() {
    let given = good(CHAIN, &["flows.transport.segment_bytes=1000", "mac.cw_min=15"]).as_given();
    let mut differ = 0;
    for protocol in protocols() {
        let key = ("flows.transport.protocol".to_owned(), protocol.id.to_owned());
        let set = format!("{}={}", key.0, key.1);
        let fixed = ["flows.transport.segment_bytes=1000", "mac.cw_min=15", &set];
        let Ok(expected) = read(CHAIN, &fixed) else { continue };
        let found = again(&given, std::slice::from_ref(&key)).unwrap_or_else(|errors| panic!("{errors}"));
        assert_eq!(found.idle_parameters(), [], "{}", protocol.id);
        let (expected, found) = (expected.scenario.to_toml(), found.scenario.to_toml());
        assert_eq!(found, expected, "{}", protocol.id);
        // In the text with every default, the defaults of the first protocol stay.
        let full = (good(CHAIN, &fixed[..2]).scenario.to_toml(), vec![]);
        differ += usize::from(again(&full, &[key]).is_ok_and(|kept| kept.scenario.to_toml() != expected));
    }
    assert!(differ > 2, "{differ}");
}

#[test]
fn it_needs_no_other_files() {
    let link = "duration_s = 5\n[topology]\nkind = \"links\"\n[[links]]\nfrom = 0\nto = 1\nprofile = \"link.toml\"\n\
                [links.reverse]\nloss_trace = \"losses.txt\"\n[[flows]]\nfrom = 0\nto = 1\n[flows.transport]\n\
                protocol = \"sack\"\npolicy = \"policy.toml\"\n";
    let cars = "duration_s = 5\nrouting.protocol = 'aodv'\ntopology = { kind = 'sumo-fcd', file = 'cars.xml' }\n\
                [[flows]]\nfrom = 'b'\nto = 'a'\n";
    let charged = format!("{CHAIN}[energy]\ncompute = 'coefficients.toml'\n");
    for (text, names) in [
        (link, &["scenario-link-0.txt", "scenario-link-1.mahi"][..]),
        (cars, &["scenario-movement.xml"]),
        (&charged, &["scenario-coefficients.toml"]),
    ] {
        let loaded = good(text, &["duration_s=4"]);
        let given = loaded.as_given();
        let mut files: Vec<&str> = given.1.iter().map(|(name, _)| name.as_str()).collect();
        files.sort_unstable();
        assert_eq!(files, names);
        assert!(!given.0.contains("policy") && given.0.lines().count() < 40, "{}", given.0);
        let found = again(&given, &[]).unwrap_or_else(|errors| panic!("{errors}\n{}", given.0));
        assert_eq!(found.in_one_folder(""), loaded.in_one_folder(""));
    }
}
