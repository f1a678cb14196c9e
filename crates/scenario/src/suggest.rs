//! The right spelling nearest to a wrong one.

use std::cmp::Reverse;

/// Longer words are not a slip of the pen.
const LONGEST_WORD: usize = 100;
/// Letters from which on a word may be the beginning of another.
const SHORTEST_BEGINNING: usize = 3;

/// The member of `choices` nearest to `word`, if any is near enough to be meant.
pub(crate) fn nearest<'a>(word: &str, choices: impl IntoIterator<Item = &'a str>) -> Option<String> {
    // No key or word is nearly as long, and the distance costs the product of the lengths.
    if word.len() > LONGEST_WORD {
        return None;
    }
    let plain = |s: &str| s.to_lowercase().replace(['-', '_', ' '], "");
    let wanted = plain(word);
    if wanted.is_empty() {
        return None;
    }
    let choices: Vec<&str> = choices.into_iter().filter(|c| *c != word).collect();
    if let Some(same) = choices.iter().find(|c| plain(c) == wanted) {
        return Some((*same).to_owned());
    }
    // `sca_k`, where the key is `k`: who writes more than the name has the name.
    if let Some((_, end)) = word.rsplit_once(['_', '-'])
        && choices.contains(&end)
    {
        return Some(end.to_owned());
    }
    // Of several names that begin so, none is nearer than the others, unless a single letter is missing.
    let longer = choices.iter().map(|c| plain(c)).filter(|c| c.starts_with(&wanted)).map(|c| c.len() - wanted.len());
    let longer: Vec<usize> = longer.collect();
    if wanted.len() >= SHORTEST_BEGINNING && longer.len() > 1 && longer.iter().all(|&letters| letters > 1) {
        return None;
    }
    choices
        .into_iter()
        .map(|c| (distance(&wanted, &plain(c)), c))
        .filter(|(d, c)| *d <= 1 + c.len() / 4)
        .min_by_key(|(d, c)| (*d, Reverse(shared(&wanted, &plain(c))), c.len()))
        .map(|(_, c)| c.to_owned())
}

/// Letters in which two words begin alike.
fn shared(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

/// Edits between two words; one letter, if one begins with the other: a forgotten unit is the usual slip.
fn distance(a: &str, b: &str) -> usize {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    if short.len() >= SHORTEST_BEGINNING && long.starts_with(short) { 1 } else { strsim::damerau_levenshtein(a, b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_not() {
        let keys = ["data_rate_mbps", "basic_rate_mbps", "queue_packets"];
        assert_eq!(nearest("data_rate_mpbs", keys).as_deref(), Some("data_rate_mbps"));
        assert_eq!(nearest("data_rate", keys).as_deref(), Some("data_rate_mbps"));
        assert_eq!(nearest("queuePackets", keys).as_deref(), Some("queue_packets"));
        let hello = ["hello", "hello_interval_s", "hello_jitter_ms"];
        assert_eq!(nearest("hello_intervall_s", hello).as_deref(), Some("hello_interval_s"));
        assert_eq!(nearest("hello_interval_ms", hello).as_deref(), Some("hello_interval_s"));
        assert_eq!(nearest("sca_k", ["ss_k", "k"]).as_deref(), Some("k"));
        assert_eq!(nearest("new-reno", ["reno", "newreno"]).as_deref(), Some("newreno"));
        assert_eq!(nearest("sca", ["sca-reno", "sca-sack", "sack"]), None);
        assert_eq!(nearest("queue", ["queue_packets", "queues", "queue_limit"]).as_deref(), Some("queues"));
        assert_eq!(nearest("colour", keys), None);
        assert_eq!(nearest("", keys), None);
    }
}
