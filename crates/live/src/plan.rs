//! What a user asked for, checked before anything is opened.
//!
//! Spec      RFC 1122 §3.2.1.3 (which addresses are hosts'), RFC 3021 (subnets of two addresses)
//! Deviates  nothing
//! Holds     whatever is wrong with the input is found here, and nothing was touched

use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs};

use hopwright_host::Endpoint;
use hopwright_machine::{Address, Duration};
use hopwright_transport::adaptation::{Source, TriggerError};
use hopwright_transport::{Params, Recipe};

use crate::defaults::{defaults, set_by_user};
use crate::error::Error;
use crate::limits::Limits;
use crate::privileges::User;
use crate::settings::{Settings, Task};

/// IP and TCP header of a segment without options.
const HEADERS: u16 = 40;

/// The least a link must carry (RFC 791 §3.2 says 68; TCP's options need room beside data).
const LEAST_MTU: u16 = 296;

/// The longest name of a network device.
const LONGEST_NAME: usize = 15;

/// See the file's header.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) address: Ipv4Addr,
    pub(crate) kernel: Ipv4Addr,
    pub(crate) prefix_length: u8,
    pub(crate) recipe: Recipe,
    pub(crate) params: Params,
    /// Whom to connect to.
    pub(crate) remote: Option<Endpoint>,
    pub(crate) limits: Limits,
    /// Whom the process becomes.
    pub(crate) user: Option<User>,
}

impl Plan {
    pub(crate) fn of(settings: &Settings) -> Result<Self, Error> {
        check_name(&settings.tun)?;
        if settings.mtu < LEAST_MTU {
            return Err(Error::input(format!("--mtu {}: at least {LEAST_MTU}", settings.mtu)));
        }
        let (address, prefix_length) = subnet(&settings.address)?;
        let kernel = match &settings.kernel_address {
            None => first_other(address, prefix_length),
            Some(text) => kernel_address(text, address, prefix_length)?,
        };
        let (recipe, params) = transport(settings)?;
        let remote = match &settings.task {
            Task::Serve { port: 0, .. } => return Err(Error::input("--port 0: between 1 and 65535")),
            Task::Serve { .. } => None,
            Task::Connect { to, .. } => Some(resolve(to, address, kernel)?),
        };
        let limits = Limits::of(&settings.limits)?;
        let user = settings.user.as_deref().map(User::of).transpose()?;
        Ok(Self { address, kernel, prefix_length, recipe, params, remote, limits, user })
    }
}

fn check_name(name: &str) -> Result<(), Error> {
    let is_good = !name.is_empty()
        && name.len() <= LONGEST_NAME
        && !matches!(name, "." | "..")
        && name.bytes().all(|b| b.is_ascii_graphic() && !matches!(b, b'/' | b':' | b'%'));
    if is_good {
        Ok(())
    } else {
        let text = format!("--tun {name}: a device's name has 1 to {LONGEST_NAME} letters and digits, such as hw0");
        Err(Error::input(text))
    }
}

/// `10.9.0.2/24`.
fn subnet(text: &str) -> Result<(Ipv4Addr, u8), Error> {
    let wrong = |what: String| Error::input(format!("--address {text}: {what}"));
    let (address, prefix) =
        text.split_once('/').ok_or_else(|| wrong("write it with the subnet, such as 10.9.0.2/24".into()))?;
    let address: Ipv4Addr = address.parse().map_err(|_| wrong(format!("'{address}' is no IPv4 address")))?;
    let prefix: u8 = prefix
        .parse()
        .ok()
        .filter(|p| (1..=31).contains(p))
        .ok_or_else(|| wrong(format!("'/{prefix}' leaves no subnet with two addresses; between /1 and /31")))?;
    check_host(address, address, prefix).map_err(wrong)?;
    Ok((address, prefix))
}

fn kernel_address(text: &str, ours: Ipv4Addr, prefix: u8) -> Result<Ipv4Addr, Error> {
    let wrong = |what: String| Error::input(format!("--kernel-address {text}: {what}"));
    let address: Ipv4Addr = text.parse().map_err(|_| wrong("is no IPv4 address".into()))?;
    if address == ours {
        return Err(wrong("is the address of our own TCP; the kernel needs another".into()));
    }
    check_host(address, ours, prefix).map_err(wrong)?;
    Ok(address)
}

/// Whether a host of the subnet of `ours` can have this address.
fn check_host(address: Ipv4Addr, ours: Ipv4Addr, prefix: u8) -> Result<(), String> {
    let hosts = u32::MAX >> prefix;
    let (bits, ours) = (u32::from(address), u32::from(ours));
    if address.is_loopback() || address.is_multicast() || address.octets()[0] == 0 || address.octets()[0] >= 240 {
        return Err("no host can have this address".into());
    }
    if (bits ^ ours) & !hosts != 0 {
        return Err(format!("is not in the subnet of {}/{prefix}", Ipv4Addr::from(ours)));
    }
    if prefix < 31 && bits & hosts == 0 {
        return Err("is the address of the subnet itself".into());
    }
    if prefix < 31 && bits & hosts == hosts {
        return Err("is the subnet's broadcast address".into());
    }
    Ok(())
}

/// The first address of the subnet that is not ours.
fn first_other(ours: Ipv4Addr, prefix: u8) -> Ipv4Addr {
    let subnet = u32::from(ours) & !(u32::MAX >> prefix);
    let first = subnet + u32::from(prefix < 31);
    Ipv4Addr::from(if first == u32::from(ours) { first + 1 } else { first })
}

fn transport(settings: &Settings) -> Result<(Recipe, Params), Error> {
    let mut both = defaults(&settings.protocol)?;
    let most = u32::from(settings.mtu - HEADERS);
    both.1.segment_bytes = most;
    if matches!(settings.task, Task::Connect { receive: Some(_), .. }) {
        both.1.fin_wait_2_timeout = Duration::ZERO; // we have closed our end, but wait for what the peer has to say
    }
    for (key, value) in &settings.overrides {
        set_by_user(&mut both, key, value)?;
    }
    if let Err(conflict) = both.0.check(&both.1) {
        return Err(Error::input(conflict.to_string()));
    }
    if let Some(triggers) = &settings.triggers {
        if triggers.settings.source == Source::Told {
            return Err(Error::input("monitor_source = told: nobody tells a host what its path is like".to_owned()));
        }
        let refused = |(n, error): (usize, TriggerError)| Error::input(format!("trigger {n}: {error}"));
        triggers.check(&both.0, &both.1).map_err(refused)?;
        both.1.triggers = Some(triggers.clone().into());
    }
    if both.1.segment_bytes > most {
        let text = format!("segment_bytes={}: at most {most} with --mtu {}", both.1.segment_bytes, settings.mtu);
        return Err(Error::input(text));
    }
    Ok(both)
}

fn resolve(to: &str, ours: Ipv4Addr, kernel: Ipv4Addr) -> Result<Endpoint, Error> {
    let wrong = |what: String| Error::input(format!("--connect {to}: {what}"));
    let (host, port) = to.rsplit_once(':').ok_or_else(|| wrong("write it as HOST:PORT".into()))?;
    let port: u16 = port
        .parse()
        .ok()
        .filter(|&port| port > 0)
        .ok_or_else(|| wrong(format!("'{port}' is no port between 1 and 65535")))?;
    let found = (host, port).to_socket_addrs().map_err(|error| wrong(format!("no such host: {error}")))?;
    let address = found
        .filter_map(|address| match address {
            SocketAddr::V4(v4) => Some(*v4.ip()),
            SocketAddr::V6(_) => None,
        })
        .next()
        .ok_or_else(|| wrong("has no IPv4 address".into()))?;
    if address == ours {
        return Err(wrong("is our own address".into()));
    }
    if address.is_loopback() {
        return Err(wrong(format!("does not lie behind the device; this machine does at {kernel}")));
    }
    Ok(Endpoint { address: Address::from(address), port })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings {
            tun: "hw0".into(),
            address: "10.9.0.2/24".into(),
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
        }
    }

    fn refused(change: impl FnOnce(&mut Settings)) -> String {
        let mut settings = settings();
        change(&mut settings);
        match Plan::of(&settings) {
            Err(Error::Input(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_kernel_gets_the_first_other_address() {
        let plan = Plan::of(&settings()).unwrap();
        assert_eq!((plan.kernel, plan.params.segment_bytes), (Ipv4Addr::new(10, 9, 0, 1), 1460));
        for (ours, kernel) in
            [("10.9.0.1/24", [10, 9, 0, 2]), ("10.9.0.6/30", [10, 9, 0, 5]), ("10.9.0.4/31", [10, 9, 0, 5])]
        {
            let plan = Plan::of(&Settings { address: ours.into(), ..settings() }).unwrap();
            assert_eq!(plan.kernel, Ipv4Addr::from(kernel), "{ours}");
        }
    }

    #[test]
    fn only_who_wants_nothing_more_gives_silent_peers_up() {
        let limit = |receive: Option<&str>| {
            let task = Task::Connect { to: "192.0.2.1:80".into(), send: None, receive: receive.map(Into::into) };
            Plan::of(&Settings { task, ..settings() }).unwrap().params.fin_wait_2_timeout
        };
        assert_eq!((limit(None), limit(Some("file"))), (Duration::from_secs(60), Duration::ZERO));
    }

    #[test]
    fn wrong_input_is_answered_with_the_reason() {
        let address = |text: &str| refused(|s| s.address = text.into());
        assert_eq!(address("10.9.0.2"), "--address 10.9.0.2: write it with the subnet, such as 10.9.0.2/24");
        assert_eq!(address("10.9.0/24"), "--address 10.9.0/24: '10.9.0' is no IPv4 address");
        assert!(address("10.9.0.2/32").contains("between /1 and /31"));
        assert!(address("10.9.0.255/24").ends_with("is the subnet's broadcast address"));
        assert!(address("127.0.0.2/24").ends_with("no host can have this address"));
        let kernel = |text: &str| refused(|s| s.kernel_address = Some(text.into()));
        assert!(kernel("10.9.0.2").contains("the kernel needs another"));
        assert!(kernel("10.8.0.1").ends_with("is not in the subnet of 10.9.0.2/24"));
        let connect = |text: &str| refused(|s| s.task = Task::Connect { to: text.into(), send: None, receive: None });
        assert_eq!(connect("10.9.0.1"), "--connect 10.9.0.1: write it as HOST:PORT");
        assert!(connect("10.9.0.1:70000").contains("between 1 and 65535"));
        assert!(connect("10.9.0.2:80").ends_with("is our own address"));
        assert!(connect("127.0.0.1:80").ends_with("this machine does at 10.9.0.1"));
        assert!(refused(|s| s.tun = "far-too-long-a-name".into()).contains("1 to 15 letters"));
        assert_eq!(refused(|s| s.mtu = 100), "--mtu 100: at least 296");
        let set = |key: &str, value: &str| refused(|s| s.overrides = vec![(key.into(), value.into())]);
        assert_eq!(set("segment_bytes", "1461"), "segment_bytes=1461: at most 1460 with --mtu 1500");
    }
}
