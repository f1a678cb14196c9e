//! What a radio draws from its battery: power by what the radio is busy with.
//!
//! Spec      ns-2.35, `mac/wireless-phy.cc` (powers of a card by state, times their duration); Feeney and Nilsson,
//!           INFOCOM 2001 (measured cards)
//! Deviates  no state for a radio that sleeps: this MAC has no power save mode, so none ever would
//! Holds     at every instant a radio is in one state

/// What a radio is busy with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RadioState {
    /// It sends.
    Transmit,
    /// A frame arrives for this node, or for everyone, that is strong enough to be decoded.
    Receive,
    /// The same, for another node.
    Overhear,
    /// The carrier is busy with a frame that is too weak to be decoded.
    Sense,
    /// Nothing is in the air here.
    Idle,
    /// The node is down.
    Off,
}

impl RadioState {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Transmit, Self::Receive, Self::Overhear, Self::Sense, Self::Idle, Self::Off];
}

/// What a radio draws in each state, watts: from the battery, not what it radiates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Powers {
    /// `RadioState::Transmit`.
    pub transmit_w: f64,
    /// `RadioState::Receive`.
    pub receive_w: f64,
    /// `RadioState::Overhear`.
    pub overhear_w: f64,
    /// `RadioState::Sense`.
    pub sense_w: f64,
    /// `RadioState::Idle`.
    pub idle_w: f64,
    /// `RadioState::Off`.
    pub off_w: f64,
}

impl Powers {
    /// AT&T's WaveLAN PCMCIA card, as comments in ns-2.35's `wireless-phy.cc` have it.
    pub const WAVELAN: Self = Self::of(1.6, 1.2, 1.15);
    /// Lucent's IEEE 802.11 WaveLAN PC card, 2 Mbit/s: 280, 204 and 178 mA at 4.74 V (Feeney and Nilsson, table 1).
    pub const LUCENT: Self = Self::of(1.3272, 0.96696, 0.84372);
    /// What `Phy/WirelessPhy` of ns-2.35 draws unless `node-config` says otherwise.
    pub const NS2: Self = Self::of(0.66, 0.395, 0.0);

    /// A radio that receives whatever is in the air, as nothing in the air says beforehand whom it is for; nothing is
    /// drawn when it is off.
    #[must_use]
    pub const fn of(transmit_w: f64, receive_w: f64, idle_w: f64) -> Self {
        Self { transmit_w, receive_w, overhear_w: receive_w, sense_w: receive_w, idle_w, off_w: 0.0 }
    }

    /// What is drawn in a state, watts.
    #[must_use]
    pub const fn in_state(&self, state: RadioState) -> f64 {
        match state {
            RadioState::Transmit => self.transmit_w,
            RadioState::Receive => self.receive_w,
            RadioState::Overhear => self.overhear_w,
            RadioState::Sense => self.sense_w,
            RadioState::Idle => self.idle_w,
            RadioState::Off => self.off_w,
        }
    }

    /// What it takes to be in a state for so many nanoseconds, joules.
    #[must_use]
    pub const fn joules(&self, state: RadioState, ns: u64) -> f64 {
        self.in_state(state) * (ns as f64 / 1e9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_count_from_zero_and_have_their_own_power() {
        let powers = Powers { transmit_w: 0.0, receive_w: 1.0, overhear_w: 2.0, sense_w: 3.0, idle_w: 4.0, off_w: 5.0 };
        for (place, state) in RadioState::ALL.into_iter().enumerate() {
            assert_eq!((state as usize, powers.in_state(state)), (place, place as f64));
        }
    }

    #[test]
    fn energy_is_power_times_time() {
        // 1.6 W for two and a half seconds.
        assert_eq!(Powers::WAVELAN.joules(RadioState::Transmit, 2_500_000_000), 4.0);
        assert_eq!(Powers::WAVELAN.joules(RadioState::Off, 2_500_000_000), 0.0);
    }

    #[test]
    fn lucents_table_is_its_currents_at_its_voltage() {
        let Powers { transmit_w, receive_w, idle_w, .. } = Powers::LUCENT;
        for (watts, amperes) in [(transmit_w, 0.280), (receive_w, 0.204), (idle_w, 0.178)] {
            assert!((watts - 4.74 * amperes).abs() < 1e-12);
        }
    }
}
