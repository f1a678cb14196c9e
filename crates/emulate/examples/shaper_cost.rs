//! What a shaped link costs beside a loop that only carries packets between both devices, in one process, in turn. A link
//! with a delay also stands beside a loop that keeps each packet for this time, and does nothing else: then the kernel
//! wakes threads more often, and bursts are shorter.
//!
//!     cargo build --release -p hopwright-emulate --example shaper_cost
//!     unshare -Urn target/release/examples/shaper_cost
//!
//! UDP of 1400 bytes without offloads, and TCP with them, from the near namespace to the far one. What is compared is the
//! time of the processor that the loop's thread takes for a packet, or a megabyte.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

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
    for (offload, delay_ms, loss) in [false, true]
        .into_iter()
        .flat_map(|offload| [(offload, 0, 0.0), (offload, 0, 0.001), (offload, 1, 0.0), (offload, 1, 0.001)])
    {
        let text = format!("delay_ms = {delay_ms}\nloss_percent = {}", loss * 100.0);
        let link = parse_link("link", &text, "".as_ref()).expect("a link");
        let (mut bare, mut late, mut shaped) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            bare.push(cost(offload, carry));
            if delay_ms > 0 {
                late.push(cost(offload, |near, far, stop| keep(near, far, stop, Duration::from_millis(delay_ms))));
            }
            shaped.push(cost(offload, |near, far, stop| {
                let summary = shape([near, far], link.clone(), 1, stop, false).expect("it runs");
                summary.cpu_s
            }));
        }
        let median = |of: &mut Vec<f64>| {
            of.sort_by(f64::total_cmp);
            of[of.len() / 2]
        };
        let beside = if delay_ms > 0 {
            let late = median(&mut late);
            format!(", kept {late:.3}, ratio {:.2}", median(&mut shaped) / late)
        } else {
            String::new()
        };
        let (bare, shaped) = (median(&mut bare), median(&mut shaped));
        let what = if offload { "us a megabyte of TCP, offloads" } else { "us a datagram, no offloads" };
        println!(
            "{what}, {delay_ms} ms, {} % lost: bare {bare:.3}, shaped {shaped:.3}, ratio {:.2}{beside}",
            loss * 100.0,
            shaped / bare
        );
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

/// The loop that keeps packets for a time.
#[expect(clippy::disallowed_methods, reason = "it stands beside the driver, whose clock this is")]
fn keep(near: &Device, far: &Device, stop: &Watch<ShaperStatus>, time: Duration) -> f64 {
    let begin = cpu_s();
    let mut kept = [VecDeque::<(Instant, Vec<u8>, usize)>::new(), VecDeque::new()];
    let mut free = Vec::new();
    loop {
        let mut has_read = false;
        for (from, kept) in [near, far].into_iter().zip(&mut kept) {
            for _ in 0..64 {
                let mut buffer = free.pop().unwrap_or_else(|| vec![0; 70_000]);
                let Some(length) = from.read(&mut buffer).expect("a device") else {
                    free.push(buffer);
                    break;
                };
                kept.push_back((Instant::now() + time, buffer, length));
                has_read = true;
            }
        }
        for (to, kept) in [far, near].into_iter().zip(&mut kept) {
            while let Some((_, buffer, length)) = kept.pop_front_if(|packet| packet.0 <= Instant::now()) {
                to.write(&buffer[..length]).expect("a device");
                free.push(buffer);
            }
        }
        if !has_read {
            let due = kept.iter().filter_map(|kept| Some(kept.front()?.0)).min();
            let left = due.map_or(Duration::from_secs(1), |due| due.saturating_duration_since(Instant::now()));
            let mut wakers =
                [near.as_fd(), far.as_fd(), stop.as_fd()].map(|of| PollFd::from_borrowed_fd(of, PollFlags::IN));
            let left = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
            let _ = poll(&mut wakers, Some(&left));
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
