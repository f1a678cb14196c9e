//! Serves a file to one client, or writes what one client sends to a file, with smoltcp behind a TUN device.
//!
//!     smoltcp-host DEVICE ADDRESS/BITS PORT (send | receive) FILE
//!
//! The device must exist and be up. Prints the bytes moved when the connection is over.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;

use smoltcp::iface::{Config, Interface, SocketSet};
use smoltcp::phy::{Medium, TunTapInterface, wait};
use smoltcp::socket::tcp;
use smoltcp::time::Instant;
use smoltcp::wire::{HardwareAddress, IpCidr};

const BUFFER_BYTES: usize = 1 << 20;

const USAGE: &str = "smoltcp-host DEVICE ADDRESS/BITS PORT (send | receive) FILE";

enum Job {
    Send(File),
    Receive(File),
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [device, address, port, job, file] = words[..] else { panic!("{USAGE}") };
    let job = match job {
        "send" => Job::Send(File::open(file).expect("the file")),
        "receive" => Job::Receive(File::create(file).expect("the file")),
        _ => panic!("{USAGE}"),
    };
    println!("{}", run(device, address.parse().expect("an address"), port.parse().expect("a port"), job));
}

fn run(name: &str, address: IpCidr, port: u16, mut job: Job) -> usize {
    let mut device = TunTapInterface::new(name, Medium::Ip).expect("the device");
    let descriptor = device.as_raw_fd();
    let mut interface = Interface::new(Config::new(HardwareAddress::Ip), &mut device, Instant::now());
    interface.update_ip_addrs(|addresses| addresses.push(address).expect("room for one address"));

    let buffer = || tcp::SocketBuffer::new(vec![0; BUFFER_BYTES]);
    let mut socket = tcp::Socket::new(buffer(), buffer());
    socket.set_congestion_control(tcp::CongestionControl::Reno);
    socket.set_nagle_enabled(true);
    socket.listen(port).expect("the port");
    let mut sockets = SocketSet::new(vec![]);
    let handle = sockets.add(socket);

    let mut moved = 0;
    let mut was_active = false;
    loop {
        let now = Instant::now();
        interface.poll(now, &mut device, &mut sockets);
        let socket = sockets.get_mut::<tcp::Socket<'_>>(handle);
        was_active |= socket.is_active();
        match &mut job {
            Job::Send(file) => {
                while socket.can_send() {
                    let read = |buffer: &mut [u8]| {
                        let n = file.read(buffer).expect("the file");
                        (n, n)
                    };
                    let n = socket.send(read).expect("an open socket");
                    moved += n;
                    if n == 0 {
                        socket.close();
                    }
                }
            }
            Job::Receive(file) => {
                let mut write = |bytes: &mut [u8]| {
                    file.write_all(bytes).expect("the file");
                    (bytes.len(), bytes.len())
                };
                while socket.can_recv() {
                    moved += socket.recv(&mut write).expect("an open socket");
                }
                if was_active && !socket.may_recv() {
                    socket.close();
                }
            }
        }
        let is_over = matches!(socket.state(), tcp::State::Closed | tcp::State::TimeWait | tcp::State::LastAck);
        if was_active && is_over && socket.send_queue() == 0 {
            interface.poll(Instant::now(), &mut device, &mut sockets); // the last acknowledgement
            return moved;
        }
        let delay = interface.poll_delay(Instant::now(), &sockets);
        if delay.is_none_or(|delay| delay.total_micros() > 0) {
            wait(descriptor, delay).expect("poll");
        }
    }
}
