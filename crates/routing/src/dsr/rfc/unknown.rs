//! Options of types that are unknown here.
//!
//! Spec      RFC 4728 §8.1.6
//! Deviates  packets that are only overheard are not looked at; options of the flow state extension pass unread
//! Holds     an unknown option is passed on only as its type allows

use hopwright_wire::Packet;
use hopwright_wire::dsr::{DsrOption, ErrorKind};

use super::Rfc;

/// The bit of an option's type that asks for an error.
const REPORT: u8 = 0x80;
/// The bits that say what becomes of the option.
const ACTION: u8 = 0x60;
const REMOVE: u8 = 0x20;
const MARK: u8 = 0x40;
const DROP: u8 = 0x60;

impl Rfc {
    /// Does what the types of unknown options ask for. False if the packet is to be dropped.
    pub(super) fn heed_unknown(&mut self, packet: &mut Packet) -> bool {
        let Some(header) = packet.dsr.as_deref() else { return true };
        let unknown = header.options.iter().filter(|option| matches!(option, DsrOption::Other { .. }));
        let unknown: Vec<u8> = unknown.map(DsrOption::kind).collect();
        if unknown.is_empty() {
            return true;
        }
        if header.request().is_none() {
            for kind in unknown.iter().filter(|&kind| kind & REPORT != 0) {
                self.report(packet, ErrorKind::OptionNotSupported(*kind), None);
            }
        }
        if let Some(header) = packet.dsr.as_deref_mut() {
            header.options.retain(|o| !matches!(o, DsrOption::Other { kind, .. } if kind & ACTION == REMOVE));
            for option in &mut header.options {
                if let DsrOption::Other { kind, data } = option
                    && *kind & ACTION == MARK
                    && let Some(first) = data.first_mut()
                {
                    *first |= 0x80;
                }
            }
        }
        !unknown.iter().any(|kind| kind & ACTION == DROP)
    }
}
