//! What a kernel and a user need for algorithms to be loaded.

use std::{fs, path::Path};

use libbpf_rs::btf::{Btf, types::Struct};

use crate::Error;

/// The kernel's description of its types.
const BTF: &str = "/sys/kernel/btf/vmlinux";

/// Types that a kernel has if it can do something, from which version on it does, and what that is.
const TYPES: [(&str, &str, &str); 3] = [
    ("bpf_struct_ops_tcp_congestion_ops", "5.6", "congestion control by programs (CONFIG_BPF_JIT, CONFIG_BPF_SYSCALL)"),
    ("bpf_struct_ops_link", "6.4", "algorithms that end with their owner (links of struct_ops)"),
    ("bpf_iter__bpf_sk_storage_map", "5.9", "inspection of connections (iterators over sockets' storage)"),
];

/// CAP_NET_ADMIN, CAP_SYS_ADMIN, CAP_PERFMON, CAP_BPF of linux/capability.h.
const NET_ADMIN: u32 = 12;
const SYS_ADMIN: u32 = 21;
const PERFMON: u32 = 38;
const BPF: u32 = 39;

/// Whether algorithms can be loaded here.
///
/// # Errors
/// What is lacking, all of it.
pub fn needs() -> Result<(), Error> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let types = if Path::new(BTF).exists() { Btf::from_vmlinux().ok() } else { None };
    let has = types.as_ref().map(|btf| |name: &str| btf.type_by_name::<Struct<'_>>(name).is_some());
    let what = lacking(&status, has.as_ref().map(|has| has as &dyn Fn(&str) -> bool));
    if what.is_empty() {
        return Ok(());
    }
    Err(Error::Lacking(format!("no algorithm can be loaded (Linux {}): {}", release(), what.join("; "))))
}

/// The kernel's version.
pub(super) fn release() -> String {
    fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim().to_owned()
}

/// What is lacking, of `/proc/self/status` and the kernel's types, if it describes them.
pub fn lacking(status: &str, has: Option<&dyn Fn(&str) -> bool>) -> Vec<String> {
    let mut what = vec![];
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let bits = effective.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()).unwrap_or(u64::MAX);
    let may = |number: u32| bits >> number & 1 == 1;
    if !(may(NET_ADMIN) && (may(SYS_ADMIN) || may(BPF) && may(PERFMON))) {
        what.push("loading needs root, or CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN".to_owned());
    }
    match has {
        None => what.push(format!("the kernel does not describe its types in {BTF} (CONFIG_DEBUG_INFO_BTF)")),
        Some(has) => {
            let absent = TYPES.iter().filter(|(name, _, _)| !has(name));
            what.extend(absent.map(|(_, since, can)| format!("the kernel lacks {can}, which Linux has since {since}")));
        }
    }
    what
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_kernels_and_other_users_are_told_what_they_lack() {
        let root = "Name:\tx\nCapEff:\t000001ffffffffff\n";
        assert_eq!(lacking(root, Some(&|_| true)), Vec::<String>::new());
        let user = lacking("CapEff:\t0000000000000000\n", Some(&|_| true));
        assert_eq!(user, ["loading needs root, or CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN"]);
        assert!(lacking(root, None)[0].contains("CONFIG_DEBUG_INFO_BTF"));
        let of_5_15 = lacking(root, Some(&|name| name != "bpf_struct_ops_link"));
        let missing =
            "the kernel lacks algorithms that end with their owner (links of struct_ops), which Linux has since 6.4";
        assert_eq!(of_5_15, [missing]);
        assert_eq!(lacking(root, Some(&|_| false)).len(), 3);
    }
}
