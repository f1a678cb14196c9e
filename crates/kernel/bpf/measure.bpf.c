/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* How long the kernel's TCP computes for each connection: where its intervals begin and end.
 *
 * Spec      the kernel's tracepoints; docs/kernel-measure.md says what lies between which
 * Deviates  a kernel has no tracepoint where TCP is done with an arrival: what happens next ends it
 * Holds     nothing is changed, in sockets or packets
 */
#include "measured.h"

/* The kernel lets programs use some of its functions only if they may be taken under its licence. */
char _license[] SEC("license") = "Dual MIT/GPL";

static __noinline int enter(u32 kind, u64 sk, u64 now)
{
	struct stack *s = stack(BPF_LOCAL_STORAGE_GET_F_CREATE);
	struct tcp_sock *tp;
	struct interval *i;

	if (!s)
		return 0;
	i = entered(s, kind, sk, now);
	if (sk) {
		tp = tcp_of(sk);
		i->sent = tp->bytes_sent;
		i->retransmitted = tp->bytes_retrans;
		i->acked = tp->bytes_acked;
		i->received = tp->bytes_received;
		i->nxt = tp->snd_nxt;
		i->is_all_acked = tp->snd_una == tp->snd_nxt;
		i->state = state_of(tp);
		i->is_slow_start = is_slow_start(tp);
	}
	resume(i);
	return 0;
}

static __noinline int leave(u32 kind, u64 sk, u64 now)
{
	struct settings *set = settings();
	struct stack *s = stack(0);
	struct interval *i, *outer;

	if (!s || !set)
		return 0;
	i = left(s, kind, sk, now);
	if (!i)
		return 0;
	outer = around(s);
	if (kind == EMPTY) {
		set->last_ns = i->own_ns;
	} else if (kind == TRANSMIT && outer && outer->sk == i->sk && outer->kind < TRANSMIT) {
		outer->interrupted_ns += i->interrupted_ns;
		outer->transmit_ns += without(i->own_ns, set->empty_ns, i->pieces);
		outer->transmits++;
	} else if (sk) {
		note(i);
	}
	gone(s, i);
	return 0;
}

/* The innermost interval. */
static __always_inline struct interval *top(struct stack *s)
{
	return s && s->depth ? &s->intervals[(s->depth - 1) % DEPTH] : 0;
}

/* No tracepoint tells that an arrival is dealt with: the next thing that happens does. */
static __always_inline void end_arrival(u64 now)
{
	struct interval *i = top(stack(0));

	if (i && i->kind == RECEIVE)
		leave(RECEIVE, i->sk, now);
}

static __always_inline void know(struct sock *sk)
{
	if (!sk->__sk_common.skc_cookie.counter)
		bpf_get_socket_cookie(sk);
}

/* Before a write, as the first event to be noted may be the acknowledgement that comes within it. */
static __always_inline void know_before(struct sock *sk)
{
	u64 cookie = bpf_get_socket_cookie(sk);

	if (!bpf_map_lookup_elem(&hop_measured, &cookie))
		begun(tcp_of((u64)sk), cookie);
}

SEC("tp_btf/tcp_probe")
int BPF_PROG(hop_arrival, struct sock *sk)
{
	u64 now = bpf_ktime_get_ns();

	end_arrival(now);
	know(sk);
	enter(RECEIVE, (u64)sk, now);
	return 0;
}

SEC("tp_btf/netif_receive_skb")
int BPF_PROG(hop_next_packet)
{
	end_arrival(bpf_ktime_get_ns());
	return 0;
}

SEC("tp_btf/napi_poll")
int BPF_PROG(hop_packets_done)
{
	end_arrival(bpf_ktime_get_ns());
	return 0;
}

/* Told for each piece of a write. */
SEC("tp_btf/tcp_sendmsg_locked")
int BPF_PROG(hop_write, struct sock *sk)
{
	u64 now = bpf_ktime_get_ns();
	struct interval *i;

	end_arrival(now);
	i = top(stack(0));
	if (i && i->kind == SEND && i->sk == (u64)sk)
		return 0;
	know_before(sk);
	enter(SEND, (u64)sk, now);
	return 0;
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(hop_written, struct sock *sk)
{
	u64 now = bpf_ktime_get_ns();

	end_arrival(now);
	leave(SEND, (u64)sk, now);
	return 0;
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(hop_read)
{
	end_arrival(bpf_ktime_get_ns());
	return 0;
}

static __always_inline u64 socket_of(u64 timer)
{
	if (bpf_core_field_exists(struct sock___newer, tcp_retransmit_timer))
		return timer - bpf_core_field_offset(struct sock___newer, tcp_retransmit_timer);
	return timer - bpf_core_field_offset(struct inet_connection_sock, icsk_retransmit_timer);
}

SEC("tp_btf/timer_expire_entry")
int BPF_PROG(hop_timer, struct timer_list *timer)
{
	u64 now = bpf_ktime_get_ns();
	struct settings *set = settings();

	if (set && (u64)timer->function == set->write_timer)
		enter(TIMER, socket_of((u64)timer), now);
	return 0;
}

SEC("tp_btf/timer_expire_exit")
int BPF_PROG(hop_timer_done, struct timer_list *timer)
{
	u64 now = bpf_ktime_get_ns();
	struct interval *i = top(stack(0));

	if (i && i->kind == TIMER)
		leave(TIMER, i->sk, now);
	return 0;
}

/* The socket that a packet is of, if it is TCP's; 0: another's, or nobody's. */
static __always_inline u64 sender_of(const struct sk_buff *skb)
{
	const struct sock *sk = skb->sk;
	u32 state;

	if (!sk)
		return 0;
	state = sk->__sk_common.skc_state;
	if (state == TCP_TIME_WAIT || state == TCP_NEW_SYN_RECV || sk->sk_protocol != IPPROTO_TCP)
		return 0; /* what stands for a socket */
	return (u64)sk;
}

/* Whatever a packet needs below TCP, and each of its parts if it is cut there. */
static __always_inline void begin_transmission(const struct sk_buff *skb, u64 now)
{
	u64 sk = sender_of(skb);
	struct interval *i = top(stack(0));

	if (i ? i->kind != TRANSMIT : sk)
		enter(TRANSMIT, sk, now);
}

static __always_inline void end_transmission(u64 now)
{
	struct interval *i = top(stack(0));

	if (i && i->kind == TRANSMIT)
		leave(TRANSMIT, i->sk, now);
}

SEC("tp_btf/net_dev_queue")
int BPF_PROG(hop_transmission, struct sk_buff *skb)
{
	begin_transmission(skb, bpf_ktime_get_ns());
	return 0;
}

SEC("tp_btf/net_dev_start_xmit")
int BPF_PROG(hop_device, struct sk_buff *skb)
{
	begin_transmission(skb, bpf_ktime_get_ns());
	return 0;
}

SEC("tp_btf/qdisc_enqueue")
int BPF_PROG(hop_queued)
{
	end_transmission(bpf_ktime_get_ns());
	return 0;
}

SEC("tp_btf/net_dev_xmit")
int BPF_PROG(hop_transmitted)
{
	end_transmission(bpf_ktime_get_ns());
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(hop_softirq)
{
	u64 now = bpf_ktime_get_ns();
	struct stack *s = stack(0);

	if (s && s->depth)
		enter(SOFTIRQ, 0, now);
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(hop_softirq_done)
{
	u64 now = bpf_ktime_get_ns();

	end_arrival(now);
	leave(SOFTIRQ, 0, now);
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(hop_switch, bool is_preempted, struct task_struct *former, struct task_struct *next)
{
	u64 now = bpf_ktime_get_ns();
	struct interval *i;

	if (!is_preempted)
		end_arrival(now);
	i = top(stack(0));
	if (i)
		pause(i, now);
	i = top(bpf_task_storage_get(&hop_stacks, next, 0, 0));
	if (i)
		resume(i);
	return 0;
}

SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(hop_state, struct sock *sk, int former, int state)
{
	u64 cookie = sk->__sk_common.skc_cookie.counter, now;
	struct connection *c;

	if ((state != TCP_CLOSE && state != TCP_SYN_SENT) || sk->sk_protocol != IPPROTO_TCP)
		return 0;
	c = bpf_map_lookup_elem(&hop_measured, &cookie);
	if (!c)
		return 0;
	now = bpf_ktime_get_ns();
	bpf_spin_lock(&c->lock);
	if (state == TCP_SYN_SENT)
		begin_again(c);
	else
		spend(c, now);
	bpf_spin_unlock(&c->lock);
	if (state == TCP_SYN_SENT)
		return 0;
	bpf_ringbuf_output(&hop_closed, &cookie, sizeof(cookie), 0);
	return 0;
}

/* Two programs at one place, one after the other: nothing lies between. Attached at the beginning alone. */
static __always_inline bool is_ours(void)
{
	struct settings *set = settings();

	return set && bpf_get_current_pid_tgid() >> 32 == set->process;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(empty_begins)
{
	u64 now = bpf_ktime_get_ns();

	if (is_ours())
		enter(EMPTY, 0, now);
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(empty_ends)
{
	u64 now = bpf_ktime_get_ns();

	if (is_ours())
		leave(EMPTY, 0, now);
	return 0;
}
