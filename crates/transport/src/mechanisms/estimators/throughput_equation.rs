//! What a TCP would carry on a path with these losses.
//!
//! Spec      RFC 5348 §3.1 (after Padhye et al. 1998), with b = 1 and a time-out of four round trips
//! Deviates  nothing
//! Holds     falls with losses and with the round-trip time

/// Bytes per second, with segments of so many bytes, a round trip of so many seconds, and so many loss events per segment
/// (above 0, to 1).
pub(in crate::mechanisms) fn throughput(segment: f64, rtt: f64, p: f64) -> f64 {
    let time_out = 4.0 * rtt;
    let fast = rtt * (2.0 * p / 3.0).sqrt();
    let slow = time_out * 3.0 * (3.0 * p / 8.0).sqrt() * p * (1.0 + 32.0 * p * p);
    segment / (fast + slow)
}

/// The loss events per segment at which a TCP would carry so much (RFC 5348 §6.3.1).
pub(in crate::mechanisms) fn loss_at(segment: f64, rtt: f64, rate: f64) -> f64 {
    let (mut least, mut most) = (1e-12_f64, 1.0_f64);
    for _ in 0..64 {
        let middle = (least * most).sqrt();
        if throughput(segment, rtt, middle) > rate { least = middle } else { most = middle }
    }
    (least * most).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vector X4: segments of 1460 bytes, round trips of 0.1, 0.1, 0.5 and 2.1 s and losses of 1, 2, 5 and 5 % give 164 005,
    /// 106 943, 10 763 and 2563 B/s.
    /// Vector T1: the first of these gives 164 005 B/s; 1000 bytes, 0.1 s and 10 % give 17 701; 1460, 0.2 s and 0.1 % 280 206.
    #[test]
    fn the_equation_is_that_of_the_document() {
        let cases = [
            (1460.0, 0.1, 0.01, 164_005.0),
            (1460.0, 0.1, 0.02, 106_943.0),
            (1460.0, 0.5, 0.05, 10_763.0),
            (1460.0, 2.1, 0.05, 2_563.0),
            (1000.0, 0.1, 0.1, 17_701.0),
            (1460.0, 0.2, 0.001, 280_206.0),
        ];
        for (segment, rtt, p, rate) in cases {
            assert_eq!(throughput(segment, rtt, p).round(), rate, "{segment} {rtt} {p}");
            let back = loss_at(segment, rtt, rate);
            assert!((back / p - 1.0).abs() < 1e-3, "{back} for {p}");
        }
    }
}
