//! Numbers of the protocols above IP (RFC 790 and its successors).

/// Internet control messages.
pub const ICMP: u8 = 1;
/// TCP.
pub const TCP: u8 = 6;
/// UDP.
pub const UDP: u8 = 17;
/// Nothing behind the header (RFC 8200 §4.7; DSR's packets of options alone, RFC 4728 §6.1).
pub const NOTHING: u8 = 59;
/// ATP. IANA has given it no number, and this one to nobody (RFC 5237); decided here.
pub const ATP: u8 = 252;
/// For experiments (RFC 4727 §2.2); here notices about routes.
pub const EXPERIMENT: u8 = 253;
/// The other number for experiments; here NCTP.
pub const NCTP: u8 = 254;
