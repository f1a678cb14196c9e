//! The host without Python: `host TUN ADDRESS/PREFIX PROTOCOL serve FILE PORT [options]`, or
//! `host TUN ADDRESS/PREFIX PROTOCOL connect HOST:PORT [options]`; options: `once`, `no-offload`, `send=FILE`,
//! `receive=FILE`, `mtu=N`, `user=NAME`, `limit=KEY:VALUE`, and slots and parameters by name.

use std::process::ExitCode;

use hopwright_live::{Error, Settings, Task, Watch, run};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [tun, address, protocol, what, rest @ ..] = &arguments[..] else {
        eprintln!("host: name device, address, protocol and what to do");
        return ExitCode::from(2);
    };
    let (mut task, options) = match (what.as_str(), rest) {
        ("serve", [file, port, options @ ..]) => {
            let Ok(port) = port.parse() else {
                eprintln!("host: {port} is no port");
                return ExitCode::from(2);
            };
            (Task::Serve { file: file.into(), port, once: false }, options)
        }
        ("connect", [to, options @ ..]) => (Task::Connect { to: to.clone(), send: None, receive: None }, options),
        _ => {
            eprintln!("host: serve FILE PORT, or connect HOST:PORT");
            return ExitCode::from(2);
        }
    };
    let (mut offload, mut mtu, mut overrides, mut limits, mut user) = (true, 1500, Vec::new(), Vec::new(), None);
    for option in options {
        match (option.split_once('=').unwrap_or((option, "")), &mut task) {
            (("once", _), Task::Serve { once, .. }) => *once = true,
            (("send", file), Task::Connect { send, .. }) => *send = Some(file.into()),
            (("receive", file), Task::Connect { receive, .. }) => *receive = Some(file.into()),
            (("no-offload", _), _) => offload = false,
            (("mtu", n), _) => mtu = n.parse().unwrap_or(0),
            (("user", name), _) => user = Some(name.to_owned()),
            (("limit", limit), _) => {
                let (key, value) = limit.split_once(':').unwrap_or((limit, ""));
                limits.push((key.to_owned(), value.to_owned()));
            }
            ((key, value), _) => overrides.push((key.to_owned(), value.to_owned())),
        }
    }
    let settings = Settings {
        tun: tun.clone(),
        address: address.clone(),
        kernel_address: None,
        mtu,
        offload,
        protocol: protocol.clone(),
        overrides,
        triggers: None,
        limits,
        user,
        compute: false,
        task,
    };
    let done = Watch::new().map_err(|error| Error::Failed(error.to_string())).and_then(|watch| run(&settings, &watch));
    match done {
        Ok(summary) => {
            eprintln!("{summary:?}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("host: {error}");
            ExitCode::from(if matches!(error, Error::Input(_)) { 2 } else { 1 })
        }
    }
}
