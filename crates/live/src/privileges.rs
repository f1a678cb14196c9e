//! What the process may do once its device is there: nothing that needs a privilege.
//!
//! Spec      capabilities(7); Linux Documentation/userspace-api/no_new_privs.rst
//! Deviates  nothing
//! Holds     no capability is kept, and none can be had back, not by running another program either; what is checked
//!           afterwards is so
//!
//! Packets are read and written through the open descriptor of the device. Its addresses and routes go with the device,
//! and the device with the descriptor: the kernel cleans up. Credentials are a thread's; threads that it starts have
//! them too.

use nix::unistd::{User as Entry, getgrouplist};
use rustix::io::Errno;
use rustix::process::{Gid, Uid, getegid, geteuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set, remove_capability_from_bounding_set,
    set_capabilities, set_no_new_privs, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};

use crate::error::Error;

/// Whom the process becomes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct User {
    name: String,
    id: Uid,
    group: Gid,
    groups: Vec<Gid>,
}

impl User {
    /// The user of this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn of(name: &str) -> Result<Self, Error> {
        let found = Entry::from_name(name).map_err(|error| Error::failed(format!("--user {name}: {error}")))?;
        let entry = found.ok_or_else(|| Error::input(format!("--user {name}: there is no such user")))?;
        let text = std::ffi::CString::new(name).map_err(|_| Error::input(format!("--user {name}: no name")))?;
        let groups =
            getgrouplist(&text, entry.gid).map_err(|error| Error::failed(format!("--user {name}: {error}")))?;
        Ok(Self {
            name: name.to_owned(),
            id: Uid::from_raw(entry.uid.as_raw()),
            group: Gid::from_raw(entry.gid.as_raw()),
            groups: groups.into_iter().map(|group| Gid::from_raw(group.as_raw())).collect(),
        })
    }
}

/// Gives up every capability of the calling thread, for ever, and becomes another user if one is named.
///
/// # Errors
/// If the system does not let it.
pub fn give_up_privileges(user: Option<&User>) -> Result<(), Error> {
    bound(CapabilitySet::empty());
    if let Some(user) = user {
        become_user(user).map_err(|error| Error::failed(format!("cannot become the user {}: {error}", user.name)))?;
    }
    let kept = forgo().map_err(wrong)?;
    if !kept.permitted.is_empty() || user.is_some_and(|user| geteuid() != user.id || getegid() != user.group) {
        return Err(Error::failed("privileges that were given up are still there"));
    }
    Ok(())
}

/// Gives up every capability of the calling thread, for ever, and of programs that it executes. The bounding set stays
/// as it is: the kernel does not execute a program with capabilities of its file's (`ping`) that are beyond it, and
/// no_new_privs alone sees to it that they are not had.
///
/// # Errors
/// If the system does not let it.
pub fn execute_unprivileged() -> Result<(), Error> {
    forgo().map(|_| ()).map_err(wrong)
}

/// What is had afterwards.
fn forgo() -> Result<CapabilitySets, Errno> {
    let none = CapabilitySet::empty();
    clear_ambient_capability_set()?;
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    set_no_new_privs(true)?;
    capabilities(None)
}

fn wrong(error: Errno) -> Error {
    Error::failed(format!("cannot give up privileges: {error}"))
}

/// Lets a program that root executes from the calling thread on have privileges over networks, and no others: it may
/// change devices, addresses and routes of the network namespace it is in, and cannot go to another.
///
/// # Errors
/// If the system does not let it.
pub fn keep_network_privileges() -> Result<(), Error> {
    let kept = CapabilitySet::NET_ADMIN | CapabilitySet::NET_RAW | CapabilitySet::NET_BIND_SERVICE;
    bound(kept);
    clear_ambient_capability_set().map_err(wrong)?;
    let mut sets = capabilities(None).map_err(wrong)?;
    sets.inheritable = CapabilitySet::empty();
    set_capabilities(None, sets).map_err(wrong)?;
    set_no_new_privs(true).map_err(wrong)
}

/// What another program could have at most, were one run. Only who has CAP_SETPCAP may; nobody else has what to bound.
fn bound(kept: CapabilitySet) {
    for capability in (0..u64::BITS).map(|number| CapabilitySet::from_bits_retain(1 << number)) {
        if !kept.contains(capability) {
            let _ = remove_capability_from_bounding_set(capability);
        }
    }
}

fn become_user(user: &User) -> Result<(), Errno> {
    if geteuid() == user.id && getegid() == user.group {
        return Ok(());
    }
    set_thread_groups(&user.groups)?;
    set_thread_res_gid(user.group, user.group, user.group)?;
    set_thread_res_uid(user.id, user.id, user.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_looked_up_by_name() {
        assert_eq!(User::of("root").unwrap().id, Uid::ROOT);
        assert_eq!(User::of("no such user").unwrap_err().to_string(), "--user no such user: there is no such user");
    }

    /// In a thread of its own: credentials are a thread's.
    #[test]
    fn nothing_is_left_and_nothing_comes_back() {
        std::thread::spawn(|| {
            give_up_privileges(None).unwrap();
            let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
            let of = |key: &str| status.lines().find_map(|line| line.strip_prefix(key)).unwrap().trim().to_owned();
            for key in ["CapInh:", "CapPrm:", "CapEff:", "CapAmb:"] {
                assert_eq!(of(key), "0000000000000000", "{key}");
            }
            assert_eq!(of("NoNewPrivs:"), "1");
            if geteuid() == Uid::ROOT {
                assert_eq!(of("CapBnd:"), "0000000000000000");
                let run =
                    |program: &str, option: &str| std::process::Command::new(program).arg(option).output().unwrap();
                let effective = String::from_utf8(run("cat", "/proc/self/status").stdout).unwrap();
                assert!(effective.contains("CapEff:\t0000000000000000"), "{effective}");
            }
        })
        .join()
        .unwrap();
    }
}
