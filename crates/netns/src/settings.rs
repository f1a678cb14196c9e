//! Switches of a namespace that programs would stumble over. Each is a wish: where /proc/sys cannot be written, the
//! namespace is used as it is.
//!
//! Spec      Linux Documentation/networking/ip-sysctl.rst
//! Deviates  nothing
//! Holds     only the namespace of the calling thread is changed: the kernel looks up /proc/sys/net for whoever opens it

use std::fs;

use crate::spec::Layer;

/// Where frames pass, the kernel has IPv6, over whose addresses of links routing daemons talk; and it forwards, as they
/// want it. All nodes are on one device: that a packet leaves where it came from is no reason for a redirect, nor to
/// distrust its source. Addresses are not asked for twice: they are unique, and programs would wait for seconds.
const OF_FRAMES: [(&str, &str); 8] = [
    ("ipv6/conf/default/accept_dad", "0"),
    ("ipv6/conf/default/router_solicitations", "0"),
    ("ipv6/conf/all/forwarding", "1"),
    ("ipv4/ip_forward", "1"),
    ("ipv4/conf/all/send_redirects", "0"),
    ("ipv4/conf/default/send_redirects", "0"),
    ("ipv4/conf/all/rp_filter", "0"),
    ("ipv4/conf/default/rp_filter", "0"),
];

/// Sets what is to be set before a device is made.
pub(crate) fn apply(layer: Layer) {
    match layer {
        // Neither router solicitations nor duplicate detection: a packet on the device is a program's. Of devices to
        // come: ::1 stays.
        Layer::Ip => {
            let _ = fs::write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
        }
        Layer::Ethernet { .. } => {
            for (key, value) in OF_FRAMES {
                let _ = fs::write(format!("/proc/sys/net/{key}"), value);
            }
        }
    }
    // `ping` without privileges. Groups must be mapped: the widest range, or the group that a user namespace has.
    let range = "/proc/sys/net/ipv4/ping_group_range";
    let _ = fs::write(range, "0 2147483647").or_else(|_| fs::write(range, "0 0"));
    // Servers on their usual ports without privileges: the ports are the namespace's own.
    let _ = fs::write("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0");
}
