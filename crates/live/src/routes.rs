//! Where the kernel sends packets already: a subnet that another device has cannot be given to ours too.
//!
//! Spec      Linux's /proc/net/route: a line a route, addresses in hexadecimal as they lie in memory
//! Deviates  what cannot be read is taken for no route: the kernel will say what it does not like
//! Holds     wider routes are no obstacle (the narrower one wins), nor are those to single hosts beside ours

use std::fs;
use std::net::Ipv4Addr;

use crate::error::Error;
use crate::plan::Plan;

/// A route of the kernel's.
#[derive(Clone, Copy, Debug)]
struct Route<'a> {
    device: &'a str,
    network: u32,
    mask: u32,
}

/// Refuses a subnet or an address that packets to another device have.
pub(crate) fn check(plan: &Plan, device: &str) -> Result<(), Error> {
    let table = fs::read_to_string("/proc/net/route").unwrap_or_default();
    check_against(&table, plan, device)
}

fn check_against(table: &str, plan: &Plan, device: &str) -> Result<(), Error> {
    let mask = !(u32::MAX >> plan.prefix_length);
    let address = u32::from(plan.address);
    let is_in_the_way = |route: &Route<'_>| {
        let is_narrower = route.mask > mask && address & route.mask == route.network;
        route.device != device && (is_narrower || (route.mask == mask && address & mask == route.network))
    };
    match table.lines().skip(1).filter_map(parse).find(is_in_the_way) {
        None => Ok(()),
        Some(route) => {
            let (network, length) = (Ipv4Addr::from(route.network), route.mask.leading_ones());
            let text = format!("--address {}: {network}/{length} is in use on {}", plan.address, route.device);
            Err(Error::input(text))
        }
    }
}

fn parse(line: &str) -> Option<Route<'_>> {
    let mut fields = line.split_ascii_whitespace();
    let device = fields.next()?;
    let network = number(fields.next()?)?;
    let mask = number(fields.nth(5)?)?;
    Some(Route { device, network, mask })
}

/// An address as it lies in memory, in network byte order.
fn number(text: &str) -> Option<u32> {
    u32::from_str_radix(text, 16).ok().map(|n| u32::from_be_bytes(n.to_ne_bytes()))
}

#[cfg(test)]
#[cfg(target_endian = "little")]
mod tests {
    use super::*;
    use crate::settings::{Settings, Task};

    const TABLE: &str = "\
Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t0100000A\t0003\t0\t0\t0\t00000000\t0\t0\t0
eth0\t0000000A\t00000000\t0001\t0\t0\t0\t000000FF\t0\t0\t0
d0\t0005000A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
r0\t0107000A\t00000000\t0005\t0\t0\t0\tFFFFFFFF\t0\t0\t0
";

    fn answer(address: &str) -> Result<(), String> {
        let settings = Settings {
            tun: "hw0".into(),
            address: address.into(),
            kernel_address: None,
            mtu: 1500,
            offload: true,
            protocol: "newreno".into(),
            overrides: Vec::new(),
            triggers: None,
            limits: Vec::new(),
            user: None,
            compute: false,
            task: Task::Connect { to: "192.0.2.1:80".into(), send: None, receive: None },
        };
        check_against(TABLE, &Plan::of(&settings).unwrap(), "hw0").map_err(|error| error.to_string())
    }

    #[test]
    fn what_others_have_is_refused() {
        assert_eq!(answer("10.0.5.2/24"), Err("--address 10.0.5.2: 10.0.5.0/24 is in use on d0".into()));
        assert_eq!(answer("10.0.7.1/24"), Err("--address 10.0.7.1: 10.0.7.1/32 is in use on r0".into()));
        assert_eq!(answer("10.0.5.2/16"), Err("--address 10.0.5.2: 10.0.5.0/24 is in use on d0".into()));
        assert_eq!(answer("10.0.7.2/24"), Ok(())); // a route to one host of the subnet is another's affair
        assert_eq!(answer("10.9.0.2/24"), Ok(())); // inside 10.0.0.0/8, but narrower
        assert_eq!(answer("192.168.0.2/24"), Ok(()));
    }

    #[test]
    fn nonsense_is_no_route() {
        for line in ["", "eth0", "eth0 xyz", "eth0 0 0 0 0 0 0 zz"] {
            assert!(parse(line).is_none(), "{line}");
        }
    }
}
