/** Whose carrier is held, by frames of others: who hears whom, at the time of each frame. */

import { rowsWithin } from '../data/blocks';
import type { FramesBlock, Hearing } from '../read/types';
import type { Scene } from './lanes';
import { lanesSeen, scale, xOf, yOf } from './layout';

/** Of each sender who hears it in a stretch of time: rows, of those alone that are wanted. */
export function hearers(
  hearing: Hearing,
  from: number,
  until: number,
  isWanted: (node: number, sender: number) => boolean,
): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (let row = 0; row < hearing.count; row++) {
    if (hearing.from[row] >= until || hearing.until[row] < from) continue;
    if (!isWanted(hearing.node[row], hearing.peer[row])) continue;
    const those = found.get(hearing.peer[row]);
    if (those) those.push(row);
    else found.set(hearing.peer[row], [row]);
  }
  return found;
}

/** Frames nearer to each other than this are one stretch: nobody could tell them apart, and boxes would be many. */
const LEAST = 0.75;
/** Of more frames than these nobody could tell whose carrier is held when. */
const MOST_FRAMES = 20_000;

/** Returns whether it is drawn: from too far it is not. */
export function carrier(
  context: CanvasRenderingContext2D,
  scene: Scene,
  blocks: readonly FramesBlock[],
): boolean {
  const { run, layout, palette } = scene;
  const { hearing } = run;
  if (!hearing) return true;
  let count = 0;
  for (const block of blocks) {
    const [first, last] = rowsWithin(block, layout.from, layout.until);
    count += last - first;
  }
  if (count > MOST_FRAMES) return false;
  const [firstLane, endLane] = lanesSeen(layout);
  const perSecond = scale(layout);
  const high = Math.max(2, layout.row * 0.1);
  const those = hearers(
    hearing,
    layout.from - 1,
    layout.until,
    (node) => node >= firstLane && node < endLane,
  );
  // Of each lane the stretch that is not drawn yet, as the next frame may make it longer.
  const begin = new Float64Array(endLane - firstLane);
  const end = new Float64Array(endLane - firstLane);
  const flush = (lane: number) =>
    context.fillRect(
      begin[lane],
      yOf(layout, firstLane + lane) + layout.row * 0.82,
      end[lane] - begin[lane],
      high,
    );
  // What is only sensed lies below what could be received.
  for (const decodes of [0, 1]) {
    context.fillStyle = decodes ? palette.decodes : palette.senses;
    begin.fill(0);
    end.fill(Number.NEGATIVE_INFINITY);
    for (const block of blocks) {
      const [first, last] = rowsWithin(block, layout.from, layout.until);
      for (let row = first; row < last; row++) {
        const from = block.from[row];
        const x = xOf(layout, from);
        const until = x + Math.max(LEAST, block.lasts[row] * perSecond);
        for (const heard of those.get(block.node[row]) ?? []) {
          if (hearing.decodes[heard] !== decodes) continue;
          if (from < hearing.from[heard] || from >= hearing.until[heard]) continue;
          const lane = hearing.node[heard] - firstLane;
          if (x > end[lane] + LEAST) {
            if (end[lane] > begin[lane]) flush(lane);
            begin[lane] = x;
          }
          end[lane] = Math.max(end[lane], until);
        }
      }
    }
    for (let lane = 0; lane < end.length; lane++) if (end[lane] > begin[lane]) flush(lane);
  }
  return true;
}
