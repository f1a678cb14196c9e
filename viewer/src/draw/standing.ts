/** What stood in the way of what is chosen: those frames, framed, and a line from one to the other. */

import { rowsWithin } from '../data/blocks';
import type { FramesBlock } from '../read/types';
import type { Scene } from './lanes';
import { scale, xOf, yOf } from './layout';

/** Frames whose times lineage tells are found within so much of them: the page rounds to microseconds. */
const NEAR_S = 2e-6;

export function standing(
  context: CanvasRenderingContext2D,
  scene: Scene,
  blocks: readonly FramesBlock[],
): void {
  for (const [spoilt, by] of pairs(scene, blocks)) {
    if (by) outline(context, scene, by);
    if (spoilt) outline(context, scene, spoilt);
    if (spoilt && by) connect(context, scene, by, spoilt);
  }
}

type Place = { node: number; from: number; lasts: number };

/** What was spoilt, and by what, as far as it is in the picture. */
function pairs(scene: Scene, blocks: readonly FramesBlock[]): [Place | null, Place | null][] {
  const { chosen, run } = scene;
  if (chosen?.kind === 'frame') {
    const spoilt = numbered(blocks, chosen.id);
    const block = blocks.find(({ first, count }) => chosen.id >= first && chosen.id < first + count);
    const by =
      block && block.by[chosen.id - block.first] >= 0
        ? numbered(blocks, block.by[chosen.id - block.first])
        : null;
    return by ? [[spoilt, by]] : [];
  }
  const { lineage } = run;
  if (chosen?.kind !== 'event' || !lineage) return [];
  const row = lineage.row(chosen.id);
  if (row === undefined) return [];
  const { events } = lineage;
  return lineage
    .chain(row)
    .filter((step) => lineage.kind(step) === 'try' && events.cause[step] > 0)
    .map((step) => [
      timed(scene, blocks, events.node[step], events.time[step]),
      events.byNode[step] < 0 ? null : timed(scene, blocks, events.byNode[step], events.byTime[step]),
    ]);
}

function place(block: FramesBlock, row: number): Place {
  return { node: block.node[row], from: block.from[row], lasts: block.lasts[row] };
}

function numbered(blocks: readonly FramesBlock[], frame: number): Place | null {
  const block = blocks.find(({ first, count }) => frame >= first && frame < first + count);
  return block ? place(block, frame - block.first) : null;
}

/** The frame that a node sent at a time. */
function timed({ layout }: Scene, blocks: readonly FramesBlock[], node: number, time: number): Place | null {
  if (time < layout.from - 1 || time > layout.until) return null;
  for (const block of blocks) {
    const [first, end] = rowsWithin(block, time - NEAR_S, time + NEAR_S);
    for (let row = first; row < end; row++) {
      if (block.node[row] === node && Math.abs(block.from[row] - time) < NEAR_S) return place(block, row);
    }
  }
  return null;
}

function outline(context: CanvasRenderingContext2D, { layout, palette }: Scene, at: Place): void {
  const x = xOf(layout, at.from);
  const high = Math.max(6, layout.row * 0.52);
  context.strokeStyle = palette.lost;
  context.lineWidth = 3;
  context.strokeRect(
    x - 1.5,
    yOf(layout, at.node) + layout.row * 0.08 - 1.5,
    at.lasts * scale(layout) + 3,
    high + 3,
  );
}

function connect(
  context: CanvasRenderingContext2D,
  { layout, palette }: Scene,
  by: Place,
  spoilt: Place,
): void {
  const middle = layout.row * 0.34;
  const x = (at: Place) => xOf(layout, at.from) + (at.lasts * scale(layout)) / 2;
  context.strokeStyle = palette.lost;
  context.lineWidth = 2;
  context.setLineDash([2, 4]);
  context.beginPath();
  context.moveTo(x(by), yOf(layout, by.node) + middle);
  context.lineTo(x(spoilt), yOf(layout, spoilt.node) + middle);
  context.stroke();
  context.setLineDash([]);
}
