//! Switches of a namespace that programs would stumble over. Each is a wish: where /proc/sys cannot be written, the
//! namespace is used as it is.
//!
//! Spec      Linux Documentation/networking/ip-sysctl.rst
//! Deviates  nothing
//! Holds     only the namespace of the calling thread is changed: the kernel looks up /proc/sys/net for whoever opens it

use std::fs;

/// Sets what is to be set before a device is made.
pub(crate) fn apply() {
    // Neither router solicitations nor duplicate detection: a packet on the device is a program's. Of devices to come:
    // ::1 stays.
    let _ = fs::write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
    // `ping` without privileges. Groups must be mapped: the widest range, or the group that a user namespace has.
    let range = "/proc/sys/net/ipv4/ping_group_range";
    let _ = fs::write(range, "0 2147483647").or_else(|_| fs::write(range, "0 0"));
    // Servers on their usual ports without privileges: the ports are the namespace's own.
    let _ = fs::write("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0");
}
