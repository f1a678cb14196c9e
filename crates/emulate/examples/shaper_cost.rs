//! What a shaped link costs beside a loop that only carries packets between both devices, in one process, in turn.
//!
//!     cargo build --release -p hopwright-emulate --example shaper_cost
//!     unshare -Urn target/release/examples/shaper_cost
//!
//! UDP of 1400 bytes without offloads, and TCP with them, from the near namespace to the far one. What is compared is the
//! time of the processor that the loop's thread takes for a packet, or a megabyte.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use hopwright_emulate::{ShaperStatus, Watch, shape};
use hopwright_netns::{Device, Namespace, Spec};
use hopwright_scenario::parse_link;
use nix::sched::{CloneFlags, setns};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::time::{ClockId, clock_gettime};

const ROUNDS: usize = 7;
const DATAGRAMS: usize = 100_000;
const STREAM_BYTES: usize = 200_000_000;

fn main() {
    let link = |text| parse_link("link", text, "".as_ref()).expect("a link");
    let (clean, lossy) = (link("delay_ms = 1"), link("delay_ms = 1\nloss_percent = 0.1"));
    for (offload, link, which) in
        [(false, &lossy, "0.1 % lost"), (true, &clean, "no loss"), (true, &lossy, "0.1 % lost")]
    {
        let (mut bare, mut shaped) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            bare.push(cost(offload, carry));
            shaped.push(cost(offload, |near, far, stop| {
                let summary = shape([near, far], link.clone(), 1, stop, false).expect("it runs");
                summary.cpu_s
            }));
        }
        let median = |of: &mut Vec<f64>| {
            of.sort_by(f64::total_cmp);
            of[of.len() / 2]
        };
        let (bare, shaped) = (median(&mut bare), median(&mut shaped));
        let what = if offload { "us a megabyte of TCP, offloads" } else { "us a datagram, no offloads" };
        println!("{what}, 1 ms, {which}: bare {bare:.3}, shaped {shaped:.3}, ratio {:.2}", shaped / bare);
    }
}

/// Microseconds of the loop for a datagram, or for a megabyte.
fn cost(offload: bool, run: impl FnOnce(&Device, &Device, &Watch<ShaperStatus>) -> f64 + Send) -> f64 {
    let side = |last| {
        let mut spec = Spec::new("link0", [10, 0, 0, last].into(), 24);
        spec.device.offload = offload;
        Namespace::make(&spec).expect("unshare -Urn, and /dev/net/tun")
    };
    let (near, far) = (side(1), side(2));
    let stop = Watch::new().expect("a descriptor");
    thread::scope(|scope| {
        let looping = scope.spawn(|| run(near.device(), far.device(), &stop));
        let done = if offload { stream(&near, &far) } else { datagrams(&near, &far) };
        stop.stop();
        looping.join().expect("it runs") * 1e6 / done
    })
}

fn within<R: Send>(namespace: &Namespace, act: impl FnOnce() -> R + Send) -> R {
    thread::scope(|scope| {
        let inside = scope.spawn(|| {
            setns(namespace.descriptor(), CloneFlags::CLONE_NEWNET).expect("our own namespace");
            act()
        });
        inside.join().expect("it runs")
    })
}

/// Sends datagrams, not faster than the loop takes them; how many came.
fn datagrams(near: &Namespace, far: &Namespace) -> f64 {
    let receiver = within(far, || UdpSocket::bind("10.0.0.2:9").expect("a port"));
    receiver.set_read_timeout(Some(Duration::from_millis(300))).expect("a socket");
    let counted = AtomicBool::new(false);
    thread::scope(|scope| {
        let count = scope.spawn(|| {
            let (mut buffer, mut came) = ([0; 1500], 0_u32);
            while receiver.recv(&mut buffer).is_ok() || !counted.load(Ordering::SeqCst) {
                came += 1;
            }
            f64::from(came)
        });
        within(near, || {
            let sender = UdpSocket::bind("10.0.0.1:8").expect("a port");
            for n in 0..DATAGRAMS {
                let _ = sender.send_to(&[0; 1400], "10.0.0.2:9");
                if n % 50 == 49 {
                    thread::sleep(Duration::from_micros(500));
                }
            }
        });
        counted.store(true, Ordering::SeqCst);
        count.join().expect("it counts")
    })
}

/// Sends a stream; how many megabytes came.
fn stream(near: &Namespace, far: &Namespace) -> f64 {
    let listener = within(far, || TcpListener::bind("10.0.0.2:9").expect("a port"));
    thread::scope(|scope| {
        let count = scope.spawn(|| {
            let (mut stream, mut buffer, mut came) = (listener.accept().expect("a peer").0, vec![0; 1 << 20], 0);
            while let Ok(read @ 1..) = stream.read(&mut buffer) {
                came += read;
            }
            came as f64 / 1e6
        });
        within(near, || {
            let mut stream = TcpStream::connect("10.0.0.2:9").expect("the far side");
            let data = vec![0; 1 << 20];
            for _ in 0..STREAM_BYTES / data.len() {
                stream.write_all(&data).expect("it is taken");
            }
        });
        count.join().expect("it counts")
    })
}

/// The loop without a link.
fn carry(near: &Device, far: &Device, stop: &Watch<ShaperStatus>) -> f64 {
    let begin = cpu_s();
    let mut buffer = vec![0; 70_000];
    loop {
        let mut has_read = false;
        for (from, to) in [(near, far), (far, near)] {
            for _ in 0..64 {
                let Some(length) = from.read(&mut buffer).expect("a device") else { break };
                to.write(&buffer[..length]).expect("a device");
                has_read = true;
            }
        }
        if !has_read {
            let mut wakers =
                [near.as_fd(), far.as_fd(), stop.as_fd()].map(|of| PollFd::from_borrowed_fd(of, PollFlags::IN));
            let _ = poll(&mut wakers, Some(&Timespec { tv_sec: 1, tv_nsec: 0 }));
            if !wakers[2].revents().is_empty() {
                return cpu_s() - begin;
            }
        }
    }
}

fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
