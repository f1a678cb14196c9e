/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Veno: growth halves while the connection keeps a queue; what is lost while it keeps none costs less.
 *
 * Spec      Fu and Liew 2003 §2, §3; crates/transport/src/mechanisms/avoidance/veno.rs, diagnosis/veno.rs, response/veno.rs
 * Deviates  one measurement serves growth and diagnosis, so that slow start is measured for growth, too. The base of
 *           round-trip times outlives losses
 * Holds     the round-trip time is that of the last round outside recovery; before the first round every loss is congestion
 */
#include "hop.h"

enum { BETA = OWN, KEPT_FRACTION };

struct connection {
	struct common own;
	u64 sum_us;
	u32 samples;
	u32 base_us;
	u32 rtt_us;
	/* A round ends when this is acknowledged. */
	u32 until;
	u32 is_turn;
};

KEEPS(struct connection)

SEC("struct_ops")
void BPF_PROG(hop_init, struct sock *sk)
{
	struct connection *c = begun(sk);

	if (c)
		c->until = tcp_sk(sk)->snd_nxt;
}

SEC("struct_ops")
void BPF_PROG(hop_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct connection *c = kept(sk);
	s32 rtt_us = sample->rtt_us;

	if (!c)
		return;
	if ((s32)(tp->snd_una - c->until) > 0) {
		if (c->samples)
			c->rtt_us = c->sum_us / c->samples;
		c->sum_us = c->samples = 0;
		c->until = tp->snd_nxt;
	}
	if (rtt_us <= 0 || state_of(tp) > TCP_CA_Disorder)
		return; /* what waited for a hole to be repaired measured the repair */
	c->base_us = c->base_us ? least(c->base_us, rtt_us) : rtt_us;
	c->sum_us += rtt_us;
	c->samples++;
}

/* Whether the queue is at least this long, in thousandths of segments: N = cwnd (RTT - BaseRTT) / RTT. */
static __always_inline bool has_queue(const struct connection *c, u32 cwnd, u64 beta)
{
	u64 waiting = c->rtt_us > c->base_us ? c->rtt_us - c->base_us : 0;

	return waiting * cwnd * 1000 >= beta * c->rtt_us;
}

static __always_inline u64 by_queue(const struct tcp_sock *tp, struct connection *c, const struct settings *set, u64 window, u32 count)
{
	u32 every_other;

	if (!is_slow_start(tp) && c->rtt_us && has_queue(c, tp->snd_cwnd, set->parameters[BETA])) {
		every_other = (count + c->is_turn) / 2;
		c->is_turn = (c->is_turn + count) % 2;
		count = every_other;
	}
	return grown(tp, window, count);
}

GROWS(by_queue)

SEC("struct_ops")
u32 BPF_PROG(hop_ssthresh, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	const struct settings *set = settings();
	struct connection *c = kept(sk);
	u32 left = part_of_flight(tp, 500);

	if (!c || !set)
		return left;
	if (c->rtt_us && !has_queue(c, tp->snd_cwnd, set->parameters[BETA]))
		left = part_of_flight(tp, set->parameters[KEPT_FRACTION]);
	return cut(tp, &c->own, left, left);
}

SEC("struct_ops")
void BPF_PROG(hop_set_state, struct sock *sk, u8 new_state)
{
	struct tcp_sock *tp = tcp_sk(sk);
	const struct settings *set = settings();
	struct connection *c = kept(sk);
	bool is_silent, is_channel;
	u32 outstanding;

	if (!c || !set)
		return;
	if (new_state <= TCP_CA_Disorder)
		return settle(tp, &c->own);
	is_silent = is_silence(&c->own, new_state);
	if (!is_silent && !is_noticed(&c->own, new_state))
		return;
	is_channel = c->rtt_us && !has_queue(c, c->own.former_cwnd, set->parameters[BETA]);
	if (is_silent) {
		outstanding = least(c->own.former_cwnd, tp->packets_out);
		tp->snd_ssthresh = most(outstanding / 2, 2);
	}
	if (is_channel)
		c->own.channel++;
	else
		c->own.congestion++;
	record(set, tp, is_channel ? EVENT_CHANNEL : EVENT_CONGESTION, 0);
}

SEC("struct_ops")
u32 BPF_PROG(hop_undo_cwnd, struct sock *sk)
{
	struct connection *c = kept(sk);

	return c ? undo(tcp_sk(sk), &c->own) : tcp_sk(sk)->snd_cwnd;
}

OPS(.name = "hop_veno", .init = (void *)hop_init, .ssthresh = (void *)hop_ssthresh, .cong_avoid = (void *)hop_cong_avoid,
    .set_state = (void *)hop_set_state, .pkts_acked = (void *)hop_pkts_acked,
    .undo_cwnd = (void *)hop_undo_cwnd);
