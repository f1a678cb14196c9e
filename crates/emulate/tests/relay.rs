//! Datagrams over a relay on this machine: what they hold, their order, whose they are. Never how long they take.

use std::net::{SocketAddr, UdpSocket};
use std::thread;
use std::time::Duration as Span;

use hopwright_emulate::{Command, Order, Relay, RelaySummary, Remembers, Unusable, Watch};
use hopwright_machine::Duration;

/// Nothing that is waited for takes longer, however busy the machine is.
const PATIENCE: Span = Span::from_secs(20);

const ENOUGH: Remembers = Remembers { clients: 10, idle: Duration::from_secs(60) };

fn socket(at: &str) -> UdpSocket {
    let socket = UdpSocket::bind(at).expect("a port");
    socket.set_read_timeout(Some(PATIENCE)).expect("a socket");
    socket
}

fn received(socket: &UdpSocket) -> (Vec<u8>, SocketAddr) {
    let mut buffer = vec![0; 70_000];
    let (length, from) = socket.recv_from(&mut buffer).expect("it comes");
    buffer.truncate(length);
    (buffer, from)
}

/// Runs a relay to `to` over a link while `act` has its address, and a way to say things to it.
fn relayed(
    link: &str,
    to: SocketAddr,
    remembers: Remembers,
    act: impl FnOnce(SocketAddr, &dyn Fn(&str) -> Result<(), String>),
) -> RelaySummary {
    let link = hopwright_scenario::parse_link("link.toml", link, "".as_ref()).expect("a link");
    let any = if to.is_ipv4() { "127.0.0.1:0" } else { "[::1]:0" };
    let relay = Relay::new(any.parse().expect("an address"), to).expect("a relay");
    let (address, watch) = (relay.address().expect("a socket"), Watch::new().expect("a descriptor"));
    let say = |line: &str| match Order::parse(line) {
        Ok(Order::Do(command)) => told(&watch, command),
        other => panic!("{other:?}"),
    };
    thread::scope(|scope| {
        let running = scope.spawn(|| relay.run(link, 1, remembers, &watch, false));
        act(address, &say);
        watch.stop();
        running.join().expect("it runs").expect("sockets stay")
    })
}

fn told(watch: &Watch<hopwright_emulate::ShaperStatus>, command: Command) -> Result<(), String> {
    watch.say(command).recv_timeout(PATIENCE).expect("it answers").map(drop)
}

/// Of any length, none and the longest among them, over IPv4 and IPv6; answers come from the relay.
#[test]
fn datagrams_arrive_as_they_were_sent_and_answers_come_back() {
    for family in ["127.0.0.1:0", "[::1]:0"] {
        let server = socket(family);
        let to = server.local_addr().expect("a socket");
        let summary = relayed("delay_ms = 3\njitter_percent = 50\n", to, ENOUGH, |relay, _| {
            let client = socket(family);
            for length in [0, 1, 1400, 2048, 2049, 9000, 65_000] {
                let sent: Vec<u8> = (0..length).map(|n| (n % 251) as u8).collect();
                client.send_to(&sent, relay).expect("it leaves");
                let (bytes, from) = received(&server);
                assert_eq!(bytes, sent);
                server.send_to(&bytes[..length / 2], from).expect("it leaves");
                assert_eq!(received(&client), (sent[..length / 2].to_vec(), relay));
            }
        });
        let [there, back] = [summary.link.there, summary.link.back];
        assert_eq!((there.offered_packets, there.arrived_packets, back.arrived_packets), (7, 7, 7));
        let headers = if to.is_ipv4() { 28 } else { 48 };
        assert_eq!(there.offered_bytes, 1 + 1400 + 2048 + 2049 + 9000 + 65_000 + 7 * headers);
        assert_eq!((summary.clients, summary.forgotten_clients, summary.refused_packets), (1, 0, 0));
        assert_eq!(summary.link.lateness.packets, 14);
    }
}

#[test]
fn order_is_kept_and_what_is_lost_is_counted() {
    let server = socket("127.0.0.1:0");
    let to = server.local_addr().expect("a socket");
    let link = "delay_ms = 5\njitter_percent = 90\nloss_percent = 20\nduplicate_percent = 10\n";
    // Read as they come: the kernel keeps less than three hundred.
    let reading = thread::spawn(move || {
        let mut seen = Vec::new();
        loop {
            match <[u8; 4]>::try_from(received(&server).0).expect("four bytes") {
                last if last == *b"last" => return seen,
                number => seen.push(u32::from_be_bytes(number)),
            }
        }
    });
    let mut seen = Vec::new();
    let summary = relayed(link, to, ENOUGH, |relay, say| {
        let client = socket("127.0.0.1:0");
        for n in 0..400_u32 {
            client.send_to(&n.to_be_bytes(), relay).expect("it leaves");
            if n % 20 == 19 {
                thread::sleep(Span::from_millis(5));
            }
        }
        // What comes last is lost by nobody.
        say(r#"{"do": "reshape", "link": 0, "set": {"loss_percent": 0, "duplicate_percent": 0}}"#).expect("a link");
        client.send_to(b"last", relay).expect("it leaves");
        seen = reading.join().expect("it reads");
        let wrong = say(r#"{"do": "down", "node": 1}"#).unwrap_err();
        assert!(wrong.starts_with("here there is one link"), "{wrong}");
    });
    let there = summary.link.there;
    assert!(seen.is_sorted());
    assert_eq!(there.offered_packets, 401, "nothing is lost before the link");
    assert_eq!(there.arrived_packets, seen.len() as u64 + 1);
    assert_eq!(there.arrived_packets - there.copies + there.lost_packets, 401);
    assert!((50..110).contains(&there.lost_packets), "{there:?}"); // 80, and more than three standard deviations
    assert_eq!(summary.link.changes, 1);
}

#[test]
fn each_client_gets_his_own_answers_and_one_too_many_gets_none() {
    let server = socket("127.0.0.1:0");
    let to = server.local_addr().expect("a socket");
    let few = Remembers { clients: 3, ..ENOUGH };
    let summary = relayed("delay_ms = 1\n", to, few, |relay, _| {
        let clients = [(); 4].map(|()| socket("127.0.0.1:0"));
        let mut sources = Vec::new();
        for (n, client) in clients.iter().enumerate() {
            client.send_to(&[n as u8], relay).expect("it leaves");
            if n < 3 {
                let (bytes, from) = received(&server);
                assert_eq!(bytes, [n as u8]);
                sources.push(from);
            }
        }
        for (n, source) in sources.iter().enumerate().rev() {
            server.send_to(&[10 + n as u8], source).expect("it leaves");
        }
        // Who is not the server is not heard.
        socket("127.0.0.1:0").send_to(b"other", sources[0]).expect("it leaves");
        for (n, client) in clients[..3].iter().enumerate() {
            assert_eq!(received(client).0, [10 + n as u8]);
        }
        clients[0].send_to(b"again", relay).expect("it leaves");
        assert_eq!(received(&server), (b"again".to_vec(), sources[0]));
    });
    assert_eq!((summary.clients, summary.refused_packets), (3, 1));
    assert_eq!((summary.link.there.arrived_packets, summary.link.back.offered_packets), (4, 3));
}

#[test]
fn who_is_silent_is_forgotten_and_comes_again_as_another() {
    let server = socket("127.0.0.1:0");
    let to = server.local_addr().expect("a socket");
    let short = Remembers { clients: 1, idle: Duration::from_millis(200) };
    let summary = relayed("delay_ms = 1\n", to, short, |relay, _| {
        let (first, second) = (socket("127.0.0.1:0"), socket("127.0.0.1:0"));
        first.send_to(b"first", relay).expect("it leaves");
        let (_, before) = received(&server);
        // There is room for one: the second is heard when the first is forgotten.
        server.set_read_timeout(Some(Span::from_millis(300))).expect("a socket");
        let mut buffer = [0; 10];
        let came = (0..100).find_map(|_| {
            second.send_to(b"second", relay).expect("it leaves");
            server.recv_from(&mut buffer).ok()
        });
        assert_ne!(came.expect("in 30 s").1, before);
    });
    assert_eq!((summary.clients, summary.forgotten_clients), (2, 1));
    assert!(summary.refused_packets >= 1, "{summary:?}");
}

/// A server that is not there yet costs nothing but the datagrams to it.
#[test]
fn a_server_that_is_down_for_a_while_is_found_again() {
    let server = socket("127.0.0.1:0");
    let to = server.local_addr().expect("a socket");
    drop(server);
    relayed("delay_ms = 1\n", to, ENOUGH, |relay, _| {
        let client = socket("127.0.0.1:0");
        for _ in 0..5 {
            client.send_to(b"nobody", relay).expect("it leaves");
            thread::sleep(Span::from_millis(5));
        }
        let server = UdpSocket::bind(to).expect("the same port");
        server.set_read_timeout(Some(PATIENCE)).expect("a socket");
        client.send_to(b"here", relay).expect("it leaves");
        while received(&server).0 != b"here" {}
    });
}

#[test]
fn addresses_that_cannot_be_used_say_why() {
    let taken = socket("127.0.0.1:0");
    let [here, there] = [taken.local_addr().expect("a socket"), "127.0.0.1:9".parse().expect("an address")];
    let any: SocketAddr = "127.0.0.1:0".parse().expect("an address");
    assert!(matches!(Relay::new(here, there), Err(Unusable::Listen(_))));
    assert!(matches!(Relay::new("192.0.2.1:0".parse().expect("an address"), there), Err(Unusable::Listen(_))));
    for nobody in ["224.0.0.1:9", "0.0.0.0:9", "127.0.0.1:0", "255.255.255.255:9"] {
        assert!(matches!(Relay::new(any, nobody.parse().expect("an address")), Err(Unusable::To(_))), "{nobody}");
    }
    drop(taken);
    let round = Relay::new(here, here).unwrap_err().to_string();
    assert!(round.contains("is the address at which the relay itself listens"), "{round}");
}
