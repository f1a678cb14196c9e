//! A TUN or TAP device: packets as bytes.
//!
//! Spec      Linux Documentation/networking/tuntap.rst; struct virtio_net_hdr of linux/virtio_net.h
//! Deviates  nothing
//! Holds     the device goes when this is dropped, unless somebody made it persistent before

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::io::Errno;
use tun_rs::{DeviceBuilder, SyncDevice};

use crate::error::{Error, plain};
use crate::netlink::Netlink;
use crate::spec::{DeviceSpec, Layer};

/// Length of what stands before each packet if the device offloads: struct virtio_net_hdr.
pub const HEADER_BYTES: usize = tun_rs::VIRTIO_NET_HDR_LEN;

/// See the file's header. Reads and writes do not block: wait for its descriptor.
pub struct Device {
    tun: SyncDevice,
    offloads: bool,
}

impl Device {
    /// Makes the device in the network namespace of the calling thread, with its address, and brings it up.
    ///
    /// # Errors
    /// If the name or an address is none, if something is lacking, or if the kernel does not want to.
    pub fn open(spec: &DeviceSpec) -> Result<Self, Error> {
        spec.check()?;
        // tun-rs, called by root, would make a missing device node, which stays.
        if !Path::new("/dev/net/tun").exists() {
            return Err(Error::of_device(&spec.name, &Errno::NOENT.into()));
        }
        let tun = build(spec).map_err(|error| Error::of_device(&spec.name, &error))?;
        Ok(Self { tun, offloads: spec.offload })
    }

    /// The next packet, into `buffer`: its length, or none if there is no packet yet. A longer packet is cut.
    ///
    /// # Errors
    /// If the device is gone.
    pub fn read(&self, buffer: &mut [u8]) -> Result<Option<usize>, Error> {
        match rustix::io::read(&self.tun, buffer) {
            Ok(length) => Ok(Some(length)),
            Err(Errno::AGAIN | Errno::INTR) => Ok(None),
            Err(error) => Err(Error::Failed(format!("the device is gone: {}", plain(&error.into())))),
        }
    }

    /// Writes a packet; whether the kernel took it. Where it has no room, or the device is down for the moment, the
    /// packet is lost, as on any network.
    ///
    /// # Errors
    /// If the kernel does not take it for a packet, or the device is gone.
    pub fn write(&self, packet: &[u8]) -> Result<bool, Error> {
        match rustix::io::write(&self.tun, packet) {
            Ok(_) => Ok(true),
            Err(Errno::AGAIN | Errno::NOBUFS | Errno::NOMEM | Errno::INTR | Errno::IO) => Ok(false),
            Err(error) => Err(Error::Failed(format!("the device does not take packets: {}", plain(&error.into())))),
        }
    }

    /// Whether a header of [`HEADER_BYTES`] stands before each packet.
    pub fn offloads(&self) -> bool {
        self.offloads
    }

    /// The kernel's number of the device, in its namespace.
    pub(crate) fn index(&self) -> io::Result<u32> {
        self.tun.if_index()
    }
}

impl AsFd for Device {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.tun.as_fd()
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("offloads", &self.offloads).finish_non_exhaustive()
    }
}

fn build(spec: &DeviceSpec) -> io::Result<SyncDevice> {
    let mut builder = DeviceBuilder::new()
        .name(&spec.name)
        .mtu(spec.mtu)
        .ipv4(spec.address, spec.prefix_length, None)
        .offload(spec.offload)
        .enable(true);
    builder = match spec.layer {
        Layer::Ip => builder.layer(tun_rs::Layer::L3),
        Layer::Ethernet { mac } => builder.layer(tun_rs::Layer::L2).mac_addr(mac),
    };
    let tun = builder.build_sync()?;
    tun.set_nonblocking(true)?;
    Netlink::open()?.set_queue(tun.if_index()?, spec.queue_packets)?;
    Ok(tun)
}
