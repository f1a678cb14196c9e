//! Explicit congestion notification, as IP shows it.

/// The congestion field (RFC 3168 §5): the last two bits of the header's second byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Ecn {
    /// The transport takes no marks.
    #[default]
    NotCapable = 0,
    /// It does: ECT(1).
    Capable1 = 1,
    /// It does: ECT(0), the usual one.
    Capable0 = 2,
    /// A router met congestion.
    Experienced = 3,
}

impl Ecn {
    /// What the last two bits of a byte say.
    #[must_use]
    pub const fn of(byte: u8) -> Self {
        match byte & 3 {
            0 => Self::NotCapable,
            1 => Self::Capable1,
            2 => Self::Capable0,
            _ => Self::Experienced,
        }
    }
}
