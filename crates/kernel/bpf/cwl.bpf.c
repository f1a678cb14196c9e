/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Reno's growth within a limit of the window: a fixed one (CWL), or one that follows the length of the route (adaptive CWL).
 *
 * Spec      Papanastasiou 2006 §4.4.2, Table 4.2, which is of Chen, Xue and Nahrstedt 2003
 * Deviates  no hook knows the route: its length is a parameter, which whoever knows it writes
 * Holds     beyond 15 hops, and where no length is known, there is no limit but the fixed one; the smaller rules
 */
#include "hop.h"

enum { LIMIT = OWN, HOPS };

struct connection {
	struct common own;
};

KEEPS(struct connection)

/* Segments that may be outstanding over so many hops. */
static __always_inline u32 limit_of(u64 hops)
{
	if (hops == 0 || hops > 15)
		return ~0u;
	if (hops <= 2)
		return 2;
	if (hops <= 4)
		return 1;
	if (hops <= 6)
		return 2;
	if (hops <= 10)
		return 3;
	return hops <= 13 ? 4 : 5;
}

static __always_inline u32 limit(const struct settings *set)
{
	u32 fixed = set->parameters[LIMIT] ? set->parameters[LIMIT] : ~0u;

	return least(fixed, limit_of(set->parameters[HOPS]));
}

static __always_inline u64 within(u64 window, u32 segments)
{
	u64 limit = (u64)segments << FRACTION;

	return window < limit ? window : limit;
}

/* The first window is within the limit, too. */
SEC("struct_ops")
void BPF_PROG(hop_init, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	const struct settings *set = settings();

	begun(sk);
	if (set)
		tp->snd_cwnd = least(tp->snd_cwnd, limit(set));
}

SEC("struct_ops")
void BPF_PROG(hop_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	const struct settings *set = settings();
	struct connection *c = kept(sk);
	u64 window;

	if (!c || !set)
		return;
	window = window_of(tp, &c->own);
	if (may_grow(tp, &c->own, ack))
		window = grown(tp, window, counts(set, acked));
	set_window(tp, &c->own, within(window, limit(set)));
	record(set, tp, EVENT_ACK, c->own.fraction);
}

SEC("struct_ops")
u32 BPF_PROG(hop_ssthresh, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	const struct settings *set = settings();
	struct connection *c = kept(sk);
	u32 half = part_of_flight(tp, 500);

	return c && set ? cut(tp, &c->own, least(half, limit(set)), half) : half;
}

SEC("struct_ops")
void BPF_PROG(hop_set_state, struct sock *sk, u8 new_state)
{
	struct connection *c = kept(sk);

	if (c && new_state <= TCP_CA_Disorder)
		settle(tcp_sk(sk), &c->own);
	else if (c)
		blame_congestion(tcp_sk(sk), &c->own, new_state);
}

SEC("struct_ops")
u32 BPF_PROG(hop_undo_cwnd, struct sock *sk)
{
	struct connection *c = kept(sk);

	return c ? undo(tcp_sk(sk), &c->own) : tcp_sk(sk)->snd_cwnd;
}

OPS(.name = "hop_cwl", .init = (void *)hop_init, .ssthresh = (void *)hop_ssthresh, .cong_avoid = (void *)hop_cong_avoid,
    .set_state = (void *)hop_set_state, .undo_cwnd = (void *)hop_undo_cwnd);
