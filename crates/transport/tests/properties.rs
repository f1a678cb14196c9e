//! What holds for every protocol, profile and way of acknowledging, whatever the network does.

use hopwright_machine::{Duration, Machine as _, NodeId, Purpose, Stream, Time};
use hopwright_transport::params::{EcnMode, Place, WindowValidation};
use hopwright_transport::{Connection, Data, Input, Output, PROTOCOLS, Params, Public, Role, State, Value};
use hopwright_wire::tcp::{Flags, Options, Segment, Seq};
use proptest::prelude::*;

use crate::pair::{Network, Pair, SEGMENT, Traffic, combinations, companions, stream};

/// The protocols that listen to routing.
const ROUTE_AWARE: [&str; 6] = ["tcp-f", "elfn", "atcp", "simelfn", "fsr", "door"];

fn validations() -> impl Strategy<Value = WindowValidation> {
    prop_oneof![Just(WindowValidation::None), Just(WindowValidation::Rfc7661)]
}

/// Everything that can fill the slot of acknowledgements.
fn ways_of_acknowledging() -> Vec<&'static str> {
    let slots = hopwright_transport::slots();
    let acking = slots.iter().find(|slot| slot.name == "acking").expect("a slot");
    acking.parts.iter().map(|part| part.id).collect()
}

fn networks() -> impl Strategy<Value = Network> {
    (any::<u64>(), 0..25u32, 0..10u32, 0..20u32, 0..2_000u64, prop_oneof![Just(0), 0..90_000u64]).prop_map(
        |(seed, loss, duplication, reordering, dark_from_ms, dark_for_ms)| Network {
            seed,
            loss,
            duplication,
            reordering,
            jitter_us: 1000,
            dark_from_ms,
            dark_for_ms,
        },
    )
}

fn traffics() -> impl Strategy<Value = Traffic> {
    let iss = prop_oneof![any::<u32>(), (0..9_000u32).prop_map(|below| u32::MAX - below)];
    (0..9_000usize, prop_oneof![Just(0), 0..3_000usize], iss.clone(), iss, 1..65u32, prop_oneof![Just(0), 0..400u32])
        .prop_map(|(forward, backward, a, b, window_segments, reading_delay_ms)| Traffic {
            forward,
            backward,
            iss: [a, b],
            window_segments,
            reading_delay_ms,
            is_virtual: false,
            both_open: false,
        })
}

/// Why a segment was lost, and what that costs, can be combined at will: every diagnosis that looks at the loss with
/// every response to it, against a peer of the same recipe. Only notices must come from somewhere.
#[test]
fn diagnoses_and_responses_combine() {
    let slots = hopwright_transport::slots();
    let parts = |name: &str| slots.iter().find(|s| s.name == name).unwrap().parts.iter().map(|p| p.id);
    for diagnosis in parts("diagnosis") {
        for response in ["halve", "bandwidth-fit", "veno", "spare", "welcome"] {
            for (recovery, detection) in
                [("partial-acks", "duplicate-acks"), ("fast-recovery", "eln"), ("go-back", "eln")]
            {
                for (seed, profile) in [(1, Params::default()), (2, Params::default()), (3, Params::ns2())] {
                    let recipe = [("diagnosis", diagnosis), ("response", response), ("recovery", recovery)]
                        .into_iter()
                        .chain([("detection", detection)])
                        .fold(PROTOCOLS[0].recipe, |recipe, (slot, part)| recipe.with(slot, part).unwrap());
                    let timestamps = !profile.plain_handshake; // which has no room for them
                    let params = Params { timestamps, selective_acks: timestamps, ..profile };
                    if recipe.check(&params).is_err() {
                        assert!(!timestamps || detection == "eln", "{diagnosis} works with everything on");
                        continue;
                    }
                    let network = Network {
                        seed,
                        loss: 8,
                        duplication: 2,
                        reordering: 3,
                        jitter_us: 1000,
                        dark_from_ms: 400,
                        dark_for_ms: 3_000,
                    };
                    let traffic = Traffic {
                        forward: 30_000,
                        backward: 2_000,
                        iss: [7, u32::MAX - 500],
                        window_segments: 20,
                        reading_delay_ms: 5,
                        is_virtual: false,
                        both_open: false,
                    };
                    let name = format!("{diagnosis} {response} {recovery} {detection} {seed}");
                    let mut pair = Pair::new(&recipe, &params, network, traffic);
                    pair.run();
                    assert_eq!(pair.resets, 0, "{name}");
                    assert!(pair.received[1] == stream(0, traffic.forward), "{name}: forward stream differs");
                    assert!(pair.received[0] == stream(1, traffic.backward), "{name}: backward stream differs");
                    let p = pair.ends[0].public();
                    let found =
                        p.diagnosed.congestion + p.diagnosed.channel + p.diagnosed.contention + p.diagnosed.route;
                    assert!(found >= p.fast_retransmits && found > 0, "{name}: {:?}", p.diagnosed);
                    assert!(diagnosis != "blame-congestion" || found == p.diagnosed.congestion, "{name}");
                }
            }
        }
    }
}

/// Any diagnosis and any response can take over from any other while the connection runs.
#[test]
fn diagnoses_and_responses_swap() {
    let slots = hopwright_transport::slots();
    let parts =
        |name: &str| slots.iter().find(|s| s.name == name).unwrap().parts.iter().map(|p| p.id).collect::<Vec<_>>();
    let (diagnoses, responses) = (parts("diagnosis"), parts("response"));
    let recipe = PROTOCOLS.iter().find(|p| p.id == "newreno").unwrap().recipe;
    let params = Params { timestamps: true, selective_acks: true, ..Params::default() };
    for seed in 0..10 {
        let network = Network {
            seed,
            loss: 6,
            duplication: 1,
            reordering: 2,
            jitter_us: 500,
            dark_from_ms: 600,
            dark_for_ms: 1_500,
        };
        let traffic = Traffic {
            forward: 40_000,
            backward: 0,
            iss: [1, 1],
            window_segments: 30,
            reading_delay_ms: 0,
            is_virtual: false,
            both_open: false,
        };
        let mut pair = Pair::new(&recipe, &params, network, traffic);
        let mut random = Stream::new(seed, NodeId(1), Purpose::Transport);
        let mut swaps = 0;
        pair.run_with(|pair| {
            let is_open = |s: &State| !matches!(s, State::Listen | State::SynSent | State::SynReceived);
            if !pair.states().iter().all(is_open) || random.below(10) > 0 {
                return;
            }
            let (slot, all) = if random.below(2) == 0 { ("diagnosis", &diagnoses) } else { ("response", &responses) };
            let part = all[random.below(all.len() as u32) as usize];
            for end in &mut pair.ends {
                end.swap(slot, part).unwrap();
                assert!(end.mechanisms().any(|id| id == part));
            }
            swaps += 1;
        });
        assert!(swaps > 10, "{swaps}");
        assert_eq!(pair.resets, 0);
        assert!(pair.received[1] == stream(0, traffic.forward), "forward stream differs after {swaps} swaps");
    }
}

/// Vector A3: 5 % of all segments are lost, and in the middle of a recovery another mechanism comes into a slot: any one into
/// any. Every byte arrives once and in order; una, max, scoreboard and srtt are what they were before it came.
#[test]
fn any_mechanism_takes_over_in_the_middle_of_a_recovery() {
    let row = hopwright_transport::protocol("sack").unwrap();
    let params = Params { timestamps: true, ecn: EcnMode::On, ..row.params(Params::default()) };
    let network =
        Network { seed: 3, loss: 5, duplication: 0, reordering: 0, jitter_us: 500, dark_from_ms: 0, dark_for_ms: 0 };
    let traffic = Traffic {
        forward: 40_000,
        backward: 0,
        iss: [1, 1],
        window_segments: 40,
        reading_delay_ms: 0,
        is_virtual: false,
        both_open: false,
    };
    for slot in hopwright_transport::slots() {
        for part in &slot.parts {
            let mut pair = Pair::new(&row.recipe, &params, network, traffic);
            let mut is_there = false;
            pair.run_with(|pair| {
                let end = &mut pair.ends[0];
                if is_there || !end.public().is_recovering() {
                    return;
                }
                let kept = |p: &Public| (p.una, p.max, p.sacked.ranges().to_vec(), p.srtt);
                let before = kept(end.public());
                let mut changes = vec![(slot.name, part.id)];
                changes.extend(companions(part.id));
                if part.id == "eln" {
                    changes.push(("diagnosis", "eln")); // who gives the notices that its detection waits for
                }
                end.swap_all(&changes).unwrap_or_else(|error| panic!("{changes:?}: {error}"));
                assert_eq!(kept(end.public()), before, "{changes:?}");
                is_there = end.mechanisms().any(|id| id == part.id);
            });
            assert!(is_there, "{} {}", slot.name, part.id);
            assert!(pair.received[1] == stream(0, traffic.forward), "{} {}", slot.name, part.id);
            assert_eq!(pair.ends[1].public().delivered_bytes, traffic.forward as u64, "{} {}", slot.name, part.id);
        }
    }
}

/// What random cases have found, all with DOOR: while nothing may grow, ns-2's halving of one segment halved it away
/// again and again; a spurious time-out left what little was in flight as the window; restored windows met the
/// deflation of others, or were those of a recovery that closes windows. And both ends believed an offer that a larger one
/// had overtaken.
#[test]
fn what_was_found_stays_mended() {
    let networks = [
        (15_592_584_790_944_802_720, 19, 1, 9, 0, 0),
        (710_315_758_417_882_467, 22, 7, 15, 184, 1607),
        (3_442_080_967_302_188_630, 5, 9, 5, 536, 51_005),
        (18_335_517_631_116_322_554, 12, 1, 19, 0, 45_001),
        (12_356_681_528_091_063_069, 0, 4, 12, 0, 0),
        (15_286_997_276_332_910_393, 11, 9, 11, 0, 0),
    ];
    let traffics = [
        (4801, 1500, 26, 387, 0),
        (4681, 2949, 8, 0, 26),
        (6801, 1, 25, 7, 26),
        (8349, 777, 13, 191, 1),
        (1701, 2317, 8, 0, 7),
        (953, 902, 2, 0, 17),
    ];
    for ((seed, loss, duplication, reordering, dark_from_ms, dark_for_ms), traffic) in
        networks.into_iter().zip(traffics)
    {
        let network = Network { seed, loss, duplication, reordering, jitter_us: 1000, dark_from_ms, dark_for_ms };
        let (forward, backward, window_segments, reading_delay_ms, disturbed) = traffic;
        let traffic = Traffic {
            forward,
            backward,
            iss: [0, 0],
            window_segments,
            reading_delay_ms,
            is_virtual: false,
            both_open: false,
        };
        for (name, recipe, params) in combinations() {
            let all = Params { timestamps: seed % 2 == 0 || params.timestamps, selective_acks: true, ..params.clone() };
            let mut pair = Pair::new(&recipe, if disturbed == 0 { &params } else { &all }, network, traffic);
            pair.disturbed = disturbed;
            pair.run();
            assert!(pair.received[1] == stream(0, traffic.forward), "{name}: forward stream differs");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every byte arrives, once, in order, in both directions, and both ends finish.
    #[test]
    fn streams_arrive_exactly(network in networks(), traffic in traffics()) {
        for (name, recipe, params) in combinations() {
            let mut pair = Pair::new(&recipe, &params, network, traffic);
            pair.run();
            prop_assert_eq!(pair.resets, 0, "{}", &name);
            prop_assert!(pair.received[1] == stream(0, traffic.forward), "{}: forward stream differs", &name);
            prop_assert!(pair.received[0] == stream(1, traffic.backward), "{}: backward stream differs", &name);
            let counted = [traffic.forward as u64, traffic.backward as u64];
            let acked = [0, 1].map(|i| pair.ends[i].public().acked_bytes);
            let delivered = [1, 0].map(|i| pair.ends[i].public().delivered_bytes);
            prop_assert_eq!((acked, delivered), (counted, counted), "{}", &name);
        }
    }

    /// Nor where a receiver asks for its data, or both do, of which neither is answered.
    #[test]
    fn streams_that_are_asked_for_arrive_exactly(
        network in networks(), traffic in traffics(), asks in 1..4u32, disturbed in prop_oneof![Just(0), 1..30u32],
    ) {
        let place = |end: u32| if asks & (1 << end) > 0 { Place::Receiver } else { Place::Sender };
        let places = [place(0), place(1)];
        for (name, recipe, params) in combinations() {
            if recipe.check(&Params { place: Place::Receiver, ..params.clone() }).is_err() {
                continue;
            }
            let all = Params { timestamps: network.seed % 2 == 0 || params.timestamps, selective_acks: true, ..params.clone() };
            let params = if disturbed > 0 { all } else { params };
            let mut pair = Pair::with_places(&recipe, &params, places, network, traffic);
            pair.disturbed = disturbed;
            pair.run();
            prop_assert_eq!(pair.resets, 0, "{}", &name);
            prop_assert!(pair.received[1] == stream(0, traffic.forward), "{}: forward stream differs", &name);
            prop_assert!(pair.received[0] == stream(1, traffic.backward), "{}: backward stream differs", &name);
            for (asker, sent) in [(1, traffic.forward), (0, traffic.backward)] {
                let asked = pair.ends[asker].asking().map(|half| half.public().acked_bytes);
                let should = (places[asker] == Place::Receiver && asks < 3 && sent > 0).then_some(sent as u64);
                prop_assert_eq!(asked.filter(|&bytes| bytes > 0), should, "{}", &name);
            }
        }
    }

    /// Nor do mechanisms that change while the connection runs, and news from below. Both ends speak all options, so
    /// that every mechanism may come.
    #[test]
    fn swaps_do_not_change_the_stream(network in networks(), traffic in traffics(), disturbed in 1..30u32) {
        let timestamps = network.seed % 2 == 0;
        for (name, recipe, params) in combinations() {
            let params = Params { timestamps: timestamps || params.timestamps, selective_acks: true, ..params };
            let mut pair = Pair::new(&recipe, &params, network, traffic);
            pair.disturbed = disturbed;
            pair.run();
            prop_assert_eq!(pair.resets, 0, "{}", &name);
            prop_assert!(pair.received[1] == stream(0, traffic.forward), "{}: forward stream differs", &name);
            prop_assert!(pair.received[0] == stream(1, traffic.backward), "{}: backward stream differs", &name);
            prop_assert!(pair.swaps > 0 || disturbed > 3 || traffic.forward < 3_000, "{}: nothing was swapped", &name);
        }
    }

    /// Nor does a table of triggers that changes them as what is measured says.
    #[test]
    fn triggers_do_not_change_the_stream(network in networks(), traffic in traffics()) {
        let mut changes = 0;
        for (name, recipe, params) in combinations().into_iter().step_by(7) {
            let params = Params { timestamps: true, selective_acks: true, ..params };
            let mut pair = Pair::new(&recipe, &params, network, traffic);
            pair.adapt();
            pair.run();
            prop_assert!(pair.received[1] == stream(0, traffic.forward), "{}: forward stream differs", &name);
            prop_assert!(pair.received[0] == stream(1, traffic.backward), "{}: backward stream differs", &name);
            changes += pair.ends[0].take_changes().len();
        }
        prop_assert!(changes > 0 || traffic.forward < 5_000, "no row ever fired");
    }

    /// Nor does what routing says, true or not, at any time, nor that it says nothing any more. Nor marks.
    #[test]
    fn news_of_the_route_do_not_change_the_stream(
        // News with every event would never end: an answer to each is an event, too.
        network in networks(), traffic in traffics(), signalled in 3..30u32, is_told: bool, marks in 0..30u32,
        acking in prop_oneof![Just("every"), Just("delayed")],
    ) {
        for (id, profile) in ROUTE_AWARE.into_iter().flat_map(|id| [(id, Params::default()), (id, Params::ns2())]) {
            let row = hopwright_transport::protocol(id).expect("a protocol");
            let thaw_timer = if marks % 2 == 0 { "full" } else { "remaining" };
            let mut params = Params { ecn: if marks > 0 { EcnMode::On } else { EcnMode::Off }, ..row.params(profile) };
            params.set("thaw_timer", Value::Word(thaw_timer.into())).expect("a word");
            let mut pair = Pair::new(&row.recipe.with("acking", acking).unwrap(), &params, network, traffic);
            (pair.signalled, pair.is_told, pair.marks) = (signalled, is_told, marks);
            pair.run();
            prop_assert_eq!(pair.resets, 0, "{}", id);
            prop_assert!(pair.received[1] == stream(0, traffic.forward), "{}: forward stream differs", id);
            prop_assert!(pair.received[0] == stream(1, traffic.backward), "{}: backward stream differs", id);
            let freezes = pair.ends[0].public().freezes;
            prop_assert!(freezes > 0 || signalled > 3 || traffic.forward < 5_000 || id == "door", "{}: never froze", id);
        }
    }

    /// Nor do options change what arrives, nor who opens.
    #[test]
    fn options_do_not_change_the_stream(
        network in networks(), traffic in traffics(), both_open: bool, timestamps: bool, selective_acks: bool, nagle: bool,
        window_validation in validations(),
    ) {
        let protocol = &PROTOCOLS[network.seed as usize % PROTOCOLS.len()];
        for acking in ways_of_acknowledging() {
            let recipe = protocol.recipe.with("acking", acking).unwrap();
            let base = protocol.params(Params::default());
            let (timestamps, selective_acks) = (timestamps || base.timestamps, selective_acks || base.selective_acks);
            let params = Params { timestamps, selective_acks, nagle, window_validation, ..base };
            let mut pair = Pair::new(&recipe, &params, network, Traffic { both_open, ..traffic });
            pair.ends = pair.ends.map(|end| end.with_timestamp_offset(traffic.iss[0]));
            pair.run();
            prop_assert_eq!(pair.resets, 0);
            prop_assert!(pair.received[1] == stream(0, traffic.forward), "forward stream differs");
            prop_assert!(pair.received[0] == stream(1, traffic.backward), "backward stream differs");
        }
    }

    /// A receiver that answers polls only leaves nothing to the retransmission timer, as long as nothing is lost.
    #[test]
    fn polls_are_enough(
        network in networks(), traffic in traffics(), nagle: bool, burst in 0..4u32, initial_window_segments in 1..11u32,
        window_validation in validations(),
    ) {
        let traffic = Traffic { reading_delay_ms: 0, ..traffic };
        for protocol in ["reno", "newreno"] {
            let recipe = hopwright_transport::protocol(protocol).unwrap().recipe.with("acking", "polled").unwrap();
            let params = Params { nagle, max_burst_segments: burst, initial_window_segments, window_validation, ..Params::default() };
            let mut pair = Pair::new(&recipe, &params, network.in_order(), traffic);
            pair.run();
            prop_assert!(pair.received[1] == stream(0, traffic.forward), "forward stream differs");
            prop_assert!(pair.received[0] == stream(1, traffic.backward), "backward stream differs");
            let timeouts: u64 = pair.ends.iter().map(|end| end.public().timeouts).sum();
            prop_assert_eq!(timeouts, 0);
        }
    }

    /// Both ends fill the other's buffer and close, in the same round trip or not: a FIN may lie one number beyond
    /// the window, acknowledgements without data do not. Without losses no timer is needed, unless something is taken
    /// for lost: of data that come twice the acknowledgement is not believed.
    #[test]
    fn full_windows_close(
        network in networks(), is_clean: bool, window_segments in 1..5u32, both_open: bool, nagle: bool,
        (forward, backward) in (0..9usize, 0..9usize), reading_delay_ms in prop_oneof![Just(0), 0..60u32],
        window_validation in validations(),
    ) {
        let network = if is_clean { network.in_order() } else { network };
        let bytes = |quarters: usize| quarters * (window_segments * SEGMENT / 4) as usize;
        let (forward, backward, iss) = (bytes(forward), bytes(backward), [0, u32::MAX]);
        let traffic = Traffic { forward, backward, iss, window_segments, reading_delay_ms, is_virtual: false, both_open };
        for (name, recipe, params) in combinations() {
            let params = Params { initial_window_segments: 10, max_burst_segments: 0, nagle, window_validation, ..params };
            let mut pair = Pair::new(&recipe, &params, network, traffic);
            pair.run();
            prop_assert_eq!(pair.resets, 0, "{}", &name);
            prop_assert!(pair.received[1] == stream(0, forward), "{}: forward stream differs", &name);
            prop_assert!(pair.received[0] == stream(1, backward), "{}: backward stream differs", &name);
            let is_undisturbed = is_clean && pair.ends.iter().all(|end| end.public().fast_retransmits == 0);
            let timeouts: u64 = pair.ends.iter().map(|end| end.public().timeouts).sum();
            prop_assert!(!is_undisturbed || timeouts == 0, "{}: {} time-outs", &name, timeouts);
        }
    }

    /// Counted bytes go the same way as real ones: same segments, same times.
    #[test]
    fn counted_bytes_behave_like_real_ones(network in networks(), traffic in traffics()) {
        let (_, recipe, params) = combinations().swap_remove(network.seed as usize % combinations().len());
        let mut real = Pair::new(&recipe, &params, network, traffic);
        let mut counted = Pair::new(&recipe, &params, network, Traffic { is_virtual: true, ..traffic });
        real.run();
        counted.run();
        prop_assert_eq!(real.transcript, counted.transcript);
    }

    /// Whatever arrives, nothing panics, nothing is taken or sent that was not offered, no timer is stuck and
    /// nothing grows.
    #[test]
    fn nonsense_is_survived(
        segments in prop::collection::vec(nonsense(), 1..60),
        role in prop_oneof![Just(Role::Active), Just(Role::Passive)],
        (timestamps, selective_acks, nagle, explicit_read) in any::<(bool, bool, bool, bool)>(),
        (answers, window_validation) in (any::<bool>(), validations()),
    ) {
        let newreno = hopwright_transport::protocol("newreno").unwrap().recipe;
        let thinned = ways_of_acknowledging().into_iter().map(|acking| newreno.with("acking", acking).unwrap());
        let thinned = thinned.map(|recipe| (String::new(), recipe, Params::default()));
        for (_, recipe, params) in combinations().into_iter().chain(thinned) {
            let (timestamps, selective_acks) = (timestamps || params.timestamps, selective_acks || params.selective_acks);
            let params = Params { timestamps, selective_acks, nagle, explicit_read, window_validation, user_timeout: Duration::from_secs(1), ..params };
            let mut end = Connection::new(&recipe, &params, role, 1, 2, Seq(9));
            let mut now = Time::ZERO;
            end.handle(now, Input::Open);
            end.handle(now, Input::Write(Data::Count(100_000)));
            let first = Segment {
                seq: Seq(0), ack: Seq(10), payload_bytes: 0,
                flags: Flags::SYN.with(if role == Role::Active && answers { Flags::ACK } else { Flags(0) }),
                ..segments[0]
            };
            let mut edge = Seq(10);
            for segment in std::iter::once(&first).chain(&segments) {
                let shift = if segment.flags.has(Flags::SYN) && !params.plain_handshake { 0 } else { 14 };
                let ack = if segment.flags.has(Flags::ACK) { segment.ack } else { Seq(10) };
                if ack.bytes_since(Seq(9)) <= 100_000 {
                    edge = edge.max(ack.max(Seq(10)) + (u32::from(segment.window) << shift));
                }
                now += Duration::from_millis(7);
                let data = vec![7; segment.payload_bytes as usize];
                end.handle(now, Input::Segment { segment, data: if explicit_read { &data } else { &[] } });
                if end.deadline() <= now {
                    end.handle(now, Input::Wake);
                }
                prop_assert!(end.deadline() > now);
                while let Some(output) = end.poll() {
                    // What ns-2's Vegas sends with its SYN is no data.
                    if let Output::Segment(sent) = output && sent.payload_bytes > 0 && !sent.flags.has(Flags::SYN) {
                        prop_assert!(!(sent.seq + sent.payload_bytes).is_after(edge + 1), "{:?} of {:?}", sent, edge);
                    }
                }
                let p = end.public();
                prop_assert!(p.una <= p.nxt && p.nxt <= p.max);
                prop_assert!(p.delivered_bytes <= 3_000 + params.window_limit());
                let (a, b) = end.received();
                prop_assert!((a.len() + b.len()) as u64 <= end.readable_bytes());
                prop_assert!(end.readable_bytes() <= params.window_limit());
            }
        }
    }
}

/// A segment of anybody. Half of them are near what an end with the number 9 expects of a peer with the number
/// 0, or nothing but the first check would be tried.
fn nonsense() -> impl Strategy<Value = Segment> {
    let numbers = (any::<u32>(), any::<u32>(), 0..64u8, any::<u16>(), any::<bool>());
    let payload = prop_oneof![0..3_000u32, Just(0), 0..65_000u32];
    let options = (any::<Option<(u8, u8)>>(), any::<Option<u8>>(), any::<[Option<(u32, u32)>; 2]>(), any::<bool>());
    let requests = (any::<Option<u32>>(), any::<bool>());
    (numbers, payload, options, requests).prop_map(
        |(numbers, payload_bytes, (stamps, window_scale, blocks, sack_permitted), (period, is_poll))| {
            let (seq, ack, flags, window, is_near) = numbers;
            let mut options = Options { window_scale, sack_permitted, ..Options::default() };
            options.timestamps = stamps.map(|(value, echo)| (value.into(), echo.into()));
            for (left, right) in blocks.into_iter().flatten() {
                options.sack.push(Seq(left), Seq(right));
            }
            if let Some(period) = period {
                options.extra.set_ack_period_us(period);
            }
            if is_poll {
                options.extra.set_poll();
            }
            let (seq, ack) = if is_near { (seq % 3_000, 9 + ack % 3_000) } else { (seq, ack) };
            let flags = Flags(flags & !if is_near { 4 } else { 0 });
            let (seq, ack) = (Seq(seq), Seq(ack));
            Segment {
                source_port: 2,
                destination_port: 1,
                seq,
                ack,
                flags,
                window,
                urgent: 0,
                options,
                payload_bytes,
                ecn: hopwright_wire::ip::Ecn::NotCapable,
            }
        },
    )
}

/// A byte behind a closed window, when Vegas under ns-2's rules had closed the congestion window too: it is probed for.
/// A clock that is swapped for one without ticks while an acknowledgement waits for the next tick. Half of no offer,
/// which is no window. A time-out that one restored route after another makes ever shorter. A
/// duplicate that is kept from the sender after it began anew, and counted duplicates from zero. Two ends whose probes
/// were taken behind closed windows, and that number what acknowledges them from before. Two ends that both believe a
/// closed window which an open one had overtaken. A receiver that answers polls, and a sender whose mechanism polls no more.
#[test]
fn what_once_failed() {
    let network = |seed, loss, duplication, reordering| Network {
        seed,
        loss,
        duplication,
        reordering,
        jitter_us: 1000,
        dark_from_ms: 0,
        dark_for_ms: 0,
    };
    let traffic = |forward, backward, window_segments, reading_delay_ms| Traffic {
        forward,
        backward,
        iss: [0, 0],
        window_segments,
        reading_delay_ms,
        is_virtual: false,
        both_open: false,
    };
    for (network, traffic, disturbed) in [
        (network(4_176_945_378_171_257_627, 7, 1, 7), traffic(2801, 1, 2, 52), 0),
        (network(17_633_359_545_084_734_742, 9, 9, 17), traffic(6721, 2413, 7, 0), 1),
        (network(9_216_370_968_590_285_745, 4, 8, 12), traffic(3789, 765, 7, 307), 12),
        (Network { dark_for_ms: 63_141, ..network(2_531_436_600_478_598_552, 16, 0, 10) }, traffic(4193, 0, 1, 254), 6),
        (Network { dark_from_ms: 462, ..network(475_267_034_968_567_251, 18, 0, 0) }, traffic(201, 0, 2, 0), 4),
        (
            Network { dark_from_ms: 687, dark_for_ms: 6224, ..network(9_430_882_268_877_583_984, 21, 1, 10) },
            traffic(1601, 1801, 1, 366),
            0,
        ),
        (
            Network { dark_from_ms: 231, dark_for_ms: 9202, ..network(9_935_905_995_703_976_969, 10, 7, 19) },
            traffic(3452, 2805, 1, 365),
            18,
        ),
        (Network { dark_from_ms: 306, ..network(6_266_437_362_841_551_958, 23, 4, 17) }, traffic(8653, 0, 20, 0), 15),
    ] {
        for (name, recipe, params) in combinations() {
            let wants_all = disturbed > 0;
            let timestamps = params.timestamps || (wants_all && network.seed % 2 == 0);
            let selective_acks = params.selective_acks || wants_all;
            let mut pair = Pair::new(&recipe, &Params { timestamps, selective_acks, ..params }, network, traffic);
            pair.disturbed = disturbed;
            pair.run();
            assert!(pair.received[1] == stream(0, traffic.forward), "{name}: forward stream differs");
        }
    }
}
