/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Vegas, its windows: keeps a few segments queued in the path, judged once per round trip by the rate reached and expected.
 *
 * Spec      Brakmo and Peterson 1995 §3.1 (what a loss leaves), §3.3; crates/transport/src/mechanisms/avoidance/vegas.rs,
 *           startup/vegas.rs, response/vegas.rs and engine/round.rs have the same, with the readings
 * Deviates  the earlier retransmission of §3.1 is no hook's. A segment that is lost again leaves three quarters, not half, as no hook
 *           knows of it; the kernel begins no recovery for what left before the last one, which needs no rule here then. A cut
 *           leaves whole segments. The engine's choices beside the document's (`vegas_rtt`, `vegas_pace`, ...) are left out
 * Holds     one step per round trip at most; never closes the window below two segments; duplicates leave the threshold alone
 */
#include "hop.h"

enum { ALPHA = OWN, BETA, GAMMA, RESTART };

/* Whose round it is. */
enum { NOBODY = 0, STARTUP, AVOIDANCE };

struct connection {
	struct common own;
	u64 began_us;
	u64 sum_us;
	u32 samples;
	/* A round ends when this is acknowledged. */
	u32 until;
	u32 una;
	/* Of the last acknowledgement: what it acknowledged, and whether a round ended with it. */
	u32 acked;
	u32 has_ended;
	/* The round that ended last: its mean round-trip time, the least one then, bytes that left in it. */
	u32 mean_us;
	u32 base_then_us;
	u32 sent;
	u32 base_us;
	u32 owner;
	/* Slow start: whether the last round was one that is judged, whether this one grows, what was acknowledged when it was last asked. */
	u32 is_judged;
	u32 grows;
	u32 asked;
	u32 unused;
	/* What an acknowledgement adds in this round, as windows are written. */
	u64 step;
};

KEEPS(struct connection)

SEC("struct_ops")
void BPF_PROG(hop_init, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct connection *c = begun(sk);

	if (!c)
		return;
	c->until = tp->snd_nxt;
	c->una = c->asked = tp->snd_una;
	c->began_us = tp->tcp_mstamp;
	c->base_us = tp->srtt_us >> 3; /* the handshake's */
	c->is_judged = true;
	c->owner = STARTUP;
}

static __always_inline void end_round(struct connection *c, const struct tcp_sock *tp)
{
	u32 mean_us = c->samples ? c->sum_us / c->samples : tp->tcp_mstamp - c->began_us;

	c->has_ended = true;
	c->owner = NOBODY;
	c->mean_us = mean_us;
	c->sent = tp->snd_nxt - c->until;
	if (mean_us && (!c->base_us || mean_us < c->base_us || c->sent <= tp->mss_cache))
		c->base_us = mean_us;
	c->base_then_us = c->base_us ? c->base_us : mean_us;
	c->sum_us = c->samples = 0;
	c->until = tp->snd_nxt;
	c->began_us = tp->tcp_mstamp;
}

SEC("struct_ops")
void BPF_PROG(hop_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct connection *c = kept(sk);
	s32 rtt_us = sample->rtt_us;

	if (!c)
		return;
	c->acked = tp->snd_una - c->una;
	c->una = tp->snd_una;
	c->has_ended = false;
	if ((s32)(tp->snd_una - c->until) > 0)
		end_round(c, tp);
	if (rtt_us <= 0 || !c->acked)
		return;
	c->base_us = c->base_us ? least(c->base_us, rtt_us) : rtt_us;
	c->sum_us += rtt_us;
	c->samples++;
}

/* Bytes in use of the window before this acknowledgement. */
static __always_inline u32 in_use(const struct connection *c, const struct tcp_sock *tp)
{
	return tp->snd_nxt - tp->snd_una + c->acked;
}

/* More segments than so many thousandths were queued in the round that ended: (expected - actual) BaseRTT, all times RTT. */
static __always_inline bool is_queue_above(const struct connection *c, const struct tcp_sock *tp, u64 thousandths)
{
	u64 expected = (u64)in_use(c, tp) * c->mean_us, actual = (u64)c->sent * c->base_then_us;

	return expected > actual && expected - actual > thousandths * tp->mss_cache / 1000 * c->mean_us;
}

/* At least so many. */
static __always_inline bool is_queue_from(const struct connection *c, const struct tcp_sock *tp, u64 thousandths)
{
	u64 expected = (u64)in_use(c, tp) * c->mean_us, actual = (u64)c->sent * c->base_then_us;

	return expected >= actual + thousandths * tp->mss_cache / 1000 * c->mean_us;
}

/* Whether a larger window would be of use: no more than two segments of it are not. */
static __always_inline bool fills(const struct connection *c, const struct tcp_sock *tp, u64 window)
{
	return (window >> FRACTION) * tp->mss_cache <= (u64)in_use(c, tp) + 2 * tp->mss_cache;
}

static __always_inline u64 at_least_two(u64 window)
{
	u64 two = 2 << FRACTION;

	return window > two ? window : two;
}

/* Slow start: every other round grows, and is judged. */
static __always_inline u64 start(struct tcp_sock *tp, struct connection *c, const struct settings *set, u64 window, u32 count)
{
	bool was_away = tp->snd_una - c->acked != c->asked;

	c->asked = tp->snd_una;
	if (c->has_ended) {
		c->owner = STARTUP;
		c->is_judged = !c->is_judged;
		c->grows = c->is_judged;
		if (c->is_judged && is_queue_above(c, tp, set->parameters[GAMMA])) {
			c->grows = false;
			tp->snd_ssthresh = 2;
			return at_least_two(window - window / 8);
		}
	} else if (was_away) {
		c->grows = false;
	}
	return c->grows && fills(c, tp, window) ? started(tp, window, count) : window;
}

static __always_inline u64 avoid(struct tcp_sock *tp, struct connection *c, const struct settings *set, u64 window, u32 count)
{
	u64 more;

	if (c->has_ended) {
		c->owner = AVOIDANCE;
		c->step = 0;
		if (is_queue_above(c, tp, set->parameters[BETA]))
			return at_least_two(window > 1 << FRACTION ? window - (1 << FRACTION) : 0);
		if (!is_queue_from(c, tp, set->parameters[ALPHA]))
			c->step = ((1ull << 2 * FRACTION) + window - 1) / (window ? window : 1); /* n of them are a segment, not just less */
	}
	more = c->step * count;
	if (c->owner != AVOIDANCE || !more || !fills(c, tp, window))
		return window;
	return window + (more > 1 << FRACTION ? 1 << FRACTION : more);
}

SEC("struct_ops")
void BPF_PROG(hop_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	const struct settings *set = settings();
	struct connection *c = kept(sk);
	u64 window;
	u32 count;

	if (!c || !set)
		return;
	if (!ends_recovery(tp, &c->own, ack)) {
		window = window_of(tp, &c->own);
		count = counts(set, acked);
		if (is_slow_start(tp) && (c->has_ended || c->owner == STARTUP))
			window = start(tp, c, set, window, count);
		else
			window = avoid(tp, c, set, window, count);
		set_window(tp, &c->own, window);
	}
	record(set, tp, EVENT_ACK, c->own.fraction);
}

/* The answer to duplicates; that to silence follows where silence shows. */
SEC("struct_ops")
u32 BPF_PROG(hop_ssthresh, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct connection *c = kept(sk);
	u32 left = most(tp->snd_cwnd - tp->snd_cwnd / 4, 2);

	if (tp->snd_cwnd <= 3)
		left = 2;
	return c ? cut(tp, &c->own, left, tp->snd_ssthresh) : left;
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
	if (new_state == TCP_CA_Loss && c->own.is_cut)
		c->own.target_ssthresh = most(least(c->own.former_cwnd, tp->packets_out) / 2, 2);
	blame_congestion(tp, &c->own, new_state);
	if (new_state == TCP_CA_Loss)
		set_window(tp, &c->own, set->parameters[RESTART] << FRACTION);
}

SEC("struct_ops")
u32 BPF_PROG(hop_undo_cwnd, struct sock *sk)
{
	struct connection *c = kept(sk);

	return c ? undo(tcp_sk(sk), &c->own) : tcp_sk(sk)->snd_cwnd;
}

OPS(.name = "hop_vegas", .init = (void *)hop_init, .ssthresh = (void *)hop_ssthresh, .cong_avoid = (void *)hop_cong_avoid,
    .set_state = (void *)hop_set_state, .pkts_acked = (void *)hop_pkts_acked,
    .undo_cwnd = (void *)hop_undo_cwnd);
