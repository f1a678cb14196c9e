//! The TUN device: the peer's side of the kernel's network.

use std::cell::Cell;
use std::fmt;
use std::net::Ipv4Addr;
use std::os::fd::AsFd;

use hopwright_machine::{Address, Duration};
use hopwright_wire::ip::{self, protocol};
use hopwright_wire::tcp::{self, Segment};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tun_rs::{DeviceBuilder, SyncDevice};

/// The kernel's address and port, and the peer's (of RFC 2544's, which nobody routes).
pub(crate) const KERNEL: ([u8; 4], u16) = ([198, 18, 0, 1], 4001);
pub(crate) const PEER: ([u8; 4], u16) = ([198, 18, 0, 2], 4002);

/// See the file's header.
pub(crate) struct Device {
    tun: SyncDevice,
    identification: Cell<u16>,
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Device")
    }
}

impl Device {
    pub(crate) fn open(segment_bytes: u32) -> Result<Self, String> {
        let mtu = u16::try_from(segment_bytes + ip::HEADER_BYTES + tcp::HEADER_BYTES).unwrap_or(1500);
        let device = DeviceBuilder::new()
            .name("talk0")
            .mtu(mtu)
            .ipv4(Ipv4Addr::from(KERNEL.0), 24, None)
            .enable(true)
            .build_sync();
        let tun = device.and_then(|tun| tun.set_nonblocking(true).map(|()| tun));
        let tun = tun.map_err(|error| format!("no TUN device: {error}"))?;
        Ok(Self { tun, identification: Cell::new(0) })
    }

    /// The next segment that the kernel sent, if there is one.
    pub(crate) fn read(&self) -> Option<Segment> {
        let mut bytes = vec![0; 65_536];
        loop {
            let length = self.tun.recv(&mut bytes).ok()?;
            // Whatever else a new device sends is none of ours.
            if let Ok((header, payload)) = ip::Header::parse(&bytes[..length])
                && header.protocol == protocol::TCP
                && let Ok((segment, _)) = Segment::parse(header.source, header.destination, payload)
            {
                return Some(Segment { ecn: header.ecn, ..segment });
            }
        }
    }

    /// Gives the kernel a segment of the peer's, to and from the right ports. Data that are only a number are zeros.
    pub(crate) fn write(&self, segment: &Segment, data: &[u8]) {
        let segment = Segment { source_port: PEER.1, destination_port: KERNEL.1, ..*segment };
        if segment.options.bytes() > 40 {
            return; // no header holds them
        }
        let (source, destination) = (address(PEER.0), address(KERNEL.0));
        let payload_bytes = u16::try_from(segment.bytes()).unwrap_or(0);
        let identification = self.identification.replace(self.identification.get().wrapping_add(1));
        let header = ip::Header {
            source,
            destination,
            protocol: protocol::TCP,
            ecn: segment.ecn,
            ttl: 64,
            identification,
            payload_bytes,
        };
        let mut bytes = Vec::new();
        header.emit(&mut bytes);
        segment.emit(source, destination, [data, &[]], &mut bytes);
        let _ = self.tun.send(&bytes); // what it does not take is lost, and the script will miss it
    }

    /// Waits for the kernel to send, but not longer than this.
    pub(crate) fn wait(&self, time: Duration) {
        let nanos = i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
        let limit = Timespec { tv_sec: nanos / 1_000_000_000, tv_nsec: nanos % 1_000_000_000 };
        let _ = poll(&mut [PollFd::from_borrowed_fd(self.tun.as_fd(), PollFlags::IN)], Some(&limit));
    }
}

const fn address(bytes: [u8; 4]) -> Address {
    Address(u32::from_be_bytes(bytes))
}
