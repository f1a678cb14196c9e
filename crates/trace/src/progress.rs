//! Connection progress: how many bytes of a flow's file still have how far to go.
//!
//! It is the sum over all bytes that are not at the destination yet of the hops that each has to go, along the shortest path
//! of the network as it is: nodes that are up, and in reception range. It falls as data come nearer, stands still while
//! nothing moves, and rises where a way becomes longer. Where there is no path there is no value.
//!
//! Spec      Velayutham 2005 §5.3, §7.3.1: the data that are pending times their distance from the destination
//! Deviates  decided here, as the thesis says it of the beginning alone: over TCP all pending bytes are at the source, what
//!           queues hold being copies; over bundles a byte is with who owns its bundle, or receives it, and of several of
//!           these with the one that is nearest; what nobody else has is at the source. What shadows a link for good does not
//!           count: range is range
//! Holds     a value stands for the end of its instant; bytes that are at the destination out of order are there

use std::collections::{BTreeMap, BTreeSet};

use hopwright_bundle::News;
use hopwright_machine::{Duration, FlowTag, NodeId, Time};
use hopwright_mobility::connectivity::{hops_from, neighbours};
use hopwright_mobility::{Walker, is_down, outages};
use hopwright_radio::Radio;
use hopwright_sim::{Event, Flow, FlowKind, Setup};
use hopwright_wire::nctp::Kind;
use hopwright_wire::tcp::{Flags, Segment, Seq};
use hopwright_wire::{Packet, Payload, atp};

/// How far values are apart.
const EVERY: Duration = Duration::from_millis(100);

/// Follows the files of a run.
#[derive(Debug)]
pub(crate) struct Progress {
    next: Time,
    end: Time,
    /// By flow; `None` for one without a file.
    files: Vec<Option<File>>,
    network: Network,
    /// The packet of a bundle that has come last and was new: it may turn out that it was not wanted.
    latest: Option<(usize, u32, usize, u16, u64)>,
}

/// A file on its way.
#[derive(Debug)]
struct File {
    from: usize,
    to: usize,
    start: Time,
    bytes: u64,
    carried: Carried,
}

#[derive(Debug)]
enum Carried {
    /// By TCP: the number of the first byte, and what is at the destination.
    Stream(Option<Seq>, Ranges),
    /// By ATP: bytes of a full segment, and what is at the destination.
    Numbered(u64, Ranges),
    /// In bundles: the bytes that have been cut, and the bundles that the destination does not have.
    Bundles(u64, BTreeMap<u32, Bundle>),
}

/// Bytes of a stream that are there.
#[derive(Debug, Default)]
struct Ranges {
    /// Up to here there is no gap.
    whole: u64,
    /// From where to where, beyond gaps.
    beyond: BTreeMap<u64, u64>,
}

impl Ranges {
    fn add(&mut self, from: u64, until: u64) {
        let (mut from, mut until) = (from.max(self.whole), until);
        if from >= until {
            return;
        }
        while let Some((&start, &end)) = self.beyond.range(..=until).next_back().filter(|(_, end)| **end >= from) {
            (from, until) = (from.min(start), until.max(end));
            self.beyond.remove(&start);
        }
        if from <= self.whole {
            self.whole = until;
        } else {
            self.beyond.insert(from, until);
        }
    }

    fn bytes(&self) -> u64 {
        self.whole + self.beyond.iter().map(|(from, until)| until - from).sum::<u64>()
    }
}

/// A bundle that the destination does not have.
#[derive(Debug)]
struct Bundle {
    packets: u16,
    bytes: u64,
    /// Whether the source owns it. Once it has handed it over, what it keeps is in reserve.
    at_source: bool,
    /// What others have of it, by node: packets, and their bytes.
    parts: BTreeMap<usize, (BTreeSet<u16>, u64)>,
}

/// Where nodes are, and who is in range of whom.
#[derive(Debug)]
struct Network {
    walkers: Vec<Walker>,
    outages: Vec<Vec<(Time, Time)>>,
    range_m: f64,
    /// Whether it never changes.
    is_fixed: bool,
    near: Vec<Vec<usize>>,
}

impl Network {
    fn look(&mut self, now: Time) {
        if self.is_fixed && !self.near.is_empty() {
            return;
        }
        let (walkers, outages) = (self.walkers.iter_mut(), &self.outages);
        let place = |(walker, spans): (&mut Walker, &Vec<_>)| (!is_down(spans, now)).then(|| walker.position(now));
        let places: Vec<_> = walkers.zip(outages).map(place).collect();
        self.near = neighbours(&places, self.range_m);
    }
}

impl Progress {
    pub(crate) fn new(setup: &Setup) -> Self {
        let is_fixed = setup.switches.is_empty() && setup.nodes.iter().all(|node| node.is_static());
        let network = Network {
            walkers: setup.nodes.iter().cloned().map(Walker::new).collect(),
            outages: outages(&setup.switches, setup.nodes.len()),
            range_m: Radio::new(&setup.radio).reception_range_m(),
            is_fixed,
            near: Vec::new(),
        };
        let files = setup.flows.iter().map(File::of).collect();
        Self { next: Time::ZERO, end: setup.end, files, network, latest: None }
    }

    /// Whether values are due before `at`.
    pub(crate) fn is_due(&self, at: Time) -> bool {
        self.next < at
    }

    /// Tells the values that are due before `at`: of each flow with a file that has begun; `None` without a path.
    pub(crate) fn sample(&mut self, at: Time, mut told: impl FnMut(Time, usize, Option<f64>)) {
        while self.next < at && self.next <= self.end {
            let now = self.next;
            self.network.look(now);
            for (flow, file) in self.files.iter().enumerate() {
                if let Some(file) = file.as_ref().filter(|file| file.start <= now) {
                    told(now, flow, file.pending_byte_hops(&self.network.near));
                }
            }
            self.next += EVERY;
        }
    }

    /// The last values, once the run is over.
    pub(crate) fn finish(&mut self, told: impl FnMut(Time, usize, Option<f64>)) {
        self.sample(self.end + Duration::from_nanos(1), told);
    }

    /// Something has happened at a node.
    pub(crate) fn event(&mut self, node: NodeId, event: Event<'_>) {
        match event {
            Event::Originated(packet) => {
                if let (Some((_, file)), Payload::Tcp(segment)) = (self.file_of(packet), &packet.payload) {
                    file.begins(segment);
                }
            }
            Event::Delivered(packet) => self.delivered(node.index(), packet),
            Event::Bundle { flow, bundle, news } => self.news(flow, bundle, node.index(), news),
            _ => {}
        }
    }

    /// The file that a packet carries some of.
    fn file_of(&mut self, packet: &Packet) -> Option<(usize, &mut File)> {
        let flow = packet.flow.filter(|tag| tag.is_forward()).map(FlowTag::flow)?;
        Some((flow, self.files.get_mut(flow)?.as_mut()?))
    }

    fn delivered(&mut self, node: usize, packet: &Packet) {
        let Some((flow, file)) = self.file_of(packet) else { return };
        match &packet.payload {
            Payload::Tcp(segment) => file.arrives(segment),
            Payload::Atp(segment) => {
                if let (Some(data), Carried::Numbered(full, there)) = (segment.data(), &mut file.carried)
                    && data.kind != atp::Kind::Probe
                {
                    let from = u64::from(data.number) * *full;
                    there.add(from, from + u64::from(data.payload_bytes));
                }
            }
            Payload::Nctp(part) if part.kind == Kind::Data => {
                let Carried::Bundles(_, bundles) = &mut file.carried else { return };
                let Some(bundle) = bundles.get_mut(&part.key.bundle) else { return };
                let (packets, sum) = bundle.parts.entry(node).or_default();
                let (is_new, bytes) = (packets.insert(part.number), u64::from(part.payload_bytes));
                *sum += if is_new { bytes } else { 0 };
                self.latest = is_new.then_some((flow, part.key.bundle, node, part.number, bytes));
            }
            _ => {}
        }
    }

    fn news(&mut self, flow: usize, number: u32, node: usize, news: &News) {
        let latest = self.latest.take_if(|&mut (f, bundle, at, ..)| (f, bundle, at) == (flow, number, node));
        let Some(Some(file)) = self.files.get_mut(flow) else { return };
        let Carried::Bundles(cut, bundles) = &mut file.carried else { return };
        if let &News::Cut { packets, bytes } = news {
            *cut += bytes;
            bundles.insert(number, Bundle { packets, bytes, at_source: true, parts: BTreeMap::new() });
            return;
        }
        let Some(bundle) = bundles.get_mut(&number) else { return };
        match news {
            News::Delivered => {
                bundles.remove(&number);
            }
            News::HandedOver(_) if node == file.from => bundle.at_source = false,
            News::Expired => bundle.at_source = true,
            News::Refused if node == file.from => bundle.at_source = true,
            // It sends what it had handed over.
            News::Refused => {
                bundle.parts.insert(node, ((1..=bundle.packets).collect(), bundle.bytes));
            }
            // What has come was not kept.
            News::Duplicate => {
                if let (Some((.., number, bytes)), Some(part)) = (latest, bundle.parts.get_mut(&node))
                    && part.0.remove(&number)
                {
                    part.1 -= bytes;
                }
            }
            News::HandedOver(_) | News::PartDeleted | News::Lost | News::NoRoom => {
                bundle.parts.remove(&node);
            }
            _ => {}
        }
    }
}

impl File {
    fn of(flow: &Flow) -> Option<Self> {
        let (bytes, carried) = match &flow.kind {
            FlowKind::Tcp { bytes, .. } => (*bytes, Carried::Stream(None, Ranges::default())),
            FlowKind::Bundles { bytes, .. } => (*bytes, Carried::Bundles(0, BTreeMap::new())),
            FlowKind::Atp { bytes, params } => {
                let segment_bytes = u64::from(params.segment_bytes);
                (*bytes, Carried::Numbered(segment_bytes, Ranges::default()))
            }
            FlowKind::Udp(_) => (None, Carried::Stream(None, Ranges::default())),
        };
        Some(Self { from: flow.from.index(), to: flow.to.index(), start: flow.start, bytes: bytes?, carried })
    }

    /// The sender sends: its first segment says how bytes are numbered.
    fn begins(&mut self, segment: &Segment) {
        if let Carried::Stream(first @ None, _) = &mut self.carried {
            *first = Some(segment.seq + u32::from(segment.flags.has(Flags::SYN)));
        }
    }

    /// A segment has come to the destination.
    fn arrives(&mut self, segment: &Segment) {
        let Carried::Stream(Some(first), there) = &mut self.carried else { return };
        if segment.flags.has(Flags::SYN) {
            return; // what ns-2's carries is padding
        }
        // Numbers come round; what is near the first gap is meant.
        let gap = *first + there.whole as u32;
        let ahead = segment.seq.0.wrapping_sub(gap.0) as i32;
        let from = there.whole.saturating_add_signed(i64::from(ahead));
        let until = from + u64::from(segment.payload_bytes);
        // Behind the last byte is the end's own number.
        there.add(from, until.min(self.bytes));
    }

    fn pending_byte_hops(&self, near: &[Vec<usize>]) -> Option<f64> {
        let hops = hops_from(near, self.to);
        match &self.carried {
            Carried::Stream(_, there) | Carried::Numbered(_, there) => {
                times(self.bytes.saturating_sub(there.bytes()), hops[self.from])
            }
            Carried::Bundles(cut, bundles) => {
                let uncut = times(self.bytes.saturating_sub(*cut), hops[self.from]);
                bundles.values().try_fold(uncut?, |sum, bundle| Some(sum + bundle.byte_hops(self.from, &hops)?))
            }
        }
    }
}

impl Bundle {
    fn byte_hops(&self, source: usize, hops: &[Option<u32>]) -> Option<f64> {
        let parts = self.parts.iter().map(|(&node, &(_, bytes))| (hops[node], bytes));
        let mut places: Vec<_> = parts.chain(self.at_source.then_some((hops[source], self.bytes))).collect();
        // The nearest first; from where there is no path, last.
        places.sort_by_key(|&(hops, _)| hops.unwrap_or(u32::MAX));
        places.push((hops[source], self.bytes)); // what is in reserve there
        let (mut sum, mut found) = (0.0, 0);
        for (hops, bytes) in places {
            let more = bytes.saturating_sub(found);
            (sum, found) = (sum + times(more, hops)?, found + more);
        }
        Some(sum)
    }
}

/// No bytes need no path.
fn times(bytes: u64, hops: Option<u32>) -> Option<f64> {
    if bytes == 0 { Some(0.0) } else { Some(bytes as f64 * f64::from(hops?)) }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::PacketId;
    use hopwright_mobility::placement::chain;
    use hopwright_wire::nctp;

    use super::*;

    /// A file from node 0 to node 3 of a chain; `gap`: a node that is down.
    fn progress(bytes: u64, carried: Carried, gap: Option<usize>) -> Progress {
        let mut places: Vec<_> = chain(3, 200.0).into_iter().map(Some).collect();
        if let Some(gap) = gap {
            places[gap] = None;
        }
        let near = neighbours(&places, 250.0);
        let network = Network { walkers: Vec::new(), outages: Vec::new(), range_m: 250.0, is_fixed: true, near };
        let file = File { from: 0, to: 3, start: Time::ZERO, bytes, carried };
        Progress { next: Time::ZERO, end: Time::NEVER, files: vec![Some(file)], network, latest: None }
    }

    fn bundles(gap: Option<usize>) -> Progress {
        progress(5_120_000, Carried::Bundles(0, BTreeMap::new()), gap)
    }

    fn value(progress: &Progress) -> Option<f64> {
        progress.files[0].as_ref().and_then(|file| file.pending_byte_hops(&progress.network.near))
    }

    fn tell(progress: &mut Progress, bundle: u32, node: u32, news: &News) {
        progress.event(NodeId(node), Event::Bundle { flow: 0, bundle, news });
    }

    /// A packet of 512 bytes comes to a node.
    fn comes(progress: &mut Progress, node: u32, bundle: u32, number: u16) {
        let [source, destination] = [NodeId(0), NodeId(3)].map(NodeId::address);
        let about = nctp::Packet {
            kind: Kind::Data,
            key: nctp::Key { source, connection: 0, bundle },
            destination,
            sender: source,
            receiver: NodeId(node).address(),
            number,
            packets: 1000,
            is_last: false,
            payload_bytes: 512,
        };
        let flow = Some(FlowTag::new(0, true));
        let packet = Packet { flow, ..Packet::new(PacketId(0), source, destination, 1, Payload::Nctp(about)) };
        progress.event(NodeId(node), Event::Delivered(&packet));
    }

    /// A bundle goes over one hop, from its source or from a relay.
    fn goes(progress: &mut Progress, from: u32, to: u32, bundle: u32) {
        (1..=1000).for_each(|number| comes(progress, to, bundle, number));
        tell(progress, bundle, to, &News::Owned);
        if to == 3 {
            tell(progress, bundle, to, &News::Delivered);
        }
        tell(progress, bundle, from, &News::HandedOver(NodeId(to)));
    }

    const CUT: News = News::Cut { packets: 1000, bytes: 512_000 };

    /// Vector N15.
    #[test]
    fn ten_bundles_go_over_three_hops() {
        let mut run = bundles(None);
        assert_eq!(value(&run), Some(15_360_000.0));
        tell(&mut run, 0, 0, &CUT);
        assert_eq!(value(&run), Some(15_360_000.0));
        comes(&mut run, 1, 0, 1);
        assert_eq!(value(&run), Some(15_359_488.0));
        goes(&mut run, 0, 1, 0);
        assert_eq!(value(&run), Some(14_848_000.0));
        goes(&mut run, 1, 2, 0);
        assert_eq!(value(&run), Some(14_336_000.0));
        goes(&mut run, 2, 3, 0);
        assert_eq!(value(&run), Some(13_824_000.0));
        for bundle in 1..10 {
            tell(&mut run, bundle, 0, &CUT);
            (0..3).for_each(|node| goes(&mut run, node, node + 1, bundle));
        }
        assert_eq!(value(&run), Some(0.0));
    }

    /// Vector N16.
    #[test]
    fn without_a_path_there_is_no_value() {
        let mut run = bundles(Some(2));
        assert_eq!(value(&run), None);
        // An owner that cannot reach the destination either.
        tell(&mut run, 0, 0, &CUT);
        goes(&mut run, 0, 1, 0);
        assert_eq!(value(&run), None);
        // What is there needs no path.
        let mut run = progress(1000, Carried::Stream(Some(Seq(1)), Ranges::default()), Some(1));
        assert_eq!(value(&run), None);
        if let Some(Some(File { carried: Carried::Stream(_, there), .. })) = run.files.first_mut() {
            there.add(0, 1000);
        }
        assert_eq!(value(&run), Some(0.0));
    }

    #[test]
    fn what_a_relay_loses_is_at_the_source_again() {
        let mut run = bundles(None);
        tell(&mut run, 0, 0, &CUT);
        goes(&mut run, 0, 1, 0);
        comes(&mut run, 2, 0, 1);
        assert_eq!(value(&run), Some(14_848_000.0 - 512.0));
        tell(&mut run, 0, 2, &News::PartDeleted);
        assert_eq!(value(&run), Some(14_848_000.0));
        tell(&mut run, 0, 1, &News::Lost);
        assert_eq!(value(&run), Some(15_360_000.0));
    }

    #[test]
    fn the_copy_that_is_nearest_counts_and_only_what_was_kept() {
        let mut run = bundles(None);
        tell(&mut run, 0, 0, &CUT);
        goes(&mut run, 0, 1, 0);
        goes(&mut run, 1, 2, 0);
        // Its timer was too early: a second copy is on its way, and does not make the first one go back.
        tell(&mut run, 0, 0, &News::Expired);
        comes(&mut run, 1, 0, 1);
        assert_eq!(value(&run), Some(14_336_000.0));
        // The first one is lost: but for a packet the second is at the source. It was there already, and then it was not.
        tell(&mut run, 0, 2, &News::Lost);
        assert_eq!(value(&run), Some(15_359_488.0));
        comes(&mut run, 1, 0, 1);
        tell(&mut run, 0, 1, &News::Duplicate);
        assert_eq!(value(&run), Some(15_359_488.0));
        comes(&mut run, 1, 0, 2);
        tell(&mut run, 0, 1, &News::Duplicate);
        assert_eq!(value(&run), Some(15_359_488.0));
    }

    #[test]
    fn bytes_of_a_stream_count_once_whatever_their_order_and_numbers() {
        let mut run = progress(5000, Carried::Stream(None, Ranges::default()), None);
        let file = run.files[0].as_mut().expect("a file");
        let first = Seq(u32::MAX - 1500);
        let segment = |ahead: u32, payload_bytes| Segment {
            source_port: 1,
            destination_port: 2,
            seq: first + ahead,
            ack: Seq(1),
            flags: Flags::ACK,
            window: 1,
            urgent: 0,
            options: hopwright_wire::tcp::Options::default(),
            payload_bytes,
            ecn: hopwright_wire::ip::Ecn::NotCapable,
        };
        file.begins(&Segment { flags: Flags::SYN, seq: first - 1, ..segment(0, 0) });
        for (ahead, bytes, left) in [(0, 1000, 4000), (2000, 1000, 3000), (2500, 1000, 2500), (0, 1000, 2500)] {
            file.arrives(&segment(ahead, bytes));
            assert_eq!(file.pending_byte_hops(&run.network.near), Some(f64::from(left) * 3.0));
        }
        for (ahead, bytes, left) in [(1000, 1000, 1500), (3500, 1501, 0)] {
            file.arrives(&segment(ahead, bytes));
            assert_eq!(file.pending_byte_hops(&run.network.near), Some(f64::from(left) * 3.0));
        }
    }
}
