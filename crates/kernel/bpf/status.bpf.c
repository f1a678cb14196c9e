/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What the connections of an algorithm are like now, read by whoever asks: costs nothing while nobody does.
 *
 * Spec      the kernel's Documentation/bpf/bpf_iterators.rst
 * Deviates  nothing
 * Holds     goes through all connections of the algorithm, in whichever network namespace they are
 */
#include "hop.h"

/* src/status.rs has the same. */
struct row {
	struct common own;
	u32 family;
	u32 state;
	u32 local_port;
	u32 remote_port;
	u32 local[4];
	u32 remote[4];
	u32 cwnd;
	u32 ssthresh;
	u32 srtt_us;
	u32 mss;
	u32 outstanding;
	u32 recovery;
};

SEC("iter/bpf_sk_storage_map")
int hop_status(struct bpf_iter__bpf_sk_storage_map *ctx)
{
	struct sock *sk = ctx->sk;
	struct common *own = ctx->value;
	struct sock_common *end;
	struct tcp_sock *tp;
	struct row row = {};

	if (!sk || !own)
		return 0;
	tp = bpf_skc_to_tcp_sock(sk);
	if (!tp)
		return 0;
	end = &sk->__sk_common;
	row.own = *own;
	row.family = end->skc_family;
	row.state = end->skc_state;
	row.local_port = end->skc_num;
	row.remote_port = __builtin_bswap16(end->skc_dport);
	if (row.family == AF_INET6) {
#pragma unroll
		for (int i = 0; i < 4; i++) {
			row.local[i] = end->skc_v6_rcv_saddr.in6_u.u6_addr32[i];
			row.remote[i] = end->skc_v6_daddr.in6_u.u6_addr32[i];
		}
	} else {
		row.local[0] = end->skc_rcv_saddr;
		row.remote[0] = end->skc_daddr;
	}
	row.cwnd = tp->snd_cwnd;
	row.ssthresh = tp->snd_ssthresh;
	row.srtt_us = tp->srtt_us >> 3;
	row.mss = tp->mss_cache;
	row.outstanding = tp->packets_out;
	row.recovery = state_of(tp);
	bpf_seq_write(ctx->meta->seq, &row, sizeof(row));
	return 0;
}
