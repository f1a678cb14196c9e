//! All tests in one program: each program of its own would be linked with everything again.

mod arp;
mod atp;
mod atp_rules;
mod bundles;
mod carrier;
mod channel;
mod closed_forms;
mod compute;
mod conservation;
mod contention_control;
mod damage;
mod ecn;
mod energy;
mod fair_backoff;
mod file;
mod foreign;
mod golden;
mod hops;
mod hosts;
mod ideal;
mod lred;
mod notices;
mod ofdm;
mod outage;
mod reach;
mod route_break;
mod simulation;
mod sleepers;
mod support;
mod trace;
mod truth;
#[path = "support/worlds.rs"]
mod worlds;
