/** What moves on the map at a moment: frames on the air, and links that data has just gone over. */

import { rowsWithin } from '../data/blocks';
import { isOf } from '../data/flows';
import type { FramesBlock } from '../read/types';
import type { MapScene } from './map';

/** Links count as used for at least so long. */
const USED_S = 1;
const MOST_FRAMES = 30_000;
const MOST_BLOCKS = 4;

export interface OnAir {
  block: FramesBlock;
  row: number;
  /** Which part of it has been sent. */
  done: number;
}

/** Frames on the air, the latest first in each block; those of other flows as well. */
export function onAirNow({ run, time, passed }: MapScene): OnAir[] {
  const since = time - passed;
  const found: OnAir[] = [];
  for (const block of run.frames.seen(since, time, MOST_BLOCKS)?.blocks ?? []) {
    const [first, end] = rowsWithin(block, since, time + 1e-12);
    for (let row = end - 1; row >= first; row--) {
      const until = block.from[row] + block.lasts[row];
      if (until < since || (until < time && passed === 0)) continue;
      found.push({ block, row, done: partOf(time - block.from[row], block.lasts[row]) });
    }
  }
  return found;
}

/** A frame that leaves at this moment may begin a rounding later. */
const partOf = (since: number, lasts: number) => Math.max(0, Math.min(1, since / lasts));

export interface Link {
  node: number;
  to: number;
  count: number;
  flow: number;
  /** The last data frame that went over it: its number, and when it left. */
  frame: number;
  from: number;
}

/** Links that data went over a moment ago, one for each flow. */
export function linksInUse({ run, time, span, flows }: MapScene): Link[] {
  const from = time - Math.max(USED_S, span / 2);
  const received = run.code('received');
  const used = new Map<number, Link>();
  let count = 0;
  for (const block of run.frames.seen(from, time, MOST_BLOCKS)?.blocks ?? []) {
    const [first, end] = rowsWithin(block, from, time);
    count += end - first;
    if (count > MOST_FRAMES) break;
    for (let row = first; row < end; row++) {
      if (block.kind[row] !== 2 || block.result[row] !== received) continue;
      const [node, to, flow] = [block.node[row], block.to[row], block.flow[row]];
      if (!isOf(flows, flow)) continue;
      const last = { frame: block.first + row, from: block.from[row] };
      const name = (node * run.about.nodes + to) * 64 + Math.min(63, flow + 1);
      const link = used.get(name);
      if (link) Object.assign(link, last, { count: link.count + 1 });
      else used.set(name, { node, to, flow, count: 1, ...last });
    }
  }
  return [...used.values()];
}
