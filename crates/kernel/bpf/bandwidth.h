/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The bandwidth that acknowledgements show, sampled once per round trip: Westwood+'s.
 *
 * Spec      Grieco and Mascolo 2004 §2; crates/transport/src/mechanisms/estimators/bandwidth.rs has the same
 * Deviates  whole bytes per second; a duplicate is an acknowledgement of nothing new that leaves the peer's window alone, as no
 *           hook says more
 * Holds     never divides by no time
 */
#pragma once

#include "hop.h"

enum { FILTER_PAPER = 0, FILTER_LINUX };
enum { LEAST_RTT_LIFETIME = 0, LEAST_RTT_RELEARNED };

struct bandwidth {
	u64 bytes_per_s;
	/* The first average of two. */
	u64 inner;
	u64 began_us;
	u64 bytes;
	/* Bytes that duplicates have counted, of what a later acknowledgement will report. */
	u32 accounted;
	u32 window_us;
	u32 least_rtt_us;
	u32 una;
	u32 wnd;
	bool is_stale;
	bool is_running;
	bool has_sample;
};

static __always_inline void bandwidth_begins(struct bandwidth *b, const struct tcp_sock *tp)
{
	b->una = tp->snd_una;
	b->wnd = tp->snd_wnd;
}

/* Bytes that this acknowledgement shows to have arrived: a duplicate stands for a segment, and what duplicates stood for is
 * not counted again. Linux takes away one segment more than the paper does. */
static __always_inline u32 counted(struct bandwidth *b, const struct tcp_sock *tp, u64 filter)
{
	u32 mss = tp->mss_cache, bytes = tp->snd_una - b->una;
	bool is_update = tp->snd_wnd != b->wnd;

	b->una = tp->snd_una;
	b->wnd = tp->snd_wnd;
	if (bytes == 0) {
		if (is_update)
			return 0;
		b->accounted += mss;
		return mss;
	}
	if (bytes <= mss)
		return bytes;
	if (b->accounted < bytes) {
		bytes -= b->accounted;
		b->accounted = 0;
		return bytes;
	}
	b->accounted -= filter == FILTER_LINUX ? bytes : bytes - mss;
	return mss;
}

static __always_inline void bandwidth_sample(struct bandwidth *b, u64 sample, u64 filter)
{
	if (filter == FILTER_PAPER) {
		b->bytes_per_s = (9 * b->bytes_per_s + sample) / 10;
	} else if (!b->has_sample) {
		b->inner = b->bytes_per_s = sample;
	} else {
		b->inner = (7 * b->inner + sample) / 8;
		b->bytes_per_s = (7 * b->bytes_per_s + b->inner) / 8;
	}
	b->has_sample = true;
}

static __always_inline void bandwidth_acked(struct bandwidth *b, const struct tcp_sock *tp, s32 rtt_us, u64 filter, u64 least_window_ms)
{
	u32 bytes = counted(b, tp, filter);
	u64 now = tp->tcp_mstamp, passed;

	if (rtt_us > 0) {
		b->least_rtt_us = b->is_stale || !b->least_rtt_us ? rtt_us : least(b->least_rtt_us, rtt_us);
		b->is_stale = false;
		b->window_us = rtt_us;
	}
	if (!b->is_running) {
		b->began_us = now;
		b->is_running = true;
		return;
	}
	b->bytes += bytes;
	passed = now - b->began_us;
	if (passed == 0 || passed < b->window_us || passed < least_window_ms * 1000)
		return;
	bandwidth_sample(b, b->bytes * 1000000 / passed, filter);
	b->bytes = 0;
	b->began_us = now;
}

static __always_inline void bandwidth_timeout(struct bandwidth *b, u64 least_rtt)
{
	b->is_stale = least_rtt == LEAST_RTT_RELEARNED;
}

/* What the path holds: bandwidth times the least round-trip time, in whole segments, two at least. */
static __always_inline u32 bandwidth_segments(const struct bandwidth *b, const struct tcp_sock *tp)
{
	u64 bytes = b->bytes_per_s * b->least_rtt_us / 1000000;
	u32 mss = tp->mss_cache;

	return mss ? most(bytes / mss, 2) : 2;
}
