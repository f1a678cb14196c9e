use super::*;

const P: PacketId = PacketId(1);
const A: NodeId = NodeId(0);

fn at(seconds: u64) -> Time {
    Time::ZERO + Duration::from_secs(seconds)
}

fn lost() -> News {
    News::Lost(LossCause::Queue)
}

fn drop_one(losses: &mut Losses, seconds: u64) -> News {
    losses.dropped(at(seconds), P, DropCause::QueueFull)
}

#[test]
fn a_packet_is_lost_with_its_last_copy() {
    let mut losses = Losses::new(true);
    losses.copied(P);
    losses.copied(P);
    assert_eq!(drop_one(&mut losses, 1), News::Nothing);
    assert_eq!(drop_one(&mut losses, 1), News::Nothing);
    assert_eq!(drop_one(&mut losses, 1), lost());
}

#[test]
fn a_copy_that_arrives_after_the_loss_finds_the_packet() {
    let mut losses = Losses::new(true);
    assert_eq!(drop_one(&mut losses, 1), lost());
    losses.copied(P);
    assert_eq!(losses.delivered(at(2), P), News::Found(LossCause::Queue));
    losses.copied(P);
    assert_eq!(drop_one(&mut losses, 3), News::Nothing);
}

/// The next hop drops a copy of a packet that counts as lost already; then the station that sent it, which has heard no
/// acknowledgement, gives its own up; then one more copy of the router arrives.
#[test]
fn a_copy_given_up_late_after_a_loss_is_the_only_one() {
    let mut losses = Losses::new(true);
    assert_eq!(drop_one(&mut losses, 1), lost());
    losses.copied(P);
    losses.handed_over(A, P);
    assert_eq!(drop_one(&mut losses, 2), News::Nothing);
    losses.doubled(A, P);
    assert_eq!(drop_one(&mut losses, 3), News::Nothing);
    losses.copied(P);
    assert_eq!(losses.delivered(at(4), P), News::Found(LossCause::Queue));
}

/// `Ended::KEPT`, from the end of the last copy, not of the first.
#[test]
fn an_end_is_known_for_a_minute() {
    for (seconds, known) in [(110, true), (111, false)] {
        let mut losses = Losses::new(true);
        assert_eq!(drop_one(&mut losses, 0), lost());
        losses.copied(P);
        assert_eq!(drop_one(&mut losses, 50), News::Nothing);
        // What is old is forgotten when others end.
        for (at_s, other) in [(70, 2), (seconds, 3)] {
            assert_eq!(losses.dropped(at(at_s), PacketId(other), DropCause::QueueFull), lost());
        }
        // Of a packet whose end is not known another copy is thought to be on its way.
        losses.copied(P);
        assert_eq!(drop_one(&mut losses, seconds), News::Nothing);
        assert_eq!(losses.copies.contains_key(&P), !known);
    }
}
