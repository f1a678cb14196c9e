//! Against the TCP of this machine's kernel, over a TUN device of our own. Needs root; without, it says so.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use hopwright_live::{Error, Settings, Summary, Task, Watch, run};

/// Whether a device can be made; if not, says so where it is seen. In a thread of its own, which loses its privileges.
fn can_run() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| thread::spawn(has_device).join().unwrap())
}

fn has_device() -> bool {
    let watch = Watch::new().unwrap();
    watch.stop();
    let task = Task::Connect { to: "198.18.231.1:1".into(), send: None, receive: None };
    match run(&settings(0, task), &watch) {
        Err(Error::Failed(text)) => {
            // Not through the test harness, which hides what passing tests print.
            std::io::stderr().write_all(format!("SKIPPED: {text}\n").as_bytes()).unwrap();
            false
        }
        _ => true,
    }
}

/// Each test has a device and a subnet of its own (of RFC 2544's, which nobody routes).
fn settings(test: u8, task: Task) -> Settings {
    Settings {
        tun: format!("hwt{test}-{}", std::process::id()),
        address: format!("198.18.{}.2/24", 231 + test),
        kernel_address: None,
        mtu: 1500,
        offload: true,
        protocol: "newreno".into(),
        overrides: Vec::new(),
        triggers: None,
        limits: Vec::new(),
        user: None,
        compute: false,
        task,
    }
}

fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 1u32;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    std::iter::repeat_with(next).take(bytes).collect()
}

struct Folder(PathBuf);

impl Folder {
    fn new(test: u8) -> Self {
        let path = std::env::temp_dir().join(format!("hopwright-kernel-{test}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn count(&self) -> usize {
        fs::read_dir(&self.0).unwrap().count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The next connection; fails if none comes, as when the host has failed.
fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    listener.set_nonblocking(true).unwrap();
    for _ in 0..1000 {
        if let Ok((stream, peer)) = listener.accept() {
            stream.set_nonblocking(false).unwrap();
            return (stream, peer);
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("nobody connected");
}

/// Runs `settings` while `client` does something, and then stops it if it has not ended by itself.
fn beside<T>(settings: &Settings, stop: bool, client: impl FnOnce() -> T) -> (Result<Summary, Error>, T) {
    let watch = Watch::new().unwrap();
    thread::scope(|scope| {
        let host = scope.spawn(|| run(settings, &watch));
        while !watch.is_ready() && !host.is_finished() {
            thread::sleep(Duration::from_millis(5));
        }
        let result = client();
        if stop {
            watch.stop();
        }
        (host.join().unwrap(), result)
    })
}

#[test]
fn a_file_is_served_to_several_at_once() {
    if !can_run() {
        return;
    }
    for offload in [true, false] {
        let test = 1 + u8::from(offload);
        let folder = Folder::new(test);
        let (file, content) = (folder.0.join("file"), noise(5_000_000));
        fs::write(&file, &content).unwrap();
        let task = Task::Serve { file, port: 9000, once: false };
        let settings = Settings { offload, ..settings(test, task) };
        let (end, _) = beside(&settings, true, || {
            thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| {
                        let mut stream = TcpStream::connect(format!("198.18.{}.2:9000", 231 + test)).unwrap();
                        stream.write_all(b"a request that nobody reads").unwrap();
                        let mut got = Vec::new();
                        stream.read_to_end(&mut got).unwrap();
                        assert!(got == content);
                    });
                }
            });
            thread::sleep(Duration::from_millis(100)); // their last segments may still be on their way
        });
        let Err(Error::Stopped(summary)) = end else { panic!("{end:?}") };
        assert_eq!((summary.connections, summary.failed_connections), (3, 0));
        assert_eq!(summary.sent_bytes, 15_000_000);
    }
}

#[test]
fn files_go_both_ways_on_one_connection() {
    if !can_run() {
        return;
    }
    let folder = Folder::new(3);
    let (send, receive) = (folder.0.join("send"), folder.0.join("receive"));
    let (ours, theirs) = (noise(3_000_000), noise(2_000_000));
    fs::write(&send, &ours).unwrap();
    let task = Task::Connect { to: "198.18.234.1:9000".into(), send: Some(send), receive: Some(receive.clone()) };
    // The kernel's address exists only once the device is up: listening everywhere does not mind.
    let listener = TcpListener::bind("0.0.0.0:9000").unwrap();
    let (end, got) = beside(&settings(3, task), false, || {
        let (mut stream, _) = accept(&listener);
        let mut got = Vec::new();
        thread::scope(|scope| {
            let mut writing = stream.try_clone().unwrap();
            let theirs = &theirs;
            scope.spawn(move || {
                writing.write_all(theirs).unwrap();
                writing.shutdown(Shutdown::Write).unwrap();
            });
            stream.read_to_end(&mut got).unwrap();
        });
        got
    });
    let summary = end.unwrap();
    assert!(got == ours && fs::read(receive).unwrap() == theirs);
    assert_eq!((summary.sent_bytes, summary.received_bytes), (3_000_000, 2_000_000));
}

#[test]
fn nobody_listening_is_a_clear_failure() {
    if !can_run() {
        return;
    }
    let folder = Folder::new(4);
    let receive = Some(folder.0.join("receive"));
    let task = Task::Connect { to: "198.18.235.1:9".into(), send: None, receive };
    let (end, ()) = beside(&settings(4, task), false, || ());
    assert_eq!(end.unwrap_err().to_string(), "198.18.235.1:9: connection refused");
    assert_eq!(folder.count(), 0);
}

#[test]
fn stopping_resets_the_peer_and_leaves_nothing_behind() {
    if !can_run() {
        return;
    }
    let folder = Folder::new(5);
    let receive = Some(folder.0.join("receive"));
    let task = Task::Connect { to: "198.18.236.1:9005".into(), send: None, receive };
    let listener = TcpListener::bind("0.0.0.0:9005").unwrap();
    let (end, mut stream) = beside(&settings(5, task), true, || {
        let (mut stream, _) = accept(&listener);
        stream.write_all(b"the beginning").unwrap();
        thread::sleep(Duration::from_millis(100));
        stream
    });
    assert!(matches!(end, Err(Error::Stopped(summary)) if summary.received_bytes == 13));
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    assert_eq!(stream.read(&mut [0]).unwrap_err().kind(), std::io::ErrorKind::ConnectionReset);
    assert_eq!(folder.count(), 0);
}

/// Everything that a stream gives, and how it ended.
fn read_all(mut stream: TcpStream) -> (Vec<u8>, std::io::Result<usize>) {
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut got = Vec::new();
    let end = stream.read_to_end(&mut got);
    (got, end)
}

fn is_reset<T>(end: &std::io::Result<T>) -> bool {
    matches!(end, Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset)
}

/// As many as would once have taken all memory.
#[test]
fn clients_that_do_not_read_keep_nobody_out_and_are_given_up() {
    if !can_run() {
        return;
    }
    let folder = Folder::new(6);
    let (file, content) = (folder.0.join("file"), noise(5_000_000));
    fs::write(&file, &content).unwrap();
    let task = Task::Serve { file, port: 9000, once: false };
    let limit = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let limits = vec![limit("buffered_bytes", "200000000"), limit("stall_timeout_s", "5")];
    let settings = Settings { limits, ..settings(6, task) };
    let (end, ends) = beside(&settings, true, || {
        let connect = || TcpStream::connect("198.18.237.2:9000").unwrap();
        let hogs: Vec<_> = (0..150).map(|_| connect()).collect();
        let (got, end) = read_all(connect());
        assert!(got == content && end.is_ok(), "{} bytes, {end:?}", got.len());
        thread::sleep(Duration::from_secs(7)); // read now, they would take something
        hogs.into_iter().map(|hog| read_all(hog).1).collect::<Vec<_>>()
    });
    assert!(ends.iter().all(is_reset), "{:?}", ends.iter().find(|end| !is_reset(end)));
    let Err(Error::Stopped(summary)) = end else { panic!("{end:?}") };
    assert_eq!((summary.connections, summary.failed_connections, summary.stalled_connections), (1, 150, 150));
}

/// The client must not believe that it has the file.
#[test]
fn a_file_that_changes_under_way_ends_with_a_reset() {
    if !can_run() {
        return;
    }
    for (again, once) in [true, false].into_iter().enumerate() {
        let test = 7 + again as u8;
        let folder = Folder::new(test);
        let (file, content) = (folder.0.join("file"), noise(30_000_000));
        fs::write(&file, &content).unwrap();
        let task = Task::Serve { file: file.clone(), port: 9000, once };
        let (end, (got, heard)) = beside(&settings(test, task), !once, || {
            let stream = TcpStream::connect(format!("198.18.{}.2:9000", 231 + test)).unwrap();
            stream.peek(&mut [0]).unwrap(); // it has begun; what the buffers hold is less than the file
            if once {
                fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(25_000_000).unwrap();
            } else {
                fs::write(&file, &content[1..]).unwrap(); // all of it written anew, nearly as long
            }
            read_all(stream)
        });
        assert!(is_reset(&heard) && got.len() < content.len(), "{heard:?}");
        let summary = match end {
            Ok(summary) => summary,
            Err(Error::Stopped(summary)) => *summary,
            Err(error) => panic!("{error}"),
        };
        assert_eq!((summary.connections, summary.failed_connections, summary.changed_connections), (0, 1, 1));
        assert!(summary.error.unwrap().ends_with("file: it changed while it was sent"));
    }
}

/// RFC 9293 §3.6.1: a client that has everything may talk for a while; then it is told that nobody hears it.
#[test]
fn who_goes_on_talking_is_reset_after_a_while_and_has_the_file() {
    if !can_run() {
        return;
    }
    let folder = Folder::new(9);
    let file = folder.0.join("file");
    fs::write(&file, "all of it").unwrap();
    let task = Task::Serve { file, port: 9000, once: true };
    let limits = vec![("linger_s".to_owned(), "0.2".to_owned())];
    let (end, is_broken) = beside(&Settings { limits, ..settings(9, task) }, false, || {
        let mut stream = TcpStream::connect("198.18.240.2:9000").unwrap();
        let mut got = Vec::new();
        stream.read_to_end(&mut got).unwrap();
        assert_eq!(got, b"all of it");
        (0..500).any(|_| {
            thread::sleep(Duration::from_millis(20));
            stream.write_all(b"are you still there?").is_err()
        })
    });
    let summary = end.unwrap();
    assert_eq!((is_broken, summary.connections, summary.failed_connections), (true, 1, 0));
}
