/** Whose carrier is held, by frames of others: who hears whom, at the time of each frame. */

import { rowsWithin } from '../data/blocks';
import type { FramesBlock, Hearing } from '../read/types';
import type { Scene } from './lanes';
import { lanesSeen, scale, xOf, yOf } from './layout';

/** Of each sender who hears it in a stretch of time: rows. */
export function hearers(hearing: Hearing, from: number, until: number): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (let row = 0; row < hearing.count; row++) {
    if (hearing.from[row] >= until || hearing.until[row] < from) continue;
    const those = found.get(hearing.peer[row]);
    if (those) those.push(row);
    else found.set(hearing.peer[row], [row]);
  }
  return found;
}

export function carrier(
  context: CanvasRenderingContext2D,
  scene: Scene,
  blocks: readonly FramesBlock[],
): void {
  const { run, layout, palette } = scene;
  const { hearing } = run;
  if (!hearing) return;
  const [firstLane, endLane] = lanesSeen(layout);
  const perSecond = scale(layout);
  const high = Math.max(2, layout.row * 0.1);
  const those = hearers(hearing, layout.from - 1, layout.until);
  // What is only sensed lies below what could be received.
  for (const decodes of [0, 1]) {
    context.fillStyle = decodes ? palette.decodes : palette.senses;
    for (const block of blocks) {
      const [first, end] = rowsWithin(block, layout.from, layout.until);
      for (let row = first; row < end; row++) {
        const from = block.from[row];
        const x = xOf(layout, from);
        const width = Math.max(0.75, block.lasts[row] * perSecond);
        for (const heard of those.get(block.node[row]) ?? []) {
          const node = hearing.node[heard];
          if (hearing.decodes[heard] !== decodes || node < firstLane || node >= endLane) continue;
          if (from < hearing.from[heard] || from >= hearing.until[heard]) continue;
          context.fillRect(x, yOf(layout, node) + layout.row * 0.82, width, high);
        }
      }
    }
  }
}
