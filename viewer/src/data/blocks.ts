/** Parts of a large file: those that are looked at are read, the others go when there are too many. */

import type { Span } from '../read/types';

export interface Timed {
  count: number;
  from: Float64Array;
  lasts: Float32Array;
  longest: number;
}

export class Blocks<B extends Timed> {
  private readonly held = new Map<number, B>();
  private readonly coming = new Map<number, Promise<B>>();

  constructor(
    readonly spans: readonly Span[],
    private readonly most: number,
    private readonly read: (block: number) => Promise<B>,
    private readonly changed: () => void,
  ) {}

  /** The parts that have rows in a stretch of time. */
  within(from: number, until: number): number[] {
    const found: number[] = [];
    this.spans.forEach(([first, last], place) => {
      if (first <= until && last >= from && last > first) found.push(place);
    });
    return found;
  }

  /** Those of them that are there; the others are asked for. Null if they are more than `most`. */
  seen(from: number, until: number, most: number): { blocks: B[]; isWhole: boolean } | null {
    const places = this.within(from, until);
    if (places.length > most) return null;
    const blocks: B[] = [];
    for (const place of places) {
      const block = this.held.get(place);
      if (block) {
        blocks.push(block);
        // The last one that was looked at goes last.
        this.held.delete(place);
        this.held.set(place, block);
      } else {
        this.wait(place).catch(() => undefined);
      }
    }
    return { blocks, isWhole: blocks.length === places.length };
  }

  wait(place: number): Promise<B> {
    const there = this.held.get(place);
    if (there) return Promise.resolve(there);
    let coming = this.coming.get(place);
    if (!coming) {
      coming = this.read(place).then((block) => {
        this.coming.delete(place);
        this.held.set(place, block);
        for (const oldest of this.held.keys()) {
          if (this.held.size <= this.most) break;
          this.held.delete(oldest);
        }
        this.changed();
        return block;
      });
      this.coming.set(place, coming);
    }
    return coming;
  }
}

/** The first row that begins at a time or later. */
export function lowerBound(times: ArrayLike<number>, time: number, count = times.length): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The rows that may last into a stretch of time: from the first up to the second. */
export function rowsWithin(block: Timed, from: number, until: number): [number, number] {
  return [
    lowerBound(block.from, from - block.longest, block.count),
    lowerBound(block.from, until, block.count),
  ];
}
