//! What a connection takes of memory: little, and nothing more for a segment after a while.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Arc;

use hopwright_machine::{Duration, Machine as _, Time};
use hopwright_transport::adaptation::{Condition, Monitor, Settings, Side, Trigger, Triggers};
use hopwright_transport::{Connection, Data, Input, Output, PROTOCOLS, Params, Protocol, Role};
use hopwright_wire::tcp::{Segment, Seq};

/// The system's allocator, which counts what each thread asks for: the test harness has threads of its own.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    /// Bytes that are allocated now.
    static LIVE: Cell<i64> = const { Cell::new(0) };
}

fn allocations() -> u64 {
    ALLOCATIONS.with(Cell::get)
}

fn live() -> i64 {
    LIVE.with(Cell::get)
}

// A thread that ends counts no more.
fn count() {
    let _ = ALLOCATIONS.try_with(|n| n.set(n.get() + 1));
}

fn take(bytes: i64) {
    let _ = LIVE.try_with(|n| n.set(n.get() + bytes));
}

#[expect(unsafe_code, reason = "an allocator cannot be replaced otherwise; it only passes on")]
// SAFETY: every call is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        take(layout.size() as i64);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        take(-(layout.size() as i64));
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        take(size as i64 - layout.size() as i64);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Two ends, 20 ms apart, and every so many data segments lost.
struct Pair {
    ends: [Connection; 2],
    on_the_way: VecDeque<(Time, usize, Segment)>,
    now: Time,
    count: u64,
    lost: Option<u64>,
}

impl Pair {
    fn new(protocol: &Protocol, lost: Option<u64>) -> Self {
        Self::with(protocol, &Params::default(), lost)
    }

    fn with(protocol: &Protocol, params: &Params, lost: Option<u64>) -> Self {
        let params = protocol.params(params.clone());
        let end = |role, iss| Connection::new(&protocol.recipe, &params, role, 1, 1, Seq(iss));
        let ends = [end(Role::Active, 1), end(Role::Passive, 2)];
        let on_the_way = VecDeque::with_capacity(4096);
        let mut pair = Self { ends, on_the_way, now: Time::ZERO, count: 0, lost };
        pair.handle(1, Input::Open);
        pair.handle(0, Input::Write(Data::Count(u64::MAX / 2)));
        pair.handle(0, Input::Open);
        pair
    }

    fn handle(&mut self, end: usize, input: Input<'_>) {
        self.ends[end].handle(self.now, input);
        while let Some(output) = self.ends[end].poll() {
            let Output::Segment(segment) = output else { continue };
            self.count += u64::from(segment.payload_bytes > 0);
            let is_lost = segment.payload_bytes > 0 && self.lost.is_some_and(|every| self.count.is_multiple_of(every));
            if !is_lost {
                self.on_the_way.push_back((self.now + Duration::from_millis(20), 1 - end, segment));
            }
        }
    }

    /// Goes on until so many data segments more have left.
    fn run(&mut self, segments: u64) {
        let until = self.count + segments;
        while self.count < until {
            let timers = self.ends.each_ref().map(Connection::deadline);
            let arrival = self.on_the_way.front().map_or(Time::NEVER, |first| first.0);
            self.now = arrival.min(timers[0]).min(timers[1]);
            assert!(!self.now.is_never(), "nothing will happen any more");
            if arrival == self.now {
                let (_, end, segment) = self.on_the_way.pop_front().expect("it was seen");
                self.handle(end, Input::Segment { segment: &segment, data: &[] });
            } else {
                self.handle(usize::from(timers[1] == self.now), Input::Wake);
            }
        }
    }
}

#[test]
fn a_segment_costs_no_allocation() {
    for protocol in PROTOCOLS {
        for lost in [None, Some(97)] {
            let mut pair = Pair::new(protocol, lost);
            pair.run(5000);
            let before = allocations();
            pair.run(5000);
            let count = allocations() - before;
            assert_eq!(count, 0, "{} with losses {lost:?}", protocol.id);
        }
    }
}

/// With its queue of outputs and records of what is in flight, without the bytes that an application hands over. Each
/// thread counts its own, so this may run beside the other test.
#[test]
fn a_connection_is_small() {
    let monitors = [Monitor::Loss, Monitor::Delay];
    let when = monitors.map(|monitor| Condition { monitor, side: Side::Below, bound: -1.0, until: -1.0 }).to_vec();
    let set = vec![("response".to_owned(), "spare".to_owned())];
    let rows = vec![Trigger { when, any: true, set, back: true }];
    let adaptive = Some(Arc::new(Triggers { rows, settings: Settings::default() }));
    let size = |protocol: &Protocol, triggers: Option<Arc<Triggers>>| {
        let params = Params { triggers, window_limit_segments: 4, ..Params::default() };
        let before = live();
        let mut pair = Pair::with(protocol, &params, Some(97));
        pair.run(2000);
        pair.on_the_way = VecDeque::new();
        (live() - before) / 2 + size_of::<Connection>() as i64
    };
    for protocol in PROTOCOLS {
        size(protocol, None); // what is made once is made
    }
    // Both ends of a rate keep what came in the last round trip, and what the receiver reports.
    for (triggers, is_rate, bound) in
        [(None, false, 5_000), (None, true, 5_500), (adaptive.clone(), false, 6_400), (adaptive, true, 6_900)]
    {
        let rows = PROTOCOLS.iter().filter(|protocol| (protocol.id == "tfrc") == is_rate);
        let sizes = rows.map(|protocol| (size(protocol, triggers.clone()), protocol.id));
        let sizes: Vec<_> = sizes.collect();
        let (least, most) = (sizes.iter().min().expect("some"), sizes.iter().max().expect("some"));
        println!("bytes, triggers {}: {least:?} to {most:?}", triggers.is_some());
        assert!(most.0 <= bound, "{most:?}");
    }
}
