/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What all algorithms share: settings, what is kept of a connection, the recorder, and the rules of windows.
 *
 * Spec      RFC 5681 §3.1 (equations 2 to 4), as the engine has it: the threshold is half of what is outstanding
 * Deviates  unless `counting` is `acks`, which is the engine's rule, an acknowledgement of several segments counts for as many:
 *           a kernel cuts and joins segments in bursts of 64 KB, of which each is acknowledged once
 *           windows that are not used do not grow (RFC 7661), which is the kernel's rule for its own algorithms, and which the
 *           engine has where it is asked for; what is left out is the kernel's: see docs/kernel.md
 * Holds     the window has a fraction of 2^-20 segments, so that it grows as one in bytes would
 */
#pragma once

#include "linux.h"

/* The kernel lets algorithms use some of its functions only if they may be taken under its licence. */
char _license[] SEC("license") = "Dual MIT/GPL";

#define PARAMETERS 20

/* What every algorithm has for its first parameter; its own come behind. */
enum { COUNTING = 0, OWN };
enum { COUNTING_SEGMENTS = 0, COUNTING_ACKS };

/* One for all connections; the loader writes it (src/settings.rs has the same). */
struct settings {
	char name[16];
	u32 owner;
	u32 mechanism;
	u64 since_ns;
	u32 recording;
	u32 connections;
	u64 parameters[PARAMETERS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct settings);
} hop_settings SEC(".maps");

/* What every algorithm keeps of a connection, at the beginning of what it keeps (src/status.rs has the same). */
struct common {
	/* Losses put down to congestion, to the channel and to a route that broke; of them, those that silence told of. */
	u32 congestion;
	u32 channel;
	u32 route;
	u32 timeouts;
	/* Acknowledgements that opened the window, or could have. */
	u32 acks;
	/* The window as this program left it, and its fraction: another window in the socket was set by the kernel. */
	u32 cwnd;
	u32 fraction;
	/* What a loss left, until it is repaired; 0: as the kernel has it. */
	u32 target_cwnd;
	u32 target_ssthresh;
	/* The acknowledgement that ended a recovery opens no window. */
	u32 repaired_by;
	u32 is_repaired;
	/* An answer was asked for, and not yet whether silence or duplicates told of the loss. */
	u32 is_cut;
	/* Before the loss. */
	u32 former_cwnd;
	u32 former_ssthresh;
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} hop_events SEC(".maps");

/* src/record.rs has the same. */
enum { EVENT_ACK = 0, EVENT_CONGESTION, EVENT_CHANNEL, EVENT_ROUTE, EVENT_RESTORED };

struct event {
	u64 time_us;
	u32 kind;
	u32 local_port;
	u32 remote_port;
	u32 remote_v4;
	u32 una;
	u32 cwnd;
	u32 fraction;
	u32 ssthresh;
	u32 rtt_us;
	u32 state;
};

static __always_inline struct settings *settings(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&hop_settings, &zero);
}

static __always_inline struct tcp_sock *tcp_sk(const struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

static __noinline void write_event(struct tcp_sock *tp, u32 kind, u32 fraction)
{
	struct event *event = bpf_ringbuf_reserve(&hop_events, sizeof(*event), 0);
	struct sock_common *end;

	if (!event)
		return;
	end = &tp->inet_conn.icsk_inet.sk.__sk_common;
	event->time_us = tp->tcp_mstamp;
	event->kind = kind;
	event->local_port = end->skc_num;
	event->remote_port = __builtin_bswap16(end->skc_dport);
	event->remote_v4 = __builtin_bswap32(end->skc_daddr);
	event->una = tp->snd_una;
	event->cwnd = tp->snd_cwnd;
	event->fraction = fraction;
	event->ssthresh = tp->snd_ssthresh;
	event->rtt_us = tp->srtt_us >> 3;
	event->state = state_of(tp);
	bpf_ringbuf_submit(event, 0);
}

static __always_inline void record(const struct settings *set, struct tcp_sock *tp, u32 kind, u32 fraction)
{
	if (set->recording)
		write_event(tp, kind, fraction);
}

/* The kernel's rule of windows that are not used (tcp_is_cwnd_limited). */
static __always_inline bool is_used(struct tcp_sock *tp)
{
	if (BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
		return true;
	return is_slow_start(tp) && tp->snd_cwnd < 2 * tp->max_packets_out;
}

#define FRACTION 20

/* The window with its fraction. */
static __always_inline u64 window_of(const struct tcp_sock *tp, const struct common *own)
{
	u32 fraction = tp->snd_cwnd == own->cwnd ? own->fraction : 0;

	return (u64)tp->snd_cwnd << FRACTION | fraction;
}

static __always_inline void set_window(struct tcp_sock *tp, struct common *own, u64 window)
{
	own->cwnd = window >> FRACTION;
	own->fraction = window & ((1 << FRACTION) - 1);
	tp->snd_cwnd = own->cwnd;
}

/* How many acknowledgements this one counts for: as many as segments, or one whatever it acknowledges. */
static __always_inline u32 counts(const struct settings *set, u32 acked)
{
	return set->parameters[COUNTING] == COUNTING_ACKS ? 1 : acked;
}

/* A segment for each of so many acknowledgements. Of several, none goes beyond the threshold. */
static __always_inline u64 started(const struct tcp_sock *tp, u64 window, u32 count)
{
	u64 most = (u64)tp->snd_ssthresh << FRACTION, grown = window + ((u64)count << FRACTION);

	return count > 1 && grown > most ? most : grown;
}

/* A segment for a window of acknowledgements, for so many of them: a segment at most. */
static __always_inline u64 added(u64 window, u32 count)
{
	u64 more = ((u64)count << 2 * FRACTION) / (window ? window : 1);

	return window + (more > 1 << FRACTION ? 1 << FRACTION : more);
}

/* Reno's growth. */
static __always_inline u64 grown(const struct tcp_sock *tp, u64 window, u32 count)
{
	return is_slow_start(tp) ? started(tp, window, count) : added(window, count);
}

/* So many thousandths of what is outstanding, two segments at least. What limited transmit let go beyond the window does not count
 * (RFC 5681 §3.2). */
static __always_inline u32 part_of_flight(struct tcp_sock *tp, u32 thousandths)
{
	u64 flight = least(tp->snd_cwnd, tp->packets_out);

	return most(flight * thousandths / 1000, 2);
}

/* Whether this acknowledgement is the one that ended a recovery. After `settle` the kernel has made the threshold the window
 * (tcp_end_cwnd_reduction), which it need not be: so what the loss left is set once more. */
static __always_inline bool ends_recovery(struct tcp_sock *tp, struct common *own, u32 ack)
{
	bool ends = own->is_repaired && own->repaired_by == ack;

	own->acks++;
	if (ends) {
		own->is_repaired = 0;
		tp->snd_ssthresh = own->target_ssthresh;
		tp->snd_cwnd = own->cwnd;
	}
	return ends;
}

/* Before an acknowledgement opens the window: whether it may. */
static __always_inline bool may_grow(struct tcp_sock *tp, struct common *own, u32 ack)
{
	return !ends_recovery(tp, own, ack) && is_used(tp);
}

/* Notes what duplicates leave. Returns the window, for the kernel to work its way to it (RFC 6937). */
static __always_inline u32 cut(struct tcp_sock *tp, struct common *own, u32 cwnd, u32 ssthresh)
{
	own->former_cwnd = tp->snd_cwnd;
	own->former_ssthresh = tp->snd_ssthresh;
	own->target_cwnd = cwnd;
	own->target_ssthresh = ssthresh;
	own->is_cut = 1;
	return cwnd;
}

/* The kernel has found out how the loss was noticed. Returns whether it was silence, and nothing was said of that before. */
static __always_inline bool is_silence(struct common *own, u8 new_state)
{
	bool is_new = own->is_cut;

	if (new_state == TCP_CA_Loss) {
		own->target_cwnd = 0;
		own->is_cut = 0;
		own->timeouts++;
		return is_new;
	}
	return false;
}

/* Whether duplicates, or an echo of congestion, were just answered. */
static __always_inline bool is_noticed(struct common *own, u8 new_state)
{
	bool is_new = own->is_cut && (new_state == TCP_CA_Recovery || new_state == TCP_CA_CWR);

	if (is_new)
		own->is_cut = 0;
	return is_new;
}

/* The loss is repaired, and the kernel has set the window to the threshold that it was told. It says so by its state; the event
 * of it would be a hook that is called for each burst, too. */
static __always_inline void settle(struct tcp_sock *tp, struct common *own)
{
	if (!own->target_cwnd)
		return;
	tp->snd_ssthresh = own->target_ssthresh;
	set_window(tp, own, (u64)own->target_cwnd << FRACTION);
	own->target_cwnd = 0;
	own->repaired_by = tp->snd_una;
	own->is_repaired = 1;
}

/* The loss was none. */
static __always_inline u32 undo(struct tcp_sock *tp, struct common *own)
{
	own->target_cwnd = 0;
	return most(tp->snd_cwnd, tp->prior_cwnd);
}

/* Every loss is congestion. After silence the window is one segment, and the threshold is its own. */
static __always_inline void blame_congestion(struct tcp_sock *tp, struct common *own, u8 new_state)
{
	u32 ssthresh = own->target_ssthresh;
	bool is_silent = is_silence(own, new_state);
	const struct settings *set = settings();

	if (is_silent)
		tp->snd_ssthresh = ssthresh;
	if (!set || !(is_silent || is_noticed(own, new_state)))
		return;
	own->congestion++;
	record(set, tp, EVENT_CONGESTION, 0);
}

/* The map of what is kept of connections, and the one way to it. */
#define KEEPS(type_)                                                                                                             \
	struct {                                                                                                                   \
		__uint(type, BPF_MAP_TYPE_SK_STORAGE);                                                                               \
		__uint(map_flags, BPF_F_NO_PREALLOC);                                                                                \
		__type(key, int);                                                                                                    \
		__type(value, type_);                                                                                                \
	} hop_connections SEC(".maps");                                                                                            \
	static __always_inline type_ *kept(struct sock *sk)                                                                      \
	{                                                                                                                          \
		return bpf_sk_storage_get(&hop_connections, sk, 0, 0);                                                               \
	}                                                                                                                          \
	static __always_inline type_ *begun(struct sock *sk)                                                                     \
	{                                                                                                                          \
		type_ *own = bpf_sk_storage_get(&hop_connections, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);                               \
		if (own) /* another algorithm of this object may have had the connection before */                                    \
			__builtin_memset(own, 0, sizeof(*own));                                                                        \
		return own;                                                                                                          \
	}

/* The hook of growth: what follows a window by so many acknowledgements, `next_` says. */
#define GROWS(next_)                                                                                                             \
	SEC("struct_ops")                                                                                                          \
	void BPF_PROG(hop_cong_avoid, struct sock *sk, u32 ack, u32 acked)                                                         \
	{                                                                                                                          \
		struct tcp_sock *tp = tcp_sk(sk);                                                                                    \
		const struct settings *set = settings();                                                                             \
		struct connection *c = kept(sk);                                                                                     \
                                                                                                                                 \
		if (!c || !set)                                                                                                      \
			return;                                                                                                        \
		if (may_grow(tp, &c->own, ack))                                                                                      \
			set_window(tp, &c->own, next_(tp, c, set, window_of(tp, &c->own), counts(set, acked)));                        \
		record(set, tp, EVENT_ACK, c->own.fraction);                                                                         \
	}

/* Reno's growth, in a connection of any algorithm. */
#define as_reno(tp_, c_, set_, window_, count_) grown(tp_, window_, count_)

/* The hooks whose names stand for themselves. */
#define OPS(...) SEC(".struct_ops.link") struct tcp_congestion_ops hop_ops = { .flags = TCP_CONG_NON_RESTRICTED, __VA_ARGS__ }
