/** Lanes seen from near: each frame, who receives it, and each wait. */

import { rowsWithin } from '../data/blocks';
import { isOf } from '../data/flows';
import { BACKOFF, EVERYONE, type FramesBlock, MISSED, QUEUE, RESERVED } from '../read/types';
import { carrier } from './carrier';
import type { Scene } from './lanes';
import { type Layout, lanesSeen, scale, xOf, yOf } from './layout';
import { standing } from './standing';

const NAMES = ['RTS', 'CTS', 'DATA', 'ACK', 'ALL'];
const MOST_WAIT_BLOCKS = 14;
const MOST_WAITS = 40_000;
const TOO_FAR = 'zoom in to see what stations wait for';
/** Frames of other flows, where one is chosen. */
const PALE = 0.22;

export function near(
  context: CanvasRenderingContext2D,
  scene: Scene,
  blocks: readonly FramesBlock[],
): string {
  const note = waits(context, scene);
  const isCarrierDrawn = carrier(context, scene, blocks);
  for (const block of blocks) frames(context, scene, block);
  standing(context, scene, blocks);
  return note || (isCarrierDrawn ? '' : TOO_FAR);
}

/** Whether the lane of a frame's sender or addressee can be seen. */
export function touches(layout: Layout, { node, to }: FramesBlock, row: number): boolean {
  const [first, end] = lanesSeen(layout);
  return (node[row] >= first && node[row] < end) || (to[row] >= first && to[row] < end);
}

function frames(context: CanvasRenderingContext2D, scene: Scene, block: FramesBlock): void {
  const { layout, palette, run, flows, chosen } = scene;
  const [first, end] = rowsWithin(block, layout.from, layout.until);
  const high = Math.max(6, layout.row * 0.52);
  const top = Math.max(1, layout.row * 0.08);
  const perSecond = scale(layout);
  const received = run.code('received');
  context.textBaseline = 'middle';
  for (let row = first; row < end; row++) {
    if (!touches(layout, block, row)) continue;
    const kind = block.kind[row];
    const x = xOf(layout, block.from[row]);
    const width = Math.max(1, block.lasts[row] * perSecond);
    if (x + width < 0 || x > layout.width) continue;
    const isChosen = chosen?.kind === 'frame' && chosen.id === block.first + row;
    const y = yOf(layout, block.node[row]) + top;
    const to = block.to[row];
    context.globalAlpha = isOf(flows, block.flow[row]) || isChosen ? 1 : PALE;
    if (kind !== EVERYONE) {
      const yTo = yOf(layout, to) + top;
      const isLost = block.result[row] > 0 && block.result[row] !== received;
      if (width > 5) link(context, scene, row, block, x + width / 2, y, yTo, high, isLost);
      context.fillStyle = context.strokeStyle = isLost ? palette.lost : palette.kinds[kind];
      context.lineWidth = 1;
      if (width > 3) context.strokeRect(x + 0.5, yTo + 1.5, Math.max(1, width - 1), high - 3);
      else context.fillRect(x, yTo + high * 0.35, width, high * 0.3);
      if (isLost) cross(context, x + width, yTo + high / 2, Math.min(5, high / 2), palette.lost);
      else if (block.unanswered[row])
        ring(context, x + width, yTo + high / 2, Math.min(3.5, high / 3), palette.lost);
    }
    context.fillStyle = palette.kinds[kind];
    context.fillRect(x, y, width, high);
    if (width > 34 && high >= 10) {
      context.fillStyle = palette.inks[kind];
      context.font = '10px system-ui, sans-serif';
      context.textAlign = 'left';
      const name =
        kind === 2 || kind === EVERYONE ? run.words[block.carries[row]] || NAMES[kind] : NAMES[kind];
      const room = Math.floor((width - 6) / 6);
      context.fillText(name.slice(0, room), Math.max(x, 62) + 3, y + high / 2 + 0.5);
    }
    if (isChosen) {
      context.strokeStyle = palette.chosen;
      context.lineWidth = 2;
      context.strokeRect(x - 1, y - 1, width + 2, high + 2);
    }
  }
  context.globalAlpha = 1;
}

/** From who sends to who is meant to receive. */
function link(
  context: CanvasRenderingContext2D,
  { palette }: Scene,
  row: number,
  block: FramesBlock,
  x: number,
  y: number,
  yTo: number,
  high: number,
  isLost: boolean,
): void {
  const down = yTo > y;
  context.strokeStyle = isLost ? palette.lost : palette.kinds[block.kind[row]];
  context.lineWidth = 1.25;
  context.setLineDash(isLost ? [3, 3] : []);
  context.beginPath();
  context.moveTo(x, down ? y + high : y);
  context.lineTo(x, down ? yTo : yTo + high);
  context.stroke();
  context.setLineDash([]);
}

export function cross(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  half: number,
  colour: string,
): void {
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(x - half, y - half);
  context.lineTo(x + half, y + half);
  context.moveTo(x - half, y + half);
  context.lineTo(x + half, y - half);
  context.stroke();
}

/** It came, but its addressee did not answer. */
function ring(context: CanvasRenderingContext2D, x: number, y: number, radius: number, colour: string): void {
  context.strokeStyle = colour;
  context.lineWidth = 1.75;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.stroke();
}

/** Reservations, back-off, queues, and frames for everyone that somebody missed. */
function waits(context: CanvasRenderingContext2D, scene: Scene): string {
  const { layout, palette, run } = scene;
  const seen = run.waits.seen(layout.from, layout.until, MOST_WAIT_BLOCKS);
  if (!seen) return TOO_FAR;
  const [firstLane, endLane] = lanesSeen(layout);
  const perSecond = scale(layout);
  const { row: lane } = layout;
  let count = 0;
  for (const block of seen.blocks) {
    const [first, end] = rowsWithin(block, layout.from, layout.until);
    const rows: number[] = [];
    for (let row = first; row < end; row++) {
      if (block.node[row] >= firstLane && block.node[row] < endLane) rows.push(row);
    }
    count += rows.length;
    if (count > MOST_WAITS) return TOO_FAR;
    // Queues lie below all else.
    for (const wanted of [QUEUE, RESERVED, BACKOFF, MISSED]) {
      for (const row of rows) {
        if (block.kind[row] !== wanted) continue;
        const node = block.node[row];
        const x = xOf(layout, block.from[row]);
        const width = Math.max(0.75, block.lasts[row] * perSecond);
        if (x + width < 0) continue;
        const y = yOf(layout, node);
        if (wanted === QUEUE) {
          const high = Math.min(1, 0.15 + block.amount[row] / 20) * lane * 0.6;
          context.fillStyle = palette.queue;
          context.fillRect(x, y + lane * 0.62 - high, width, high);
        } else if (wanted === RESERVED) {
          context.fillStyle = palette.reserved;
          context.fillRect(x, y + lane * 0.66, width, Math.max(2, lane * 0.12));
        } else if (wanted === BACKOFF) {
          context.fillStyle = palette.backoff;
          context.fillRect(x, y + lane * 0.66, width, Math.max(2, lane * 0.12));
          if (width > 30 && lane > 40) {
            context.fillStyle = palette.faint;
            context.font = '9px system-ui, sans-serif';
            context.textAlign = 'left';
            context.fillText(`${block.amount[row]} slots`, x + 2, y + lane * 0.57);
          }
        } else {
          cross(context, x + width, y + lane * 0.34, Math.min(4, lane / 5), palette.lost);
        }
      }
    }
  }
  return seen.isWhole ? '' : 'reading …';
}
