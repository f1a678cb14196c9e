/** What led to what: events by number, and the story of each. */

import type { About, Events } from '../read/types';
import { lowerBound } from './blocks';
import { type Flows, isOf } from './flows';

const REACTIONS = new Set(['rto', 'fast_retransmit', 'resent', 'cut', 'freeze', 'thaw']);
const MOST_STEPS = 40;

export class Lineage {
  words: string[] = [''];
  /** Rows in the order of time. */
  readonly order: Uint32Array;
  private readonly times: Float64Array;
  private readonly rows = new Map<number, number>();
  private readonly packets = new Map<number, number[]>();
  private readonly followed = new Map<number, number[]>();
  private sizes?: Map<number, number>;
  private losses?: Uint32Array;
  private lossTimes?: Float64Array;

  constructor(
    readonly events: Events,
    readonly about: About,
  ) {
    const order = new Uint32Array(events.count).map((_, row) => row);
    this.order = order.sort(
      (one, other) => events.time[one] - events.time[other] || events.id[one] - events.id[other],
    );
    this.times = Float64Array.from(this.order, (row) => events.time[row]);
    for (const row of this.order) {
      this.rows.set(events.id[row], row);
      if (events.packet[row] >= 0) listed(this.packets, events.packet[row], row);
      if (events.because[row] >= 0) listed(this.followed, events.because[row], row);
    }
  }

  /** What an event led to at once. */
  followers(row: number): readonly number[] {
    return this.followed.get(this.events.id[row]) ?? [];
  }

  row(id: number): number | undefined {
    return this.rows.get(id);
  }

  word(code: number): string {
    return this.words[code] ?? '';
  }

  kind(row: number): string {
    return this.word(this.events.kind[row]);
  }

  ofPacket(packet: number): readonly number[] {
    return this.packets.get(packet) ?? [];
  }

  /** Packets that were lost, in the order of time: rows. */
  get lost(): Uint32Array {
    if (!this.losses) {
      const dropped = this.words.indexOf('dropped');
      this.losses = this.order.filter(
        (row) => this.events.kind[row] === dropped && this.events.loss[row] > 0,
      );
      this.lossTimes = Float64Array.from(this.losses, (row) => this.events.time[row]);
    }
    return this.losses;
  }

  /** The losses from a time up to another, which is not included, of some flows or of all. */
  lostWithin(from: number, until: number, flows: Flows): number[] {
    const { lost } = this;
    const rows: number[] = [];
    const end = lowerBound(this.lossTimes!, until);
    for (let place = lowerBound(this.lossTimes!, from); place < end; place++) {
      if (isOf(flows, this.events.flow[lost[place]])) rows.push(lost[place]);
    }
    return rows;
  }

  /** The next loss after a time, or the last before it. */
  nextLost(time: number, step: 1 | -1, flows: Flows): number | undefined {
    const { lost } = this;
    let place =
      step > 0 ? lowerBound(this.lossTimes!, time + 1e-9) : lowerBound(this.lossTimes!, time - 1e-9) - 1;
    for (; place >= 0 && place < lost.length; place += step) {
      if (isOf(flows, this.events.flow[lost[place]])) return lost[place];
    }
    return undefined;
  }

  /** What senders did in a stretch of time. */
  reactions(from: number, until: number, flows: Flows): number[] {
    const rows: number[] = [];
    const end = lowerBound(this.times, until);
    for (let place = lowerBound(this.times, from); place < end; place++) {
      const row = this.order[place];
      if (!REACTIONS.has(this.kind(row))) continue;
      if (isOf(flows, this.events.flow[row])) rows.push(row);
    }
    return rows;
  }

  /** The event and what led to it, the latest first, until a segment was sent again. */
  chain(row: number): number[] {
    const chain = [row];
    const seen = new Set(chain);
    let at = this.rows.get(this.events.because[row]);
    while (at !== undefined && !seen.has(at) && chain.length < MOST_STEPS) {
      chain.push(at);
      seen.add(at);
      if (this.kind(at) === 'resent') break;
      at = this.rows.get(this.events.because[at]);
    }
    return chain;
  }

  /** How a packet came to be sent. */
  sending(packet: number): number | undefined {
    return this.ofPacket(packet).find((row) => this.kind(row) === 'sent' || this.kind(row) === 'resent');
  }

  /** The length of a flow's segments, the longest. Of a file that does not say it: that is told of. */
  segmentBytes(flow: number): number {
    const known = this.events.segmentBytes[flow];
    if (known !== undefined) return Math.max(known, 1);
    if (!this.sizes) {
      this.sizes = new Map();
      const { events } = this;
      const segment = this.words.indexOf('segment');
      for (let row = 0; row < events.count; row++) {
        if (events.carries[row] !== segment || events.flow[row] < 0) continue;
        const known = this.sizes.get(events.flow[row]) ?? 1;
        this.sizes.set(events.flow[row], Math.max(known, events.bytes[row]));
      }
    }
    return this.sizes.get(flow) ?? 1;
  }
}

function listed(lists: Map<number, number[]>, key: number, row: number): void {
  const those = lists.get(key);
  if (those) those.push(row);
  else lists.set(key, [row]);
}
