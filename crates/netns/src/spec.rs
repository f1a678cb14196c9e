//! What a namespace is to have.

use std::net::Ipv4Addr;
use std::path::PathBuf;

use crate::error::Error;

/// What a namespace is to have: a device, and ways to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec {
    /// Its device.
    pub device: DeviceSpec,
    /// Routes over the device, beside that to its subnet.
    pub routes: Vec<Route>,
    /// Where processes are told of, as whoever is to enter the namespace sees them: `/proc`. Another one where this
    /// process is in a namespace of processes and others are not: [`Namespace::thread_id`](crate::Namespace::thread_id)
    /// is then as they see it.
    pub proc: PathBuf,
}

/// A TUN or TAP device and its address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceSpec {
    /// Its name, of at most 15 bytes. In a namespace of its own, any name is free.
    pub name: String,
    /// IP packets or frames.
    pub layer: Layer,
    /// The longest packet.
    pub mtu: u16,
    /// The kernel's address on it.
    pub address: Ipv4Addr,
    /// Length of the subnet's prefix.
    pub prefix_length: u8,
    /// Whether the kernel may hand over packets that are too long for the wire, and without checksums: each is then
    /// preceded by a header of [`HEADER_BYTES`](crate::HEADER_BYTES), in both directions.
    pub offload: bool,
    /// Packets that the kernel keeps for us to read. What comes when it is full is lost.
    pub queue_packets: u32,
}

/// What passes through a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layer {
    /// IP packets: a TUN device.
    Ip,
    /// Ethernet frames: a TAP device with this address.
    Ethernet {
        /// The device's own address.
        mac: [u8; 6],
    },
}

/// A route over the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Route {
    /// Where to; 0.0.0.0/0 is the default route, 224.0.0.0/4 all multicast.
    pub network: Ipv4Addr,
    /// Length of the network's prefix.
    pub prefix_length: u8,
    /// The neighbour that forwards; none: they are reached directly.
    pub gateway: Option<Ipv4Addr>,
}

impl Route {
    /// Everything leaves over the device.
    pub const DEFAULT: Self = Self { network: Ipv4Addr::UNSPECIFIED, prefix_length: 0, gateway: None };
    /// So do packets to groups, which a default route covers too, but not for a program that looks for one.
    pub const MULTICAST: Self = Self { network: Ipv4Addr::new(224, 0, 0, 0), prefix_length: 4, gateway: None };
    /// So do packets to everyone, of a program that names no device.
    pub const BROADCAST: Self = Self { network: Ipv4Addr::BROADCAST, prefix_length: 32, gateway: None };
}

impl Spec {
    /// An ordinary device with this address, and no routes beyond its subnet.
    pub fn new(name: impl Into<String>, address: Ipv4Addr, prefix_length: u8) -> Self {
        Self { device: DeviceSpec::new(name, address, prefix_length), routes: Vec::new(), proc: "/proc".into() }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        self.device.check()?;
        self.routes.iter().try_for_each(Route::check)
    }
}

impl DeviceSpec {
    /// A TUN device as most have it.
    pub fn new(name: impl Into<String>, address: Ipv4Addr, prefix_length: u8) -> Self {
        Self {
            name: name.into(),
            layer: Layer::Ip,
            mtu: 1500,
            address,
            prefix_length,
            offload: false,
            queue_packets: 1000,
        }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let name = &self.name;
        // dev_valid_name() of Linux; a '%' would make the kernel choose a number.
        let is_odd = |c: char| c == '/' || c == ':' || c == '%' || c.is_whitespace() || c.is_control();
        if name.is_empty() || name.len() > 15 || name == "." || name == ".." || name.contains(is_odd) {
            let rule = "a name of 1 to 15 bytes, without blanks, '/', ':' and '%'";
            return Err(Error::Input(format!("device '{name}': {rule}")));
        }
        if self.prefix_length > 32 {
            return Err(Error::Input(format!("{}/{}: a prefix of 0 to 32 bits", self.address, self.prefix_length)));
        }
        if self.mtu < 68 {
            return Err(Error::Input(format!("MTU {}: IPv4 needs 68 (RFC 791 §3.2)", self.mtu)));
        }
        if let Layer::Ethernet { mac } = self.layer
            && (mac[0] & 1 != 0 || mac == [0; 6])
        {
            let text = mac.map(|byte| format!("{byte:02x}")).join(":");
            return Err(Error::Input(format!("MAC address {text}: not one of a single station")));
        }
        Ok(())
    }
}

impl Route {
    fn check(&self) -> Result<(), Error> {
        let beyond = u32::MAX.checked_shr(self.prefix_length.into()).unwrap_or(0);
        if self.prefix_length > 32 || u32::from(self.network) & beyond != 0 {
            let rule = "a prefix of 0 to 32 bits, and zeros behind it";
            return Err(Error::Input(format!("route to {}/{}: {rule}", self.network, self.prefix_length)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl FnOnce(&mut Spec)) -> String {
        let mut spec = Spec::new("hw0", Ipv4Addr::new(10, 0, 0, 1), 24);
        assert_eq!(spec.check(), Ok(()));
        change(&mut spec);
        spec.check().unwrap_err().to_string()
    }

    #[test]
    fn what_no_kernel_takes_is_refused() {
        for name in ["", "a-name-of-16-byt", "a b", "a/b", "hw%d", ".."] {
            assert!(refused(|spec| spec.device.name = name.into()).starts_with("device '"), "{name}");
        }
        assert!(refused(|spec| spec.device.prefix_length = 33).starts_with("10.0.0.1/33"));
        assert!(refused(|spec| spec.device.mtu = 67).starts_with("MTU 67"));
        let group = Layer::Ethernet { mac: [1, 0, 0x5e, 0, 0, 1] };
        assert!(refused(|spec| spec.device.layer = group).starts_with("MAC address 01:00:5e:00:00:01"));
        let route = Route { network: Ipv4Addr::new(10, 0, 0, 1), prefix_length: 24, gateway: None };
        assert!(refused(|spec| spec.routes.push(route)).starts_with("route to 10.0.0.1/24"));
    }

    #[test]
    fn widest_and_narrowest_routes_are_taken() {
        let one = Route { network: Ipv4Addr::new(10, 0, 0, 1), prefix_length: 32, gateway: None };
        for route in [Route::DEFAULT, Route::MULTICAST, Route::BROADCAST, one] {
            assert_eq!(route.check(), Ok(()));
        }
    }
}
