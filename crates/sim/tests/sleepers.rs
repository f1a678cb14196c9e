//! Nodes that sleep through frames for others (`sleepers`), where it is known what they must remember.

use hopwright_link::{Config, Eifs, FrameKind};
use hopwright_machine::NodeId;
use hopwright_mobility::{Position, Trajectory};

use crate::support::{at, datagrams, quiet, traced};

/// Node 2 passes by two nodes that talk, hears them ever more weakly, and then nothing more for half a minute. The last
/// frame that it heard was too weak: so its first packet waits for the EIFS, not the DIFS.
#[test]
fn a_sleeper_far_away_remembers_how_the_last_frame_ended() {
    let mut setup = quiet(&[(0.0, 0.0), (100.0, 0.0)], false, 50.0, false);
    setup.mac.backoff_always = true;
    setup.mac.eifs = Eifs::InsteadOfDifs;
    for x_m in [150.0, 200.0] {
        let mut passer_by = Trajectory::fixed(Position::new(x_m, 0.0));
        passer_by.travel_to(at(1.5), Position::new(x_m + 4000.0, 0.0), 100.0);
        setup.nodes.push(passer_by);
    }
    // With few nodes nobody sleeps. These are far away; two of them talk when node 2 has long changed its cell.
    setup.nodes.extend((0..20).map(|n| Trajectory::fixed(Position::new(200.0 * f64::from(n), 9000.0))));
    let talk = |tenth: u32| datagrams(0, 1, 500, 1.0 + 0.1 * f64::from(tenth), 1);
    setup.flows = (0..35).map(talk).collect();
    setup.flows.extend([datagrams(4, 5, 500, 40.0, 1), datagrams(2, 3, 500, 45.0, 1)]);
    let run = traced(&setup, 1, &[&[], &[], &[0]]);
    let sent = run.frames.iter().find(|frame| frame.from == NodeId(2)).expect("a datagram leaves");
    assert_eq!(sent.kind, FrameKind::Data);
    let eifs = Config::default().eifs_time();
    assert_eq!(sent.at, at(45.0) + eifs);
}
