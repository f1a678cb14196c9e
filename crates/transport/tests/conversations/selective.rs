//! Selective acknowledgements (RFC 2018), the receiver's part; of what peers send the sender makes nothing yet.

use hopwright_converse::check;

/// §4: first the block with the newest segment, then those most recently told.
#[test]
fn the_newest_block_comes_first() {
    check(
        "newreno",
        "
        role passive
        set selective_acks true
          0ms < 1000:2000
          0ms > ack 0 sack 1000:2000
          1ms < 3000:4000
          1ms > ack 0 sack 3000:4000,1000:2000
          2ms < 5000:6000
          2ms > ack 0 sack 5000:6000,3000:4000,1000:2000
          3ms < 7000:8000
          3ms > ack 0 sack 7000:8000,5000:6000,3000:4000,1000:2000
          4ms < 9000:10000
          4ms > ack 0 sack 9000:10000,7000:8000,5000:6000,3000:4000
          5ms < 2000:3000
          5ms > ack 0 sack 1000:4000,9000:10000,7000:8000,5000:6000
          6ms < 0:1000
          6ms > readable 4000
          6ms > ack 4000 sack 9000:10000,7000:8000,5000:6000
          7ms < 4000:9000
          7ms > readable 6000
          7ms > ack 10000
    ",
    );
}

/// §3: 40 bytes of options have room for three beside a timestamp.
#[test]
fn beside_a_timestamp_there_are_three() {
    check(
        "newreno",
        "
        role passive
        set selective_acks true
        set timestamps true
          0ms < 1000:1100
          0ms > ack 0
          0ms < 2000:2100
          0ms > ack 0
          0ms < 3000:3100
          0ms > ack 0
          0ms < 4000:4100
          0ms > ack 0 ts 1000 ecr 500 sack 4000:4100,3000:3100,2000:2100
    ",
    );
}

/// RFC 6691 §3.
#[test]
fn blocks_take_room_from_data() {
    check(
        "newreno",
        "
        set selective_acks true
          0ms < 1000:2000
          0ms > ack 0 sack 1000:2000
          1ms write 5000
          1ms > 0:988 sack 1000:2000 988:1976 sack 1000:2000
          2ms < 0:1000
          2ms > readable 2000
          2ms > ack 2000
        100ms < ack 1976
        100ms > 1976:2976 2976:3976 3976:4976
    ",
    );
}

#[test]
fn nothing_is_told_to_a_peer_that_cannot_read_it() {
    for (ours, theirs) in [("true", "peer bare"), ("false", "")] {
        check(
            "newreno",
            &format!(
                "
            {theirs}
            set segment_bytes 536
            set selective_acks {ours}
              0ms < 1000:2000
              0ms > ack 0
              1ms write 1072
              1ms > 0:536 536:1072
        "
            ),
        );
    }
}

#[test]
fn blocks_of_the_peer_do_no_harm() {
    check(
        "newreno",
        "
        set selective_acks true
          0ms write 5000
          0ms > 0:1000 1000:2000
        100ms < ack 1000 sack 1500:1000,0:4294967295,2000:3000,7:7
        100ms > 2000:3000 3000:4000
        101ms < ack 1000 1000 1000 sack 2000:3000
        101ms > 1000:2000 4000:5000
    ",
    );
}
