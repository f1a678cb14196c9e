//! Why there is no namespace or no device.

use std::io;

use rustix::io::Errno;

/// Why there is no namespace or no device.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// What was asked for cannot be had anywhere; the text says what to change.
    #[error("{0}")]
    Input(String),
    /// This system, or this user, lacks something; the text says what.
    #[error("{0}")]
    Lacking(String),
    /// It was tried and failed.
    #[error("{0}")]
    Failed(String),
}

impl Error {
    /// What the kernel says to an attempt to open a TUN device, in words that help.
    pub(crate) fn of_device(name: &str, error: &io::Error) -> Self {
        let why = match Errno::from_io_error(error) {
            Some(Errno::PERM) => "that needs root, or the capability CAP_NET_ADMIN",
            Some(Errno::ACCESS) => "this user may not open /dev/net/tun; root may",
            Some(Errno::NOENT | Errno::NODEV | Errno::NXIO) => "this system has no /dev/net/tun (modprobe tun)",
            Some(Errno::BUSY) => return Self::Failed(cannot_open(name, "another program uses it")),
            Some(Errno::INVAL) => {
                return Self::Failed(cannot_open(name, "a device of another kind has this name"));
            }
            _ => return Self::Failed(cannot_open(name, &plain(error))),
        };
        Self::Lacking(cannot_open(name, why))
    }

    /// What the kernel says to an attempt to make a namespace.
    pub(crate) fn of_namespace(error: &io::Error) -> Self {
        let cannot = "cannot make a network namespace";
        match Errno::from_io_error(error) {
            Some(Errno::PERM) => Self::Lacking(format!("{cannot}: that needs root, or a user namespace")),
            Some(Errno::NOSPC | Errno::USERS) => {
                Self::Lacking(format!("{cannot}: no more are allowed (/proc/sys/user/max_net_namespaces)"))
            }
            Some(Errno::INVAL | Errno::NOSYS) => {
                Self::Lacking(format!("{cannot}: this kernel has none (CONFIG_NET_NS)"))
            }
            _ => Self::Failed(format!("{cannot}: {}", plain(error))),
        }
    }
}

fn cannot_open(name: &str, why: &str) -> String {
    format!("cannot open the TUN device {name}: {why}")
}

/// The system's message without its number.
pub(crate) fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lacking_is_said() {
        let device = |errno: Errno| Error::of_device("hw0", &errno.into());
        let lacking = |text: &str| Error::Lacking(format!("cannot open the TUN device hw0: {text}"));
        assert_eq!(device(Errno::ACCESS), lacking("this user may not open /dev/net/tun; root may"));
        assert_eq!(device(Errno::NOENT), lacking("this system has no /dev/net/tun (modprobe tun)"));
        assert!(matches!(device(Errno::BUSY), Error::Failed(_)));
        let text = Error::of_namespace(&Errno::PERM.into()).to_string();
        assert_eq!(text, "cannot make a network namespace: that needs root, or a user namespace");
    }
}
