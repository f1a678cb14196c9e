/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* TCP-WELCOME, its windows: why a loss was, from how it was noticed and whether round-trip times were growing, and what the
 * windows are for each cause.
 *
 * Spec      Ghaleb-Seddik 2009 §5.5 to §5.7; crates/transport/src/mechanisms/diagnosis/welcome.rs, response/welcome.rs and
 *           estimators/flip_flop.rs have the same, with the readings
 * Deviates  the other half, the time-out that is kept, not doubled, and scaled, is no hook's: the kernel backs off, and
 *           after a time-out sends again all that it takes for lost, within the window that is kept here
 * Holds     only times that are no retransmission's enter (the kernel tells no others)
 */
#include "bandwidth.h"

enum {
	WINDOW_SAMPLES = OWN,
	GROWING_SAMPLES,
	LIMIT,
	EXCESS,
	SAMPLES,
	CENTRE_LINE,
	AGILE_GAIN,
	STABLE_GAIN,
	RANGE_GAIN,
	NEW_SAMPLES,
	ROUTE_WINDOW,
	ON_CHANNEL,
	ON_CONGESTION,
	FILTER,
	LEAST_WINDOW_MS,
	LEAST_RTT,
};

enum { LIMIT_PERCENT = 0, LIMIT_THREE_SIGMA };
enum { SAMPLES_TIMED = 0, SAMPLES_EVERY };
enum { CENTRE_STABLE = 0, CENTRE_AGILE };
enum { ROUTE_SCALE = 0, ROUTE_KEEP, ROUTE_HALVE };
enum { LEFT_KEEP = 0, LEFT_HALVE, LEFT_MINIMUM, LEFT_RESTART };

/* Kim and Noble's filter, in sixteenths of a microsecond. */
struct flip_flop {
	u64 agile;
	u64 stable;
	u64 centre;
	u64 range;
	u64 former;
	u64 output;
};

/* What was before a route broke, and what is measured since. */
struct restored {
	u64 sum_us;
	u32 samples;
	u32 rtt_us;
	u32 cwnd;
	u32 ssthresh;
};

struct connection {
	struct common own;
	struct bandwidth bandwidth;
	struct flip_flop filter;
	u64 beyond;
	struct restored restored;
	/* The end of the segment that is timed, one at a time. */
	u32 timed;
	u32 is_growing;
};

KEEPS(struct connection)

/* In units of which the weight of the old is so many thousandths. */
static __always_inline u64 average(u64 gain, u64 old, u64 new)
{
	return (gain * old + (1000 - gain) * new) / 1000;
}

static __always_inline u64 distance(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}

/* Takes a sample in. Returns whether it lies above the upper control limit: three sigma, of a moving range whose d2 is 1.128. */
static __always_inline bool filtered(struct flip_flop *f, const struct settings *set, u64 x)
{
	bool is_within, is_above;
	u64 limit;

	if (!f->output) {
		f->agile = f->stable = f->centre = f->former = f->output = x;
		return false;
	}
	f->range = average(set->parameters[RANGE_GAIN], f->range, distance(x, f->former));
	limit = f->range * 3000 / 1128;
	is_within = distance(x, f->centre) <= limit;
	is_above = x > f->centre + limit;
	f->agile = average(set->parameters[AGILE_GAIN], f->agile, x);
	f->stable = average(set->parameters[STABLE_GAIN], f->stable, x);
	f->output = is_within ? f->agile : f->stable;
	f->centre = set->parameters[CENTRE_LINE] == CENTRE_STABLE ? f->stable : f->agile;
	f->former = x;
	return is_above;
}

static __always_inline void take_sample(struct connection *c, const struct settings *set, u32 rtt_us)
{
	u64 x = (u64)rtt_us << 4, estimate = c->filter.output, mask = ~0ull >> (64 - set->parameters[WINDOW_SAMPLES]);
	bool is_beyond = filtered(&c->filter, set, x);

	if (set->parameters[LIMIT] == LIMIT_PERCENT)
		is_beyond = estimate && x * 100000 > estimate * (100000 + set->parameters[EXCESS]);
	c->beyond = (c->beyond << 1 | is_beyond) & mask;
	c->is_growing = __builtin_popcountll(c->beyond) > set->parameters[GROWING_SAMPLES];
}

/* The windows for the new path, once it is known. */
static __always_inline void restore(struct tcp_sock *tp, struct connection *c, const struct settings *set)
{
	struct restored *r = &c->restored;
	u64 mean = r->sum_us / (r->samples ? r->samples : 1);

	if (set->parameters[ROUTE_WINDOW] == ROUTE_SCALE && mean) {
		tp->snd_ssthresh = r->ssthresh;
		set_window(tp, &c->own, (u64)most(least((u64)r->cwnd * r->rtt_us / mean, r->ssthresh), 1) << FRACTION);
	}
	r->rtt_us = 0;
	record(set, tp, EVENT_RESTORED, 0);
}

SEC("struct_ops")
void BPF_PROG(hop_init, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct connection *c = begun(sk);

	if (!c)
		return;
	bandwidth_begins(&c->bandwidth, tp);
	c->timed = tp->snd_nxt + tp->mss_cache;
}

SEC("struct_ops")
void BPF_PROG(hop_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct tcp_sock *tp = tcp_sk(sk);
	const struct settings *set = settings();
	struct connection *c = kept(sk);
	s32 rtt_us = sample->rtt_us;
	bool is_advance, is_timed;

	if (!c || !set)
		return;
	is_advance = tp->snd_una != c->bandwidth.una;
	bandwidth_acked(&c->bandwidth, tp, rtt_us, set->parameters[FILTER], set->parameters[LEAST_WINDOW_MS]);
	if (rtt_us <= 0)
		return;
	is_timed = (s32)(tp->snd_una - c->timed) >= 0;
	if (is_timed)
		c->timed = tp->snd_nxt + tp->mss_cache;
	if (is_timed || set->parameters[SAMPLES] == SAMPLES_EVERY)
		take_sample(c, set, rtt_us);
	if (is_timed && is_advance && c->restored.rtt_us) {
		c->restored.sum_us += rtt_us;
		c->restored.samples++;
		if (c->restored.samples >= set->parameters[NEW_SAMPLES])
			restore(tp, c, set);
	}
}

GROWS(as_reno)

/* The answer to duplicates; that to silence follows where silence shows. */
SEC("struct_ops")
u32 BPF_PROG(hop_ssthresh, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	const struct settings *set = settings();
	struct connection *c = kept(sk);
	u64 left;
	u32 fit;

	if (!c || !set)
		return part_of_flight(tp, 500);
	left = set->parameters[c->is_growing ? ON_CONGESTION : ON_CHANNEL];
	fit = bandwidth_segments(&c->bandwidth, tp);
	if (left == LEFT_KEEP)
		return cut(tp, &c->own, most(tp->snd_cwnd, 1), tp->snd_ssthresh);
	if (left == LEFT_RESTART)
		return cut(tp, &c->own, 1, fit);
	if (left == LEFT_HALVE)
		fit = part_of_flight(tp, 500);
	return cut(tp, &c->own, least(tp->snd_cwnd, fit), fit);
}

static __always_inline void break_of_route(struct tcp_sock *tp, struct connection *c, const struct settings *set, bool is_new)
{
	struct restored *r = &c->restored;

	if (is_new && !r->rtt_us) {
		r->cwnd = c->own.former_cwnd;
		if (set->parameters[ROUTE_WINDOW] == ROUTE_HALVE)
			r->cwnd = most(r->cwnd / 2, 1);
		r->rtt_us = most(tp->srtt_us >> 3, 1);
	}
	r->ssthresh = bandwidth_segments(&c->bandwidth, tp);
	r->sum_us = r->samples = 0;
	tp->snd_ssthresh = r->ssthresh;
	set_window(tp, &c->own, (u64)most(r->cwnd, 1) << FRACTION);
	c->own.route++;
	record(set, tp, EVENT_ROUTE, 0);
}

static __always_inline void silence(struct tcp_sock *tp, struct connection *c, const struct settings *set, bool is_new)
{
	u64 left = set->parameters[ON_CONGESTION];

	c->timed = tp->snd_nxt + tp->mss_cache;
	if (!c->is_growing && (is_new || c->restored.rtt_us))
		return break_of_route(tp, c, set, is_new);
	bandwidth_timeout(&c->bandwidth, set->parameters[LEAST_RTT]);
	if (!is_new)
		return;
	c->restored.rtt_us = 0;
	if (left == LEFT_KEEP)
		tp->snd_ssthresh = c->own.former_ssthresh;
	else if (left == LEFT_HALVE)
		tp->snd_ssthresh = most(least(c->own.former_cwnd, tp->packets_out) / 2, 2);
	else
		tp->snd_ssthresh = bandwidth_segments(&c->bandwidth, tp);
	c->own.congestion++;
	record(set, tp, EVENT_CONGESTION, 0);
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
		return silence(tp, c, set, is_silence(&c->own, new_state));
	if (!is_noticed(&c->own, new_state))
		return;
	c->timed = tp->snd_nxt + tp->mss_cache;
	c->restored.rtt_us = 0;
	if (c->is_growing || new_state == TCP_CA_CWR)
		c->own.congestion++;
	else
		c->own.channel++;
	record(set, tp, c->is_growing ? EVENT_CONGESTION : EVENT_CHANNEL, 0);
}

SEC("struct_ops")
u32 BPF_PROG(hop_undo_cwnd, struct sock *sk)
{
	struct connection *c = kept(sk);

	return c ? undo(tcp_sk(sk), &c->own) : tcp_sk(sk)->snd_cwnd;
}

OPS(.name = "hop_welcome", .init = (void *)hop_init, .ssthresh = (void *)hop_ssthresh, .cong_avoid = (void *)hop_cong_avoid,
    .set_state = (void *)hop_set_state, .pkts_acked = (void *)hop_pkts_acked,
    .undo_cwnd = (void *)hop_undo_cwnd);
