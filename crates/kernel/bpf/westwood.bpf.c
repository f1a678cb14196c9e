/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Westwood+: after a loss the window fits what the path was measured to carry.
 *
 * Spec      Grieco and Mascolo 2004; crates/transport/src/mechanisms/response/bandwidth_fit.rs has the same
 * Deviates  see bandwidth.h
 * Holds     the window is never raised by a loss; the threshold is a whole number of segments, two at least
 */
#include "bandwidth.h"

enum { FILTER = OWN, LEAST_WINDOW_MS, LEAST_RTT };

struct connection {
	struct common own;
	struct bandwidth bandwidth;
};

KEEPS(struct connection)

SEC("struct_ops")
void BPF_PROG(hop_init, struct sock *sk)
{
	struct connection *c = begun(sk);

	if (c)
		bandwidth_begins(&c->bandwidth, tcp_sk(sk));
}

SEC("struct_ops")
void BPF_PROG(hop_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	const struct settings *set = settings();
	struct connection *c = kept(sk);

	if (c && set)
		bandwidth_acked(&c->bandwidth, tcp_sk(sk), sample->rtt_us, set->parameters[FILTER], set->parameters[LEAST_WINDOW_MS]);
}

GROWS(as_reno)

SEC("struct_ops")
u32 BPF_PROG(hop_ssthresh, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct connection *c = kept(sk);
	u32 fit;

	if (!c)
		return 2;
	fit = bandwidth_segments(&c->bandwidth, tp);
	return cut(tp, &c->own, least(tp->snd_cwnd, fit), fit);
}

SEC("struct_ops")
void BPF_PROG(hop_set_state, struct sock *sk, u8 new_state)
{
	struct tcp_sock *tp = tcp_sk(sk);
	const struct settings *set = settings();
	struct connection *c = kept(sk);

	if (!c || !set)
		return;
	if (new_state <= TCP_CA_Disorder)
		return settle(tp, &c->own);
	if (new_state == TCP_CA_Loss)
		bandwidth_timeout(&c->bandwidth, set->parameters[LEAST_RTT]);
	blame_congestion(tp, &c->own, new_state);
}

SEC("struct_ops")
u32 BPF_PROG(hop_undo_cwnd, struct sock *sk)
{
	struct connection *c = kept(sk);

	return c ? undo(tcp_sk(sk), &c->own) : tcp_sk(sk)->snd_cwnd;
}

OPS(.name = "hop_westwood", .init = (void *)hop_init, .ssthresh = (void *)hop_ssthresh, .cong_avoid = (void *)hop_cong_avoid,
    .set_state = (void *)hop_set_state, .pkts_acked = (void *)hop_pkts_acked,
    .undo_cwnd = (void *)hop_undo_cwnd);
