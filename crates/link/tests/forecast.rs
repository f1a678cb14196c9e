//! A station for which a forecast is made, and which is told of nothing before it must act, sends what it would send if
//! it were told of everything in the instant in which it happens.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use hopwright_link::fba::{self, LostRace};
use hopwright_link::{Class, Config, Dcf, Draws, Eifs, Forecast, Frame, FrameKind, Input, Lred, Mac, Output, lred};
use hopwright_machine::{Duration, Machine, NodeId, Purpose, Stream, Time};
use hopwright_radio::{Capture, Ended, Hurdle, Interference, Receiver, ReceptionRule, RxEvent, Signal, WeakFrames};
use proptest::prelude::*;

const ME: NodeId = NodeId(0);
const PEER: NodeId = NodeId(1);
const MICROSECOND: u64 = 1000;

/// What a frame in the air is to the station.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    Mine(FrameKind),
    /// For another station, with this Duration field.
    Other(Duration),
}

impl Default for Role {
    fn default() -> Self {
        Self::Other(Duration::ZERO)
    }
}

/// A frame of somebody else's.
#[derive(Clone, Copy, Debug)]
struct Sound {
    /// How long its first bit is on its way.
    delay: Duration,
    lasts: Duration,
    power_mw: f64,
    hurdle: Hurdle,
    role: Role,
}

/// What happens around the station.
#[derive(Clone, Copy, Debug)]
enum Around {
    /// A frame leaves its sender.
    Sound(Sound),
    /// There is a packet to be sent.
    Packet { bytes: u32, next_hop: Option<NodeId> },
}

/// What the two stations have in common.
#[derive(Clone, Debug)]
struct World {
    config: Arc<Config>,
    rule: ReceptionRule,
    draws: Vec<u32>,
    around: Vec<(Time, Around)>,
    /// Whether the peer answers the station's first frame, its second, ...
    answers: Vec<bool>,
    /// Of things that happen at one time, whether the station comes last.
    station_last: bool,
}

/// When a station is woken, and what it is told.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Told {
    /// Everything in the instant in which it happens.
    AtOnce,
    /// Everything when it is woken: when the forecast says, or for a frame that it must act on.
    Late,
}

struct Station {
    told: Told,
    config: Arc<Config>,
    dcf: Dcf<u8>,
    receiver: Receiver<Role>,
    forecast: Option<Forecast>,
    /// When it must act on frames that are on their way.
    attending: Vec<Time>,
    /// When it will be woken: its deadline when it was last asked.
    scheduled: Time,
    /// Frames it has put on the air since this was last looked at.
    sent: Vec<Frame<u8>>,
    log: Vec<(Time, Output<u8>)>,
}

impl Station {
    fn new(told: Told, world: &World) -> Self {
        let draws = Draws::Scripted(world.draws.iter().copied().collect());
        let mut dcf = Dcf::new(Arc::clone(&world.config), ME, draws);
        if let Some(config) = world.config.lred {
            let stream = Stream::new(1, ME, Purpose::LinkRed);
            dcf = dcf.with_lred(Lred::new(config, |_| lred::Told::ByLoss, stream));
        }
        Self {
            told,
            config: Arc::clone(&world.config),
            dcf,
            receiver: Receiver::new(world.rule),
            forecast: None,
            attending: Vec::new(),
            scheduled: Time::NEVER,
            sent: Vec::new(),
            log: Vec::new(),
        }
    }

    fn deadline(&self) -> Time {
        let acts = self.attending.iter().copied().min().unwrap_or(Time::NEVER);
        match self.told {
            Told::AtOnce => acts.min(self.dcf.deadline()).min(self.receiver.next_event()),
            Told::Late => {
                let access = self.forecast.map_or(Time::NEVER, |forecast| forecast.access(&self.config));
                acts.min(self.dcf.timeout()).min(access)
            }
        }
    }

    /// As the antenna of a simulated node does it.
    fn plan(&mut self, now: Time) {
        self.forecast = self.dcf.forecast();
        let Some(forecast) = &mut self.forecast else { return };
        let fails_at = self.receiver.fails_at();
        if let [sooner @ .., last] = self.receiver.upcoming() {
            sooner.iter().for_each(|signal| forecast.sense(signal.from, signal.until, false, &self.config));
            forecast.sense(last.from, last.until, fails_at.is_some(), &self.config);
        } else if let Some(until) = fails_at.filter(|&until| until > now) {
            forecast.sense(now, until, true, &self.config);
        }
    }

    /// Ends up to and including `now`, arrivals before `now`, in their order.
    fn catch_up(&mut self, now: Time) {
        let dcf = &mut self.dcf;
        self.receiver.advance(now, |at, event| match event {
            RxEvent::Carrier(until) => dcf.handle(at, Input::Carrier { until }),
            RxEvent::Held(until) => dcf.handle(at, Input::Held { until }),
            RxEvent::Ended(Ended::Failed(_) | Ended::Damaged(_)) => dcf.handle(at, Input::Failed),
            RxEvent::Ended(Ended::Received(Role::Other(nav))) => dcf.handle(at, Input::Overheard(nav)),
            RxEvent::Ended(Ended::Received(Role::Mine(kind))) => {
                let payload = (kind == FrameKind::Data).then_some(0);
                let (air_time, nav) = (Duration::ZERO, Duration::from_millis(3));
                let frame = Frame { kind, from: PEER, to: Some(ME), air_time, nav, sequence: 1, retry: false, payload };
                dcf.handle(at, Input::Received(&frame));
            }
            RxEvent::Ended(Ended::Unnoticed) | RxEvent::Collided { .. } | RxEvent::Missed { .. } => {}
        });
    }

    /// Its deadline has come, or there is a packet.
    fn wake(&mut self, now: Time, packet: Option<Input<'_, u8>>) {
        self.catch_up(now);
        self.attending.retain(|&act_at| act_at > now);
        if let Some(packet) = packet {
            self.dcf.handle(now, packet);
        }
        if self.dcf.deadline() <= now {
            self.dcf.handle(now, Input::Wake);
        }
        loop {
            while let Some(output) = self.dcf.poll() {
                if let Output::Transmit(frame) = &output {
                    self.receiver.transmit(now + frame.air_time);
                    self.sent.push(frame.clone());
                }
                self.log.push((now, output));
            }
            if !self.dcf.awaits_resume() {
                break;
            }
            self.dcf.handle(now, Input::Resume);
        }
        assert!(self.dcf.deadline() >= now, "a deadline in the past: {} at {now}", self.dcf.deadline());
        self.plan(now);
        self.scheduled = self.deadline();
    }

    /// A frame has left its sender.
    fn announce(&mut self, now: Time, sound: Sound) {
        if self.told == Told::AtOnce {
            self.catch_up(now);
        }
        let from = now + sound.delay;
        let signal = Signal {
            from,
            until: from + sound.lasts,
            power_mw: sound.power_mw,
            hurdle: sound.hurdle,
            frame: sound.role,
        };
        self.receiver.announce(signal);
        let act_at = match sound.role {
            Role::Mine(FrameKind::Rts | FrameKind::Cts) if sound.hurdle.is_decodable() => {
                signal.until + self.config.sifs
            }
            Role::Mine(_) if sound.hurdle.is_decodable() => signal.until,
            _ => Time::NEVER,
        };
        self.attending.push(act_at);
        if let Some(forecast) = &mut self.forecast {
            forecast.sense(signal.from, signal.until, self.receiver.fails_at().is_some(), &self.config);
        }
        self.scheduled = self.deadline();
    }
}

/// The peer's answer to a frame that ends at `until`: when it leaves, and what it is.
fn answer(frame: &Frame<u8>, until: Time, config: &Config) -> Option<(Time, Sound)> {
    frame.to?;
    let kind = match frame.kind {
        FrameKind::Rts => FrameKind::Cts,
        FrameKind::Data => FrameKind::Ack,
        FrameKind::Cts | FrameKind::Ack => return None,
    };
    let delay = Duration::from_nanos(300);
    let lasts = config.ack_time();
    let sound = Sound { delay, lasts, power_mw: 50.0, hurdle: Hurdle::NONE, role: Role::Mine(kind) };
    Some((until + delay + config.sifs, sound))
}

/// What a station does in this world, and how often it was woken.
fn run(told: Told, world: &World) -> (Vec<(Time, Output<u8>)>, usize) {
    let mut station = Station::new(told, world);
    let mut answers: VecDeque<bool> = world.answers.iter().copied().collect();
    let mut coming: BTreeMap<(Time, usize), Around> = BTreeMap::new();
    for (place, &(at, around)) in world.around.iter().enumerate() {
        coming.insert((at, place), around);
    }
    let (mut place, mut woken) = (coming.len(), 0);
    loop {
        let next = coming.first_key_value().map_or(Time::NEVER, |(&(at, _), _)| at);
        let wakes = station.scheduled < next || (station.scheduled == next && !world.station_last);
        let now = if wakes { station.scheduled } else { next };
        if now.is_never() {
            return (station.log, woken);
        }
        if wakes {
            woken += 1;
            assert!(woken < 1_000_000, "it is woken for ever");
            station.wake(now, None);
        } else {
            match coming.pop_first() {
                Some((_, Around::Sound(sound))) => station.announce(now, sound),
                Some((_, Around::Packet { bytes, next_hop })) => {
                    station.wake(now, Some(Input::Enqueue { packet: 9, bytes, next_hop, class: Class::Data }));
                }
                None => {}
            }
        }
        for frame in std::mem::take(&mut station.sent) {
            if answers.pop_front().unwrap_or(true)
                && let Some((at, sound)) = answer(&frame, now + frame.air_time, &world.config)
            {
                coming.insert((at, place), Around::Sound(sound));
                place += 1;
            }
        }
    }
}

/// How long after what was there before something happens.
#[derive(Clone, Copy, Debug)]
enum Gap {
    /// After the end of the last frame: when a station that counts slots from there begins, or nearly.
    Slots { eifs: u64, difs: u64, slots: u64, off_ns: i64 },
    /// After the end of the last frame.
    AfterEnd(u64),
    /// After the last frame has left: they may overlap.
    AfterStart(u64),
}

fn gaps() -> impl Strategy<Value = Gap> {
    let off = prop_oneof![Just(0), -2..3i64, -2500..2500i64];
    prop_oneof![
        4 => (0..2u64, 0..2u64, 0..32u64, off)
            .prop_map(|(eifs, difs, slots, off_ns)| Gap::Slots { eifs, difs, slots, off_ns }),
        3 => (0..900 * MICROSECOND).prop_map(Gap::AfterEnd),
        1 => (0..20_000 * MICROSECOND).prop_map(Gap::AfterEnd),
        1 => (0..500 * MICROSECOND).prop_map(Gap::AfterStart),
        1 => (0..2500u64).prop_map(Gap::AfterStart),
    ]
}

fn sounds() -> impl Strategy<Value = Around> {
    let role = prop_oneof![
        6 => Just(Role::Other(Duration::ZERO)),
        2 => (0..4000u64).prop_map(|us| Role::Other(Duration::from_micros(us))),
        2 => prop_oneof![Just(FrameKind::Rts), Just(FrameKind::Cts), Just(FrameKind::Data), Just(FrameKind::Ack)]
            .prop_map(Role::Mine),
    ];
    let lasts = prop_oneof![3000..60_000u64, Just(304 * MICROSECOND), 60_000..3000 * MICROSECOND];
    let power = prop_oneof![Just(1.0), Just(5.0), Just(20.0), Just(300.0)];
    let delay = prop_oneof![Just(0), Just(667), 0..2000u64];
    let hurdle = prop_oneof![6 => Just(Hurdle::NONE), 2 => Just(Hurdle::WEAK), 1 => Just(Hurdle::DAMAGED)];
    (delay, lasts, power, hurdle, role).prop_map(|(delay, lasts, power_mw, hurdle, role)| {
        let (delay, lasts) = (Duration::from_nanos(delay), Duration::from_nanos(lasts));
        Around::Sound(Sound { delay, lasts, power_mw, hurdle, role })
    })
}

fn packets() -> impl Strategy<Value = Around> {
    (20..1500u32, prop_oneof![Just(Some(PEER)), Just(None)])
        .prop_map(|(bytes, next_hop)| Around::Packet { bytes, next_hop })
}

fn configs() -> impl Strategy<Value = Config> {
    let eifs = prop_oneof![2 => Just(Eifs::InsteadOfDifs), 2 => Just(Eifs::ThenDifs), 1 => Just(Eifs::Never)];
    let bits = (any::<bool>(), eifs, any::<bool>(), any::<bool>(), any::<bool>());
    let races = prop_oneof![Just(LostRace::Redraw), Just(LostRace::KeepCounter), Just(LostRace::Ignore)];
    (bits, prop::option::of(races)).prop_map(|((ns2, eifs, rts, drawn_first, paces), race)| Config {
        fba: race.map(|lost_race| fba::Config { lost_race, ..Default::default() }),
        eifs,
        rts_threshold_bytes: if rts { 0 } else { 3000 },
        backoff_always: drawn_first,
        queue_packets: 5,
        // Contended from the first failed try on.
        lred: paces.then_some(lred::Config { min_threshold: 0.1, paces, ..Default::default() }),
        ..if ns2 { Config::ns2() } else { Config::default() }
    })
}

fn rules() -> impl Strategy<Value = ReceptionRule> {
    use Interference::{All, Locked, Sum};
    let interference = prop_oneof![Just(All), Just(Locked), Just(Sum)];
    (any::<bool>(), any::<bool>(), interference).prop_map(|(any, lock, interference)| ReceptionRule {
        capture_ratio: 10.0,
        capture: if any { Capture::Any } else { Capture::First },
        weak_frames: if lock { WeakFrames::Lock } else { WeakFrames::Energy },
        interference,
        ..ReceptionRule::default()
    })
}

fn worlds() -> impl Strategy<Value = World> {
    let around = prop::collection::vec((gaps(), prop_oneof![3 => sounds(), 2 => packets()]), 1..40);
    let draws = prop::collection::vec(prop_oneof![0..4u32, 0..32u32], 40);
    let answers = prop::collection::vec(any::<bool>(), 20);
    (configs(), rules(), around, draws, answers, any::<bool>()).prop_map(
        |(config, rule, around, draws, answers, station_last)| {
            let (mut start, mut end) = (0, 0);
            let around = around
                .into_iter()
                .map(|(gap, around)| {
                    let at = match gap {
                        Gap::AfterEnd(ns) => end + ns,
                        Gap::AfterStart(ns) => start + ns,
                        Gap::Slots { eifs, difs, slots, off_ns } => {
                            let c = &config;
                            let spaces = c.eifs_time().as_nanos() * eifs + c.difs.as_nanos() * difs;
                            (end + spaces + c.slot.as_nanos() * slots).saturating_add_signed(off_ns)
                        }
                    };
                    if let Around::Sound(sound) = around {
                        start = at;
                        end = end.max(at + sound.delay.as_nanos() + sound.lasts.as_nanos());
                    }
                    (Time::from_nanos(at), around)
                })
                .collect();
            World { config: Arc::new(config), rule, draws, around, answers, station_last }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// Whatever is heard, and whenever: what a station does, and when, does not depend on when it is told.
    #[test]
    fn a_station_that_is_told_late_does_what_it_would_have_done(world in worlds()) {
        let (expected, _) = run(Told::AtOnce, &world);
        let (done, _) = run(Told::Late, &world);
        prop_assert_eq!(done, expected);
    }
}

/// The purpose: four frames of others come before a station's turn, and it is woken once to begin and once at the end.
#[test]
fn a_station_sleeps_through_what_others_send() {
    for config in [Config::default(), Config::ns2()] {
        let other = Role::Other(Duration::ZERO);
        let lasts = Duration::from_micros(1000);
        let sound = Sound { delay: Duration::from_nanos(500), lasts, power_mw: 5.0, hurdle: Hurdle::NONE, role: other };
        let frame = |us| (Time::from_nanos(us * MICROSECOND), Around::Sound(sound));
        let packet = (Time::from_nanos(10 * MICROSECOND), Around::Packet { bytes: 100, next_hop: None });
        // 10 slots, of which two pass in each of the four gaps: DIFS and 45 us.
        let around = vec![frame(0), packet, frame(1095), frame(2190), frame(3285), frame(4380)];
        let (draws, answers) = (vec![10], Vec::new());
        let rule = ReceptionRule::default();
        let world = World { config: Arc::new(config), rule, draws, around, answers, station_last: false };
        let (log, woken) = run(Told::Late, &world);
        let begins = Time::from_nanos(500 + (5380 + 50 + 2 * 20) * MICROSECOND);
        assert!(
            matches!(log.as_slice(), [(at, Output::Transmit(_)), (_, Output::Sent { .. })] if *at == begins),
            "{log:?}"
        );
        assert_eq!(woken, 2);
    }
}

/// A frame that is too weak makes a station wait for EIFS; not one that it sent its own acknowledgement over.
#[test]
fn what_a_station_did_not_notice_does_not_hold_it_back() {
    for config in [Config::default(), Config::ns2()] {
        let sound = |us: u64, lasts_us, decodable, role| {
            let (delay, lasts) = (Duration::from_nanos(500), Duration::from_micros(lasts_us));
            (
                Time::from_nanos(us * MICROSECOND),
                Around::Sound(Sound { delay, lasts, power_mw: 5.0, hurdle: Hurdle::of(decodable), role }),
            )
        };
        let other = Role::Other(Duration::ZERO);
        let packet = (Time::from_nanos(10 * MICROSECOND), Around::Packet { bytes: 100, next_hop: None });
        // The acknowledgement leaves at 2015.5 us and takes 304.
        let around = vec![
            sound(0, 1000, true, other),
            packet,
            sound(1005, 1000, true, Role::Mine(FrameKind::Data)),
            sound(2012, 50, false, other),
        ];
        let ended = 500 + (2015 + 304) * MICROSECOND;
        let begins = Time::from_nanos(ended + (50 + 3 * 20) * MICROSECOND);
        let (draws, answers) = (vec![3], Vec::new());
        let rule = ReceptionRule { interference: Interference::All, ..ReceptionRule::default() };
        let world = World { config: Arc::new(config), rule, draws, around, answers, station_last: false };
        for told in [Told::AtOnce, Told::Late] {
            let (log, _) = run(told, &world);
            let sent = log.iter().filter(|(_, output)| matches!(output, Output::Transmit(f) if f.payload.is_some()));
            assert_eq!(sent.map(|(at, _)| *at).collect::<Vec<_>>(), [begins], "{told:?}: {log:?}");
        }
    }
}
