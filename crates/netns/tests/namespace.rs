//! Namespaces of this machine's kernel. Needs root, or to be in a user namespace with a readable /dev/net/tun; without,
//! it says so.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::process::Command;
use std::thread;
use std::time::Duration;

use hopwright_netns::{Device, Error, HEADER_BYTES, Layer, Namespace, Route, Spec};
use nix::sched::{CloneFlags, setns};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

const A: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
const B: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);

/// A namespace; none, and a word of it where it is seen, where something is lacking.
fn made(spec: &Spec) -> Option<Namespace> {
    match Namespace::make(spec) {
        Ok(namespace) => Some(namespace),
        Err(Error::Lacking(text)) => {
            // Not through the test harness, which hides what passing tests print.
            std::io::stderr().write_all(format!("SKIPPED: {text}\n").as_bytes()).unwrap();
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn spec(address: Ipv4Addr) -> Spec {
    Spec::new("hw0", address, 24)
}

/// Does something in a namespace, in a thread of its own.
fn within<T: Send>(namespace: &Namespace, work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let there = scope.spawn(|| {
            setns(namespace.descriptor(), CloneFlags::CLONE_NEWNET).unwrap();
            work()
        });
        there.join().unwrap()
    })
}

/// What `ip` says in a namespace; `None` without `ip`.
fn ip(namespace: &Namespace, words: &[&str]) -> Option<String> {
    let output = within(namespace, || Command::new("ip").args(words).output()).ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

/// The next packet; `None` if there is none for long.
fn next(device: &Device, buffer: &mut [u8]) -> Option<usize> {
    let patience = Timespec { tv_sec: 5, tv_nsec: 0 };
    poll(&mut [PollFd::new(device, PollFlags::IN)], Some(&patience)).unwrap();
    device.read(buffer).unwrap()
}

#[test]
fn it_has_what_was_asked_for_and_nothing_else() {
    let mut spec = spec(A);
    spec.device.mtu = 1280;
    spec.device.queue_packets = 77;
    let via = Route { network: Ipv4Addr::new(192, 0, 2, 0), prefix_length: 24, gateway: Some(B) };
    spec.routes = vec![Route::DEFAULT, Route::MULTICAST, via];
    let Some(namespace) = made(&spec) else { return };
    let Some(links) = ip(&namespace, &["-o", "link", "show", "up"]) else { return };
    assert_eq!(links.lines().count(), 2, "{links}");
    assert!(links.contains("lo: <LOOPBACK,UP"), "{links}");
    assert!(links.contains("hw0: <POINTOPOINT,MULTICAST,NOARP,UP") && links.contains("mtu 1280"), "{links}");
    assert!(links.contains("qlen 77"), "{links}");
    let addresses = ip(&namespace, &["-o", "addr", "show", "dev", "hw0"]).unwrap();
    assert_eq!(addresses.lines().count(), 1, "{addresses}");
    assert!(addresses.contains("inet 10.0.0.1/24"), "{addresses}");
    let routes = ip(&namespace, &["route"]).unwrap();
    let wanted = ["default dev hw0", "10.0.0.0/24 dev hw0", "192.0.2.0/24 via 10.0.0.2 dev hw0", "224.0.0.0/4 dev hw0"];
    let lines: Vec<_> = routes.lines().collect();
    assert_eq!(lines.len(), wanted.len(), "{routes}");
    assert!(lines.iter().zip(wanted).all(|(line, wanted)| line.starts_with(wanted)), "{routes}");
}

#[test]
fn an_ethernet_device_has_the_address_it_was_given() {
    let mut spec = spec(A);
    spec.device.layer = Layer::Ethernet { mac: [2, 0, 0, 0, 0, 7] };
    let Some(namespace) = made(&spec) else { return };
    let socket = within(&namespace, || UdpSocket::bind((A, 0)).unwrap());
    socket.send_to(b"whoever", (B, 9)).unwrap();
    let mut buffer = [0; 2000];
    // Others may come first; who asks for B's address comes within a second.
    let asks = (0..20).find_map(|_| {
        let length = next(namespace.device(), &mut buffer)?;
        (buffer[12..14] == [8, 6]).then(|| buffer[..length].to_vec())
    });
    let asks = asks.expect("no ARP request");
    assert_eq!(asks[..12], [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 7]);
    assert_eq!(asks[38..42], B.octets());
}

#[test]
fn the_thread_that_asked_stays_outside() {
    let before = fs::metadata("/proc/thread-self/ns/net").unwrap().ino();
    let Some(namespace) = made(&spec(A)) else { return };
    assert_eq!(fs::metadata("/proc/thread-self/ns/net").unwrap().ino(), before);
    let inside = rustix::fs::fstat(namespace.descriptor()).unwrap().st_ino;
    assert_ne!(inside, before);
    let keeper = format!("/proc/{}/ns/net", namespace.thread_id());
    assert_eq!(fs::metadata(&keeper).unwrap().ino(), inside);
}

/// Carries packets from device to device until told to stop.
fn carry(from: &Device, to: &Device, is_over: &dyn Fn() -> bool) {
    let mut buffer = vec![0; HEADER_BYTES + 65_536];
    let patience = Timespec { tv_sec: 0, tv_nsec: 10_000_000 };
    while !is_over() {
        poll(&mut [PollFd::new(from, PollFlags::IN)], Some(&patience)).unwrap();
        while let Some(length) = from.read(&mut buffer).unwrap() {
            to.write(&buffer[..length]).unwrap();
        }
    }
}

/// Two with devices of one name, side by side.
#[test]
fn two_of_one_process_reach_each_other_through_it() {
    for offload in [false, true] {
        let with = |address| {
            let mut spec = spec(address);
            spec.device.offload = offload;
            made(&spec)
        };
        let (Some(near), Some(far)) = (with(A), with(B)) else { return };
        assert_eq!(near.device().offloads(), offload);
        let listener = within(&far, || TcpListener::bind((B, 9000)).unwrap());
        let sent: Vec<u8> = (0..1_000_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let is_over = std::sync::atomic::AtomicBool::new(false);
        let over = || is_over.load(std::sync::atomic::Ordering::Relaxed);
        thread::scope(|scope| {
            scope.spawn(|| carry(near.device(), far.device(), &over));
            scope.spawn(|| carry(far.device(), near.device(), &over));
            let sender = scope.spawn(|| within(&near, || TcpStream::connect((B, 9000)).unwrap().write_all(&sent)));
            let mut got = Vec::new();
            listener.accept().unwrap().0.read_to_end(&mut got).unwrap();
            sender.join().unwrap().unwrap();
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);
            assert!(got == sent, "{} bytes", got.len());
        });
    }
}

#[test]
fn what_is_wrong_is_said_before_anything_is_made() {
    let refusal = |spec: &Spec| Namespace::make(spec).map(|_| ()).unwrap_err();
    let Error::Input(text) = refusal(&Spec::new("a long name of a device", A, 24)) else { panic!() };
    assert!(text.starts_with("device 'a long name of a device': a name of 1 to 15 bytes"), "{text}");
    let mut unreachable = spec(A);
    let gateway = Some(Ipv4Addr::new(192, 0, 2, 1));
    unreachable.routes = vec![Route { gateway, ..Route::DEFAULT }];
    if made(&spec(A)).is_some() {
        let said = Error::Failed("cannot add a route to 0.0.0.0/0: Network is unreachable".to_owned());
        assert_eq!(refusal(&unreachable), said);
    }
}

#[test]
fn what_is_dropped_is_gone() {
    let Some(namespace) = made(&spec(A)) else { return };
    let inode = rustix::fs::fstat(namespace.descriptor().as_fd()).unwrap().st_ino;
    drop(namespace);
    let is_there = || {
        fs::read_dir("/proc/self/task").unwrap().any(|task| {
            let path = task.unwrap().path().join("ns/net");
            fs::metadata(path).is_ok_and(|there| there.ino() == inode)
        })
    };
    // A joined thread may be in /proc for a moment more.
    assert!((0..100).any(|_| !is_there() || {
        thread::sleep(Duration::from_millis(10));
        false
    }));
}
