/** The whole run at a glance: how busy each node was, made while nothing else is asked for. */

import type { Reader } from './reader';
import { type FramesBlock, KINDS, type Overview } from './types';

const MOST_CELLS = 12_000_000;
const MOST_BINS = 4096;
/** Every so many parts of the file who draws is told how far it is. */
const TOLD_EVERY = 8;

export class Overviewer {
  private readonly overview: Overview;
  private readonly blocks: number;
  private next = 0;

  constructor(private readonly reader: Reader) {
    const { nodes, spans } = reader.about;
    const kinds = KINDS.length + 1;
    const bins = Math.max(64, Math.min(MOST_BINS, Math.floor(MOST_CELLS / Math.max(1, nodes * kinds))));
    this.blocks = spans.frames.length;
    this.overview = { bins, kinds, share: new Float32Array(nodes * bins * kinds), done: 0 };
  }

  get isDone(): boolean {
    return this.next >= this.blocks;
  }

  /** Takes the next part of the file; returns what there is to show, now and then. */
  async step(): Promise<Overview | undefined> {
    const block = (await this.reader.read('frames', this.next)) as FramesBlock;
    this.next += 1;
    add(this.overview, block, this.reader.about.end_s, this.reader.words.code('collision'));
    this.overview.done = this.next / this.blocks;
    const isTold = this.isDone || this.next % TOLD_EVERY === 1;
    return isTold ? { ...this.overview, share: this.overview.share.slice() } : undefined;
  }
}

/** Adds frames: each to the stretches of time that it was on the air in. */
export function add(overview: Overview, block: FramesBlock, end: number, collision: number): void {
  const { bins, kinds, share } = overview;
  const width = end / bins;
  for (let row = 0; row < block.count; row++) {
    const base = block.node[row] * bins;
    const from = block.from[row] / width;
    const until = Math.min(bins, (block.from[row] + block.lasts[row]) / width);
    const isLost = block.result[row] === collision;
    for (let bin = Math.floor(from); bin < until; bin++) {
      const part = Math.min(until, bin + 1) - Math.max(from, bin);
      const cell = (base + bin) * kinds;
      share[cell + block.kind[row]] += part;
      if (isLost) share[cell + kinds - 1] += part;
    }
  }
}
