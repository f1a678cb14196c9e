/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What the programs touch of the kernel, and no more: field names alone count. Where a field lies is found when a program is
 * loaded, from the kernel's own description of its types (BTF; "compile once, run everywhere"), so that one object fits
 * every kernel that has these fields. */
#pragma once

typedef unsigned char __u8;
typedef signed char __s8;
typedef unsigned short __u16;
typedef short __s16;
typedef unsigned int __u32;
typedef int __s32;
typedef unsigned long long __u64;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __s32 s32;
typedef __u64 u64;
typedef _Bool bool;

#define true 1
#define false 0

/* Numbers of include/uapi/linux/bpf.h. */
enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_SK_STORAGE = 24,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};
enum { BPF_NOEXIST = 1 };
enum { BPF_F_NO_PREALLOC = 1 };
enum { BPF_SK_STORAGE_GET_F_CREATE = 1, BPF_LOCAL_STORAGE_GET_F_CREATE = 1 };

/* Numbers of include/net/tcp.h and include/uapi/linux/tcp.h. */
enum { TCP_CONG_NON_RESTRICTED = 1 };
enum { TCP_CA_Open = 0, TCP_CA_Disorder, TCP_CA_CWR, TCP_CA_Recovery, TCP_CA_Loss };
enum { TCP_SYN_SENT = 2, TCP_TIME_WAIT = 6, TCP_CLOSE, TCP_CLOSE_WAIT, TCP_LAST_ACK, TCP_CLOSING = 11, TCP_NEW_SYN_RECV };
enum { AF_INET6 = 10, IPPROTO_TCP = 6 };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ns_common {
	unsigned int inum;
};

struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct task_struct {
	int tgid;
};

typedef struct {
	__s64 counter;
} atomic64_t;

struct timer_list {
	void (*function)(struct timer_list *timer);
};

struct in6_addr {
	union {
		__be32 u6_addr32[4];
	} in6_u;
};

struct sock_common {
	union {
		struct {
			__be32 skc_daddr;
			__be32 skc_rcv_saddr;
		};
	};
	union {
		struct {
			__be16 skc_dport;
			__u16 skc_num;
		};
	};
	unsigned short skc_family;
	volatile unsigned char skc_state;
	possible_net_t skc_net;
	atomic64_t skc_cookie;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
};

struct sock {
	struct sock_common __sk_common;
	u16 sk_protocol;
};

/* Newer kernels have the timer of `inet_connection_sock` here. */
struct sock___newer {
	struct timer_list tcp_retransmit_timer;
};

struct sk_buff {
	struct sock *sk;
};

struct inet_sock {
	struct sock sk;
};

/* The same as an algorithm is registered with (below), to be read. */
struct tcp_congestion_ops___read {
	char name[16];
};

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	struct timer_list icsk_retransmit_timer;
	const struct tcp_congestion_ops___read *icsk_ca_ops;
	__u8 icsk_ca_state : 5;
	__u8 icsk_ca_initialized : 1;
	__u8 icsk_ca_setsockopt : 1;
	__u8 icsk_ca_dst_locked : 1;
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	u64 bytes_received;
	u64 bytes_sent;
	u64 bytes_acked;
	u64 bytes_retrans;
	u32 write_seq;
	u32 snd_wnd;
	u32 mss_cache;
	u32 snd_cwnd;
	u32 snd_ssthresh;
	u32 snd_nxt;
	u32 snd_una;
	u32 srtt_us;
	u32 packets_out;
	u32 retrans_out;
	u32 max_packets_out;
	u32 prior_cwnd;
	u64 tcp_mstamp;
	u8 repair : 1;
	u8 tcp_usec_ts : 1;
	u8 is_sack_reneg : 1;
	u8 is_cwnd_limited : 1;
};

struct ack_sample {
	u32 pkts_acked;
	s32 rtt_us;
	u32 in_flight;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__bpf_sk_storage_map {
	struct bpf_iter_meta *meta;
	struct sock *sk;
	void *value;
};

#pragma clang attribute pop

/* What an algorithm is registered with: its members are found by their names. The name comes first, so that the loader
 * knows where to write it. */
struct tcp_congestion_ops {
	char name[16];
	u32 flags;
	void (*init)(struct sock *sk);
	u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, u32 ack, u32 acked);
	void (*set_state)(struct sock *sk, u8 new_state);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	u32 (*undo_cwnd)(struct sock *sk);
};

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

static __always_inline u32 state_of(const struct tcp_sock *tp)
{
	return BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_state);
}

static __always_inline bool is_slow_start(const struct tcp_sock *tp)
{
	return tp->snd_cwnd < tp->snd_ssthresh;
}

static __always_inline u32 least(u32 a, u32 b)
{
	return a < b ? a : b;
}

static __always_inline u32 most(u32 a, u32 b)
{
	return a > b ? a : b;
}
