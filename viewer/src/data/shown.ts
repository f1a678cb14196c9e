/** What of a run lies in a stretch of time: the numbers below the picture, and what tests ask for. */

import { EVERYONE, MISSED } from '../read/types';
import { rowsWithin } from './blocks';
import { type Flows, isOf } from './flows';
import type { Run } from './run';

export interface Collided {
  frame: number;
  node: number;
  to: number;
  kind: number;
  packet: number;
  tries: number;
  time: number;
}
export interface Missed {
  frame: number;
  node: number;
}
export interface Shown {
  frames: number;
  collided: Collided[];
  missed: Missed[];
  losses: number[];
  isWhole: boolean;
}

/** More parts than these are not counted through for each picture. */
const MOST_BLOCKS = 24;

/** Frames that left, and packets that were lost, from a time up to another, which is not included. */
export function shown(run: Run, from: number, until: number, flows: Flows): Shown | null {
  const frames = run.frames.seen(from, until, MOST_BLOCKS);
  const waits = run.waits.seen(from, until, MOST_BLOCKS);
  if (!frames || !waits) return null;
  const collision = run.code('collision');
  const found: Shown = {
    ...{ frames: 0, collided: [], missed: [] },
    losses: run.lineage?.lostWithin(from, until, flows) ?? [],
    isWhole: frames.isWhole && waits.isWhole,
  };
  for (const block of frames.blocks) {
    const [first, end] = rowsWithin(block, from, until);
    for (let row = first; row < end; row++) {
      if (block.from[row] < from || !isOf(flows, block.flow[row])) continue;
      found.frames += 1;
      if (collision < 0 || block.result[row] !== collision || block.kind[row] === EVERYONE) continue;
      found.collided.push({
        ...{ frame: block.first + row, node: block.node[row], to: block.to[row], kind: block.kind[row] },
        ...{ packet: block.packet[row], tries: block.tries[row], time: block.from[row] },
      });
    }
  }
  for (const block of waits.blocks) {
    const [first, end] = rowsWithin(block, from, until);
    for (let row = first; row < end; row++) {
      if (block.kind[row] !== MISSED || block.from[row] < from || flows !== null) continue;
      if (block.cause[row] === collision)
        found.missed.push({ frame: block.frame[row], node: block.node[row] });
    }
  }
  return found;
}
