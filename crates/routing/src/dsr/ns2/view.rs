//! A packet's header as ns-2 sees it, between two forms on the wire.
//!
//! ns-2 lists both ends in every route. A salvaged packet's route starts at the node that salvaged it, which the
//! RFC's header lists as its first address (§8.3.6).
//!
//! Spec      ns-2.35; RFC 4728 §6
//! Deviates  nothing
//! Holds     what is written reads back as the same view

use hopwright_machine::Address;
use hopwright_wire::Packet;
use hopwright_wire::dsr::{DsrOption, Error, ErrorKind, Flow, Header, Reply, Request, SourceRoute};
use hopwright_wire::notice::Notice;

/// A link that `from` found broken; `tell` is to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DeadLink {
    pub(super) tell: Address,
    pub(super) from: Address,
    pub(super) to: Address,
}

/// A flow that a node could not forward; `None` for the default flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnknownFlow {
    pub(super) source: Address,
    pub(super) destination: Address,
    pub(super) id: Option<u16>,
}

/// Who is told of an error that travels with a request: nobody in particular.
pub(super) const NOBODY: Address = Address(0);

/// The header of a packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct View {
    /// The source route with both ends; empty in requests (which have their own) and in packets of a flow.
    pub(super) path: Vec<Address>,
    /// The node on the path that has the packet or is to have it next.
    pub(super) at: usize,
    pub(super) salvaged: u8,
    /// Identification of a route request.
    pub(super) request: Option<u16>,
    /// The route a reply tells, with both ends.
    pub(super) reply: Option<Vec<Address>>,
    pub(super) errors: Vec<DeadLink>,
    pub(super) unknown_flows: Vec<UnknownFlow>,
    pub(super) flow: Option<Flow>,
    /// Seconds the flow is to be kept.
    pub(super) timeout: Option<u16>,
    /// What the transport of the packet's destination is to know.
    pub(super) notice: Option<Notice>,
}

impl View {
    /// What `packet` says.
    pub(super) fn of(packet: &Packet) -> Self {
        let mut view = Self::default();
        let Some(header) = packet.dsr.as_deref() else { return view };
        view.flow = header.flow;
        for option in &header.options {
            match option {
                DsrOption::Request(request) => {
                    view.request = Some(request.id);
                    view.path = std::iter::once(packet.source).chain(request.addresses.iter().copied()).collect();
                }
                DsrOption::Reply(reply) => {
                    let whole = std::iter::once(packet.destination).chain(reply.addresses.iter().copied());
                    view.reply = Some(whole.collect());
                }
                DsrOption::Error(error) => view.read_error(error),
                DsrOption::SourceRoute(route) => {
                    let first = (route.salvage == 0).then_some(packet.source);
                    let listed = route.addresses.iter().copied();
                    view.path = first.into_iter().chain(listed).chain([packet.destination]).collect();
                    view.at = (view.path.len() - 1).saturating_sub(usize::from(route.segments_left));
                    view.salvaged = route.salvage;
                }
                DsrOption::Timeout(seconds) => view.timeout = Some(*seconds),
                DsrOption::Notice(notice) => view.notice = Some(*notice),
                DsrOption::AcknowledgementRequest(_) | DsrOption::Acknowledgement(_) | DsrOption::Other { .. } => {}
            }
        }
        view
    }

    fn read_error(&mut self, error: &Error) {
        let (source, tell) = (error.source, error.destination);
        match error.kind {
            ErrorKind::NodeUnreachable(to) => self.errors.push(DeadLink { tell, from: source, to }),
            ErrorKind::UnknownFlow { destination, id } => {
                self.unknown_flows.push(UnknownFlow { source: tell, destination, id: Some(id) });
            }
            ErrorKind::DefaultFlowUnknown(destination) => {
                self.unknown_flows.push(UnknownFlow { source: tell, destination, id: None });
            }
            ErrorKind::FlowStateNotSupported | ErrorKind::OptionNotSupported(_) | ErrorKind::Other { .. } => {}
        }
    }

    /// Writes the view into the packet. `me` is the source of flow errors.
    pub(super) fn write(&self, packet: &mut Packet, me: Address) {
        let mut options = Vec::new();
        if let Some(id) = self.request {
            let addresses = self.path.get(1..).unwrap_or_default().to_vec();
            // A request's packet goes to everyone; the view of it keeps the target in the packet's destination.
            options.push(DsrOption::Request(Request { id, target: packet.destination, addresses }));
            packet.destination = Address::BROADCAST;
        }
        if let Some(reply) = &self.reply {
            let addresses = reply.get(1..).unwrap_or_default().to_vec();
            options.push(DsrOption::Reply(Reply { last_hop_external: false, addresses }));
        }
        options.extend(self.errors.iter().map(|link| {
            let kind = ErrorKind::NodeUnreachable(link.to);
            DsrOption::Error(Error { salvage: self.salvaged, source: link.from, destination: link.tell, kind })
        }));
        options.extend(self.unknown_flows.iter().map(|flow| {
            let kind = match flow.id {
                Some(id) => ErrorKind::UnknownFlow { destination: flow.destination, id },
                None => ErrorKind::DefaultFlowUnknown(flow.destination),
            };
            DsrOption::Error(Error { salvage: self.salvaged, source: me, destination: flow.source, kind })
        }));
        if self.request.is_none() && !self.path.is_empty() {
            let last = self.path.len() - 1;
            let first = usize::from(self.salvaged == 0);
            options.push(DsrOption::SourceRoute(SourceRoute {
                salvage: self.salvaged,
                segments_left: last.saturating_sub(self.at) as u8,
                addresses: self.path[first..last.max(first)].to_vec(),
                ..SourceRoute::default()
            }));
        }
        options.extend(self.timeout.map(DsrOption::Timeout));
        options.extend(self.notice.map(DsrOption::Notice));
        let header = Header { flow: self.flow, options };
        packet.dsr = (header != Header::default()).then(|| Box::new(header));
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::{NodeId, PacketId};
    use hopwright_wire::Payload;
    use proptest::prelude::*;

    use super::*;

    fn addresses(range: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Address>> {
        prop::collection::vec((1u32..60).prop_map(|n| NodeId(n).address()), range)
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(
            path in addresses(2..16),
            at in any::<prop::sample::Index>(),
            salvaged in 0u8..15,
            reply in prop::option::of(addresses(1..15)),
            flow in prop::option::of((0u8..128, any::<u16>())),
            timeout in prop::option::of(any::<u16>()),
            unknown in prop::option::of(any::<u16>()),
        ) {
            let (me, source, destination) = (path[0], path[0], path[path.len() - 1]);
            let at = at.index(path.len() - 1) + 1;
            let reply = reply.map(|nodes| [vec![destination], nodes].concat());
            let errors = vec![DeadLink { tell: destination, from: me, to: source }];
            let unknown_flows = vec![UnknownFlow { source: destination, destination: me, id: unknown }];
            let flow = flow.map(|(hop_count, id)| Flow { hop_count, id });
            let (request, notice) = (None, None);
            let view = View { path, at, salvaged, request, reply, errors, unknown_flows, flow, timeout, notice };
            let mut packet = Packet::new(PacketId(1), source, destination, 32, Payload::Nothing);
            view.write(&mut packet, me);
            prop_assert_eq!(View::of(&packet), view);
        }
    }
}
