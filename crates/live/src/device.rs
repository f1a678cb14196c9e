//! A host's TUN device: what the kernel says about packets, and what it is told of them.
//!
//! Spec      Linux Documentation/networking/tuntap.rst; struct virtio_net_hdr of linux/virtio_net.h
//! Deviates  nothing
//! Holds     the device goes when this is dropped, unless somebody made it persistent before

use std::os::fd::{AsFd, BorrowedFd};

use hopwright_host::{Checksums, Host, Input, Outgoing};
use hopwright_netns::{Device as Tun, DeviceSpec, HEADER_BYTES};

use crate::error::Error;
use crate::plan::Plan;
use crate::routes;
use crate::settings::Settings;

/// Flags: the checksum is yet to be computed; it is known to be right.
const NEEDS_CHECKSUM: u8 = 1;
const DATA_VALID: u8 = 2;

/// Kinds: one segment; many; the bit that says that they speak ECN.
const GSO_NONE: u8 = 0;
const GSO_TCPV4: u8 = 1;
const GSO_ECN: u8 = 0x80;

const IP_HEADER: u16 = hopwright_wire::ip::HEADER_BYTES as u16;

/// Packets the kernel keeps for us to read: a window of short segments, without offload.
const QUEUE_PACKETS: u32 = 4096;

/// Payload of the longest packet that the kernel cuts: an IP packet, less the longest headers.
pub(crate) const LARGEST_BURST: u32 = 65_535 - 20 - 60;

/// See the file's header.
pub(crate) struct Device {
    tun: Tun,
    incoming: Vec<u8>,
    outgoing: Vec<u8>,
}

/// What became of an attempt to read.
pub(crate) enum Read<'a> {
    Packet(Input<'a>),
    /// Nothing for us.
    Useless,
    /// Nothing at all.
    Empty,
}

impl Device {
    pub(crate) fn open(settings: &Settings, plan: &Plan) -> Result<Self, Error> {
        routes::check(plan, &settings.tun)?;
        let mut spec = DeviceSpec::new(&settings.tun, plan.kernel, plan.prefix_length);
        spec.mtu = settings.mtu;
        spec.offload = settings.offload;
        spec.queue_packets = QUEUE_PACKETS;
        let tun = Tun::open(&spec).map_err(|error| Error::failed(error.to_string()))?;
        let incoming = vec![0; HEADER_BYTES + 65_536];
        Ok(Self { tun, incoming, outgoing: Vec::with_capacity(HEADER_BYTES + 65_536) })
    }

    /// The next packet, if there is one.
    pub(crate) fn read(&mut self) -> Result<Read<'_>, Error> {
        let length = self.tun.read(&mut self.incoming).map_err(|error| Error::failed(error.to_string()))?;
        let Some(length) = length else { return Ok(Read::Empty) };
        let packet = &self.incoming[..length];
        if !self.tun.offloads() {
            return Ok(Read::Packet(Input::packet(packet)));
        }
        let Some((header, bytes)) = packet.split_first_chunk::<HEADER_BYTES>() else { return Ok(Read::Useless) };
        let (flags, kind) = (header[0], header[1] & !GSO_ECN);
        let segment_bytes = match kind {
            GSO_NONE => 0,
            GSO_TCPV4 => u16::from_ne_bytes([header[4], header[5]]),
            _ => return Ok(Read::Useless),
        };
        // A sum left to be computed belongs to a packet that never was on a wire: the kernel made it, just now.
        let is_verified = flags & (NEEDS_CHECKSUM | DATA_VALID) != 0;
        Ok(Read::Packet(Input::Packet { bytes, is_verified, segment_bytes }))
    }

    /// Writes a packet. Where the kernel has no room for it, it is lost, as on any network.
    pub(crate) fn write(&mut self, host: &Host, packet: &Outgoing) -> Result<(), Error> {
        self.outgoing.clear();
        let checksums = if self.tun.offloads() {
            self.outgoing.extend_from_slice(&header_of(packet));
            Checksums::OfPseudoHeader
        } else {
            Checksums::Complete
        };
        host.emit(packet, checksums, &mut self.outgoing);
        self.tun.write(&self.outgoing).map(|_| ()).map_err(|error| Error::failed(error.to_string()))
    }
}

impl AsFd for Device {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.tun.as_fd()
    }
}

/// What the kernel needs to know to finish a packet.
fn header_of(packet: &Outgoing) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    if let Some(tcp) = packet.tcp_header_bytes() {
        header[0] = NEEDS_CHECKSUM;
        if let Some(segment_bytes) = packet.segment_bytes() {
            header[1] = GSO_TCPV4;
            header[4..6].copy_from_slice(&segment_bytes.to_ne_bytes());
        }
        header[2..4].copy_from_slice(&(IP_HEADER + tcp).to_ne_bytes());
        header[6..8].copy_from_slice(&IP_HEADER.to_ne_bytes());
        header[8..10].copy_from_slice(&(hopwright_wire::tcp::CHECKSUM_AT as u16).to_ne_bytes());
    }
    header
}
