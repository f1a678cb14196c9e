/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Intervals between the kernel's tracepoints, one within another: how long each ran itself.
 *
 * Spec      the kernel's tracepoints as BPF programs see them (`tp_btf`)
 * Deviates  a hard interrupt is not seen, and counts as work of what it interrupts; long ones show by their length
 * Holds     each task has a stack of the intervals that it is in. Softirqs run on the stack of the task that they interrupt, and end
 *           before it goes on, so that intervals end in reverse order. An inner interval is no time of the outer one, nor is a
 *           softirq, whatever it does, nor time without a processor, nor what it takes to note all this. An interval
 *           that is not seen to end is thrown away when an outer one ends
 */
#pragma once

#include "linux.h"

/* What the intervals are of. */
enum { RECEIVE = 1, SEND, TIMER, TRANSMIT, SOFTIRQ, EMPTY };

/* Nobody computes that long without a break: the machine was doing something else. */
#define INTERRUPTED_NS 131072

struct interval {
	u64 sk;
	/* When it began to run, or to run again; 0: it stands still. */
	u64 since_ns;
	u64 own_ns;
	u64 interrupted_ns;
	/* Of the inner intervals that are the same socket's and below its TCP. */
	u64 transmit_ns;
	/* The socket's counters and state before it. */
	u64 sent;
	u64 retransmitted;
	u64 acked;
	u64 received;
	u32 kind;
	u32 pieces;
	u32 transmits;
	u32 written;
	u32 nxt;
	u32 state;
	u32 is_slow_start;
	u32 is_all_acked;
};

#define DEPTH 16

struct stack {
	u32 depth;
	struct interval intervals[DEPTH];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct stack);
} hop_stacks SEC(".maps");

static __always_inline struct stack *stack(u64 flags)
{
	return bpf_task_storage_get(&hop_stacks, bpf_get_current_task_btf(), 0, flags);
}

/* An interval may end after its socket was given back: reading is safe then, but what is read may be another socket's that got its place. */
static __always_inline struct tcp_sock *tcp_of(u64 sk)
{
	return bpf_core_cast((void *)sk, struct tcp_sock);
}

static __always_inline u32 written_of(const struct interval *i)
{
	return i->kind == SEND ? tcp_of(i->sk)->write_seq : 0;
}

/* A write copies as much at a stretch as the application gives: its bytes have a nanosecond each beside the limit. */
static __always_inline void pause(struct interval *i, u64 now)
{
	/* A softirq may have come in between the reading of the clock and this. */
	u64 piece = now > i->since_ns ? now - i->since_ns : 0;

	if (!i->since_ns)
		return;
	i->since_ns = 0;
	i->pieces++;
	if (piece >= INTERRUPTED_NS + (u32)(written_of(i) - i->written))
		i->interrupted_ns += piece;
	else
		i->own_ns += piece;
}

static __always_inline void resume(struct interval *i)
{
	i->written = written_of(i);
	i->since_ns = bpf_ktime_get_ns();
}

/* A new interval, which stands still until its first `resume`. The one that it is within stands still meanwhile. */
static __always_inline struct interval *entered(struct stack *s, u32 kind, u64 sk, u64 now)
{
	struct interval *i;

	if (s->depth >= DEPTH)
		s->depth = 0; /* ends were missed */
	if (s->depth)
		pause(&s->intervals[(s->depth - 1) % DEPTH], now);
	i = &s->intervals[s->depth % DEPTH];
	s->depth++;
	/* From here on a softirq puts its own on top. */
	barrier();
	__builtin_memset(i, 0, sizeof(*i));
	i->kind = kind;
	i->sk = sk;
	return i;
}

/* The interval that ends now, with all that its end was missed of above it gone. */
static __always_inline struct interval *left(struct stack *s, u32 kind, u64 sk, u64 now)
{
	u32 depth = s->depth;
	struct interval *i;

#pragma clang loop unroll(disable)
	for (u32 n = 0; n < DEPTH && depth; n++, depth--) {
		i = &s->intervals[(depth - 1) % DEPTH];
		if (i->kind == kind && i->sk == sk)
			break;
	}
	if (!depth)
		return 0;
	s->depth = depth;
	i = &s->intervals[(depth - 1) % DEPTH];
	pause(i, now);
	return i;
}

/* The interval around the innermost one. */
static __always_inline struct interval *around(struct stack *s)
{
	return s->depth > 1 ? &s->intervals[(s->depth - 2) % DEPTH] : 0;
}

/* What was within it goes on. */
static __always_inline void gone(struct stack *s, struct interval *i)
{
	i->since_ns = 0;
	s->depth--;
	barrier();
	if (s->depth)
		resume(&s->intervals[(s->depth - 1) % DEPTH]);
}
