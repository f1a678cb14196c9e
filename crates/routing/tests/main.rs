//! All tests in one program: each program of its own would be linked with everything again.

mod asked;
mod dsdv;
mod dsdv_network;
mod dsr_network;
mod dsr_notices;
mod dsr_ns2;
mod dsr_ns2_flows;
mod dsr_rfc;
mod dsr_rfc_maintenance;
mod dsr_rfc_searches;
mod field;
mod network;
mod notices;
mod ns2;
mod olsr;
mod olsr_grid;
mod olsr_network;
mod rfc;
mod rfc_hello;
mod rfc_reboot;
mod rfc_repair;
mod rfc_unidirectional;
mod script;
mod static_routes;
mod talk;
mod transcripts;
