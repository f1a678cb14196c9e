/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What is kept of a connection that is measured, and what an interval adds to it.
 *
 * Spec      Ghaleb-Seddik 2009 §4.3.3; crates/transport/src/function.rs has the functions
 * Deviates  the kernel does not tell one end of a connection from the other: an event is the receiver's if data has come and none was sent, or
 *           if nothing of its own is outstanding before it and none leaves because of it. There is no `path`
 * Holds     what precedes the first data waits in `OPENING` for what that shows. An interval that was interrupted is counted
 *           apart, whole. Processors that note intervals of one connection at a time, without its socket's lock, take turns
 */
#pragma once

#include "interval.h"

/* As the kernel has it: maps whose values hold one know where. */
struct bpf_spin_lock {
	u32 val;
};

/* src/linux/measured.rs has the same, and all structures below. */
enum { SLOW_START = 0, CONGESTION_AVOIDANCE, RECOVERY, TIMERS, RECEIVER, OPENING, FUNCTIONS };

/* Four to each doubling. */
#define BINS 84

struct function {
	u64 events;
	u64 cpu_ns;
	u64 transmits;
	u64 transmit_ns;
	u64 time_ns;
	u64 sent;
	u64 retransmitted;
	u64 interrupted_events;
	u64 interrupted_ns;
	u32 histogram[BINS];
};

struct connection {
	/* Since when it is in the phase that the last event left it in. */
	u64 since_ns;
	/* The socket's own counters, as they were at the last event. */
	u64 sent;
	u64 retransmitted;
	u64 acked;
	u64 received;
	u64 acked_bytes;
	u64 received_bytes;
	u64 ops;
	u32 family;
	u32 local_port;
	u32 remote_port;
	u32 network;
	u32 local[4];
	u32 remote[4];
	u32 phase;
	u32 has_data;
	/* What the first data showed the opening to be part of. */
	u32 opened_for;
	/* Of all that is written below and above. No function may be called while it is held. */
	struct bpf_spin_lock lock;
	char congestion[16];
	struct function functions[FUNCTIONS];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, u64);
	__type(value, struct connection);
} hop_measured SEC(".maps");

struct settings {
	/* What an empty interval shows, and the last one that was seen. */
	u64 empty_ns;
	u64 last_ns;
	u64 without_room;
	/* The network namespace that is measured; 0: all. */
	u64 network;
	/* Where the kernel has `tcp_write_timer`. */
	u64 write_timer;
	/* The process that looks at empty intervals. */
	u64 process;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct settings);
} hop_measure SEC(".maps");

/* What a new connection begins with: zeros, by another name, for what holds a lock cannot be copied from. */
struct zeros {
	u8 bytes[sizeof(struct connection)];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct zeros);
} hop_blank SEC(".maps");

/* Connections that found no room, as far back as is remembered. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, u64);
	__type(value, u32);
} hop_refused SEC(".maps");

/* Cookies of connections that were closed. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 18);
} hop_closed SEC(".maps");

static __always_inline struct settings *settings(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&hop_measure, &zero);
}

/* The name of its algorithm. */
struct named {
	u64 ops;
	u64 text[2];
};

static __always_inline void read_name(struct named *n, const struct connection *c, const struct tcp_sock *tp)
{
	const struct tcp_congestion_ops___read *ops = tp->inet_conn.icsk_ca_ops;

	n->ops = 0;
	if (!ops || c->ops == (u64)ops)
		return;
	n->ops = (u64)ops;
	bpf_probe_read_kernel(n->text, sizeof(n->text), ops->name);
}

/* With its lock held. */
static __always_inline void name(struct connection *c, const struct named *n)
{
	if (!n->ops)
		return;
	c->ops = n->ops;
	__builtin_memcpy(c->congestion, n->text, sizeof(c->congestion));
}

/* What a connection is, with its lock held. What it did before `i` is not measured; 0: before now. */
static __always_inline void begin(struct connection *c, const struct tcp_sock *tp, const struct interval *i, u64 now)
{
	const struct sock_common *end = &tp->inet_conn.icsk_inet.sk.__sk_common;

	c->since_ns = now;
	c->sent = i ? i->sent : tp->bytes_sent;
	c->retransmitted = i ? i->retransmitted : tp->bytes_retrans;
	c->acked = i ? i->acked : tp->bytes_acked;
	c->received = i ? i->received : tp->bytes_received;
	c->phase = OPENING;
	c->opened_for = SLOW_START;
	c->local_port = end->skc_num;
	c->remote_port = __builtin_bswap16(end->skc_dport);
	c->network = end->skc_net.net->ns.inum;
	if (end->skc_family == AF_INET6) {
#pragma unroll
		for (int n = 0; n < 4; n++) {
			c->local[n] = end->skc_v6_rcv_saddr.in6_u.u6_addr32[n];
			c->remote[n] = end->skc_v6_daddr.in6_u.u6_addr32[n];
		}
	} else {
		c->local[0] = end->skc_rcv_saddr;
		c->remote[0] = end->skc_daddr;
	}
	/* From here on others may add to it. */
	c->family = end->skc_family;
}

/* Makes room for a connection and says whether there is some: without what it is, unless another processor was quicker. */
static __always_inline struct connection *made(const struct tcp_sock *tp, u64 cookie)
{
	const struct sock_common *end = &tp->inet_conn.icsk_inet.sk.__sk_common;
	struct settings *set = settings();
	struct connection *c;
	struct zeros *blank;
	u32 zero = 0, one = 1;

	blank = bpf_map_lookup_elem(&hop_blank, &zero);
	if (!blank || !set || end->skc_state == TCP_CLOSE)
		return 0;
	if (set->network && end->skc_net.net->ns.inum != set->network)
		return 0;
	bpf_map_update_elem(&hop_measured, &cookie, blank, BPF_NOEXIST);
	c = bpf_map_lookup_elem(&hop_measured, &cookie);
	if (!c) {
		if (!bpf_map_update_elem(&hop_refused, &cookie, &one, BPF_NOEXIST))
			__sync_fetch_and_add(&set->without_room, 1);
		return 0;
	}
	return c;
}

static __noinline int begun(const struct tcp_sock *tp, u64 cookie)
{
	struct connection *c = made(tp, cookie);
	u64 now = bpf_ktime_get_ns();

	if (!c)
		return 0;
	bpf_spin_lock(&c->lock);
	if (!c->family)
		begin(c, tp, 0, now);
	bpf_spin_unlock(&c->lock);
	return 0;
}

/* Whether data has come. The kernel counts the peer's FIN for a byte. */
static __always_inline bool has_received(const struct tcp_sock *tp)
{
	u32 state = tp->inet_conn.icsk_inet.sk.__sk_common.skc_state;
	bool has_fin = state == TCP_CLOSE_WAIT || state == TCP_LAST_ACK || state == TCP_CLOSING || state == TCP_CLOSE;

	return tp->bytes_received > has_fin;
}

/* What an interval was work for (function.rs): a timer for itself; the acknowledgement that shows a loss for the repair; every other
 * event for the state that it met. */
static __always_inline u32 function_of(const struct interval *i, const struct tcp_sock *tp)
{
	bool has_come = has_received(tp);

	if (!tp->bytes_sent)
		return has_come ? RECEIVER : OPENING;
	if (i->kind != SEND && has_come && i->is_all_acked && i->nxt == tp->snd_nxt && i->sent == tp->bytes_sent)
		return RECEIVER;
	if (i->kind == TIMER)
		return TIMERS;
	if (i->state == TCP_CA_Recovery || state_of(tp) == TCP_CA_Recovery)
		return RECOVERY;
	if (i->state == TCP_CA_Loss)
		return TIMERS;
	return i->is_slow_start ? SLOW_START : CONGESTION_AVOIDANCE;
}

/* What a connection is in between events. */
static __always_inline u32 phase_of(const struct tcp_sock *tp)
{
	bool has_come = has_received(tp);
	u32 state = state_of(tp);

	if (!tp->bytes_sent)
		return has_come ? RECEIVER : OPENING;
	if (has_come && tp->snd_una == tp->snd_nxt)
		return RECEIVER;
	if (state == TCP_CA_Recovery)
		return RECOVERY;
	if (state == TCP_CA_Loss)
		return TIMERS;
	return is_slow_start(tp) ? SLOW_START : CONGESTION_AVOIDANCE;
}

static __always_inline u32 bin_of(u64 long_ns)
{
	u32 ns = long_ns >> 24 ? 1 << 24 : long_ns, power = 0;

	if (ns < 4)
		return ns;
	if (ns >> 16)
		power = 16;
	if (ns >> power >> 8)
		power += 8;
	if (ns >> power >> 4)
		power += 4;
	if (ns >> power >> 2)
		power += 2;
	if (ns >> power >> 1)
		power += 1;
	return least(4 * (power - 1) + (ns >> (power - 2) & 3), BINS - 1);
}

/* How far a counter of the socket has come since the last event. It is behind where a softirq was quicker. */
static __always_inline u64 since(u64 *last, u64 now)
{
	u64 former = *last;

	if (now <= former)
		return 0;
	*last = now;
	return now - former;
}

/* The socket begins another connection: its counters do, too. */
static __always_inline void begin_again(struct connection *c)
{
	c->sent = c->retransmitted = c->acked = c->received = 0;
}

static __always_inline u64 without(u64 ns, u64 empty_ns, u32 times)
{
	u64 empty = empty_ns * times;

	return ns > empty ? ns - empty : 0;
}

static __always_inline void count(struct function *f, const struct interval *i, u64 empty_ns)
{
	u64 own = without(i->own_ns, empty_ns, i->pieces);
	u32 bin = bin_of(own);

	if (i->interrupted_ns) {
		f->interrupted_events++;
		f->interrupted_ns += i->own_ns + i->interrupted_ns + i->transmit_ns;
		return;
	}
	if (i->kind == TRANSMIT) {
		f->transmits++;
		f->transmit_ns += own;
		return;
	}
	f->events++;
	f->cpu_ns += own;
	f->transmits += i->transmits;
	f->transmit_ns += i->transmit_ns;
	if (bin < BINS)
		f->histogram[bin]++;
}

static __always_inline struct function *at(struct connection *c, u32 which)
{
	if (which >= FUNCTIONS)
		which = OPENING;
	barrier_var(which); /* what the compiler makes of it otherwise, the kernel's verifier does not see through */
	if (which >= FUNCTIONS)
		return &c->functions[OPENING];
	return &c->functions[which];
}

/* The time until now belongs to the phase that the last event left. */
static __always_inline void spend(struct connection *c, u64 now)
{
	if (now > c->since_ns) { /* otherwise a softirq was quicker */
		at(c, c->phase)->time_ns += now - c->since_ns;
		c->since_ns = now;
	}
}

static __noinline int note(struct interval *i)
{
	u64 now = bpf_ktime_get_ns(), cookie;
	struct settings *set = settings();
	struct connection *c;
	struct tcp_sock *tp;
	struct function *f;
	struct named named;
	bool has_come;
	u32 which, phase;
	u64 empty_ns;

	if (!i || !set)
		return 0;
	tp = tcp_of(i->sk);
	cookie = tp->inet_conn.icsk_inet.sk.__sk_common.skc_cookie.counter;
	if (!cookie)
		return 0;
	c = bpf_map_lookup_elem(&hop_measured, &cookie);
	if (!c)
		c = made(tp, cookie);
	if (!c)
		return 0;
	read_name(&named, c, tp);
	which = function_of(i, tp);
	phase = phase_of(tp);
	has_come = has_received(tp);
	empty_ns = set->empty_ns;
	bpf_spin_lock(&c->lock);
	if (!c->family)
		begin(c, tp, i, now);
	name(c, &named);
	f = at(c, which);
	count(f, i, empty_ns);
	f->sent += since(&c->sent, tp->bytes_sent);
	f->retransmitted += since(&c->retransmitted, tp->bytes_retrans);
	c->acked_bytes += since(&c->acked, tp->bytes_acked);
	if (!c->has_data && (tp->bytes_sent || has_come)) {
		c->has_data = 1;
		c->opened_for = tp->bytes_sent ? SLOW_START : RECEIVER;
	}
	c->received_bytes += since(&c->received, tp->bytes_received);
	spend(c, now);
	c->phase = phase;
	bpf_spin_unlock(&c->lock);
	return 0;
}
