/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Slow growth: one acknowledgement in k + 1 opens the window, in slow start, in congestion avoidance, or in both.
 *
 * Spec      Papanastasiou 2006 §4.3, Algorithms 1 and 2, as crates/transport/src/mechanisms/slow_growth.rs has them
 * Deviates  k = 0 is Reno's growth
 * Holds     exactly one of k + 1 acknowledgements grows, the first of them; each phase has its own counter
 */
#include "hop.h"

enum { K_IN_AVOIDANCE = OWN, K_IN_SLOW_START };

struct connection {
	struct common own;
	u32 in_avoidance;
	u32 in_slow_start;
};

KEEPS(struct connection)

/* How many of so many acknowledgements grow: those that find the counter at zero. */
static __always_inline u32 growing(u32 *counter, u32 threshold, u32 count)
{
	u64 period = (u64)threshold + 1;
	u32 waiting = *counter % period ? period - *counter % period : 0;

	*counter = (*counter % period + count) % period;
	return count > waiting ? 1 + (count - 1 - waiting) / period : 0;
}

SEC("struct_ops")
void BPF_PROG(hop_init, struct sock *sk)
{
	begun(sk);
}

static __always_inline u64 slowed(const struct tcp_sock *tp, struct connection *c, const struct settings *set, u64 window, u32 count)
{
	if (is_slow_start(tp))
		return started(tp, window, growing(&c->in_slow_start, set->parameters[K_IN_SLOW_START], count));
	return added(window, growing(&c->in_avoidance, set->parameters[K_IN_AVOIDANCE], count));
}

GROWS(slowed)

SEC("struct_ops")
u32 BPF_PROG(hop_ssthresh, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct connection *c = kept(sk);
	u32 half = part_of_flight(tp, 500);

	return c ? cut(tp, &c->own, half, half) : half;
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

OPS(.name = "hop_slow", .init = (void *)hop_init, .ssthresh = (void *)hop_ssthresh, .cong_avoid = (void *)hop_cong_avoid,
    .set_state = (void *)hop_set_state, .undo_cwnd = (void *)hop_undo_cwnd);
