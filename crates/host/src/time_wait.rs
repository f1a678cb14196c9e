//! Connections that wait for stray segments, and those that follow between the same ends.
//!
//! Spec      RFC 9293 §3.6.1 (TIME-WAIT given up early), §3.10.7.4 (a SYN in TIME-WAIT); RFC 1122 §4.2.2.13
//! Deviates  nothing
//! Holds     the queue is at most twice as long as there are connections, and some; a reopened connection
//!           starts beyond every number of the one before

use hopwright_machine::Time;
use hopwright_transport::State;
use hopwright_wire::tcp::{Flags, Segment};

use crate::events::{Event, EventKind, Output};
use crate::host::Host;
use crate::identity::{Handle, Tuple};

/// How far beyond the old connection's next number a new one starts: a window without scaling (RFC 1122 §4.2.2.13
/// wants it larger; Linux adds as much).
const BEYOND: u32 = 65_537;

/// Dead handles that the queue may have in any case.
const SLACK: usize = 16;

impl Host {
    /// A connection has come to TIME-WAIT.
    pub(crate) fn keep_waiting(&mut self, handle: Handle) {
        if self.time_waits.len() >= 2 * self.table.len() + SLACK {
            let table = &self.table;
            self.time_waits.retain(|&handle| table.place(handle).is_some());
        }
        self.time_waits.push_back(handle);
    }

    /// Ends a connection in TIME-WAIT before its time.
    pub(crate) fn cut_wait_short(&mut self, index: u32) {
        if let Some(entry) = self.table.at(index)
            && !entry.is_told_closed
        {
            let event = Event { handle: entry.handle, kind: EventKind::Closed };
            self.ready.push_back(Output::Event(event));
        }
        self.forget(index);
    }

    /// Whether this is a request for a new connection between the ends of one in TIME-WAIT, and late enough.
    pub(crate) fn is_reopened(&self, index: u32, segment: &Segment) -> bool {
        let others = Flags::ACK.with(Flags::RST).with(Flags::FIN).0;
        self.table.at(index).is_some_and(|entry| {
            entry.connection.state() == State::TimeWait
                && segment.flags.has(Flags::SYN)
                && segment.flags.0 & others == 0
                && self.listeners.contains_key(&entry.tuple.local_port)
                && entry.connection.admits_reopening(segment)
        })
    }

    /// Opens a connection anew. A cookie's number may lie among those of the old connection: if there could only
    /// be a cookie, the request is dropped, and the client repeats it.
    pub(crate) fn reopen(&mut self, now: Time, index: u32, tuple: Tuple, syn: &Segment) {
        let has_place = self.shares.of(tuple.remote.address).connections < self.config.max_connections_per_address;
        let may_keep = has_place && self.may_keep_half_open(&tuple) && !self.is_crowded();
        let Some(entry) = self.table.at(index).filter(|_| may_keep) else { return self.on_turned_away(&tuple) };
        let least = entry.connection.next_seq() + BEYOND;
        self.cut_wait_short(index);
        self.on_request(now, tuple, syn, Some(least));
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::{Address, Duration, Machine, Time};
    use hopwright_transport::{Params, protocol};

    use crate::{Checksums, Config, Endpoint, EventKind, Host, Input, Output};

    /// Carries packets between two hosts that close whatever opens, until there are none.
    fn exchange(hosts: &mut [Host; 2], now: Time) {
        let mut is_quiet = false;
        while !is_quiet {
            is_quiet = true;
            for from in [0, 1] {
                while let Some(output) = hosts[from].poll() {
                    is_quiet = false;
                    match output {
                        Output::Send(packet) => {
                            let mut bytes = Vec::new();
                            hosts[from].emit(&packet, Checksums::Complete, &mut bytes);
                            hosts[1 - from].handle(now, Input::packet(&bytes));
                        }
                        Output::Event(event) if event.kind == EventKind::Established => {
                            hosts[from].shutdown(now, event.handle);
                        }
                        Output::Event(_) => {}
                    }
                }
            }
        }
    }

    #[test]
    fn the_queue_forgets_who_is_gone() {
        let newreno = protocol("newreno").unwrap().recipe;
        let params = Params { explicit_read: true, ..Params::default() };
        let host =
            |n: u32| Host::new(Config::new(Address(0x0a00_0000 + n), 24, newreno, params.clone(), [n as u8; 16]));
        let mut hosts = [host(1), host(2)];
        hosts[0].listen(80, 16).unwrap();
        let mut now = Time::ZERO;
        for _ in 0..3000 {
            hosts[1].connect(now, Endpoint { address: Address(0x0a00_0001), port: 80 }).unwrap();
            exchange(&mut hosts, now);
            now += Duration::from_secs(20);
            for host in &mut hosts {
                host.handle(now, Input::Wake);
            }
            exchange(&mut hosts, now);
        }
        let lengths = hosts.each_ref().map(|host| host.time_waits.len());
        assert!(hosts.iter().all(|host| host.table.len() < 20 && host.time_waits.len() < 60), "{lengths:?}");
    }
}
