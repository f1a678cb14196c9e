/** A lane for each node, time across: what is on the air, and what stations wait for. */

import { rowsWithin } from '../data/blocks';
import type { Chosen } from '../data/clock';
import type { Flows } from '../data/flows';
import type { Run } from '../data/run';
import { far } from './far';
import { AXIS, type Layout, labelText, lanesSeen, scale, ticks, timeOf, xOf, yOf } from './layout';
import { near, touches } from './near';
import type { Palette } from './palette';

/** More frames of the lanes in view than these are drawn as shares of time, not one by one. */
const MOST_NEAR = 5000;
/** More parts of the file than these are not gone through for each picture. */
const MOST_BLOCKS = 14;

export interface Scene {
  run: Run;
  palette: Palette;
  layout: Layout;
  chosen: Chosen | null;
  flows: Flows;
  time: number;
}

/** Draws the picture; returns what is to be said of it, such as that something is still read. */
export function drawLanes(context: CanvasRenderingContext2D, scene: Scene): string {
  const { layout, palette, run } = scene;
  context.fillStyle = palette.ground;
  context.fillRect(0, 0, layout.width, layout.height);
  const [first, end] = lanesSeen(layout);
  for (let node = first; node < end; node++) {
    if (node % 2) continue;
    context.fillStyle = palette.stripe;
    context.fillRect(layout.labels, yOf(layout, node), layout.width - layout.labels, layout.row);
  }
  const seen = run.frames.seen(layout.from, layout.until, MOST_BLOCKS);
  let count = 0;
  for (const block of seen?.blocks ?? []) {
    const [from, until] = rowsWithin(block, layout.from, layout.until);
    for (let row = from; row < until && count <= MOST_NEAR; row++)
      if (touches(layout, block, row)) count += 1;
  }
  context.save();
  context.beginPath();
  context.rect(layout.labels, AXIS, layout.width - layout.labels, layout.height - AXIS);
  context.clip();
  const isNear = seen !== null && count <= MOST_NEAR;
  let note = isNear ? near(context, scene, seen.blocks) : far(context, scene, seen);
  if (isNear && !seen.isWhole) note = 'reading …';
  drawDown(context, scene, first, end);
  context.restore();
  drawAxis(context, scene);
  drawLabels(context, scene, first, end);
  drawNow(context, scene);
  return note;
}

function drawDown(context: CanvasRenderingContext2D, scene: Scene, first: number, end: number): void {
  const { run, layout, palette } = scene;
  if (!run.tracks) return;
  context.fillStyle = palette.line;
  context.globalAlpha = 0.7;
  for (let node = first; node < end; node++) {
    for (const [from, until] of run.tracks.downOf(node)) {
      const x = xOf(layout, Math.max(from, layout.from));
      const width = xOf(layout, Math.min(until, layout.until)) - x;
      if (width > 0) context.fillRect(x, yOf(layout, node), width, layout.row);
    }
  }
  context.globalAlpha = 1;
}

function drawAxis(context: CanvasRenderingContext2D, { layout, palette, run }: Scene): void {
  context.fillStyle = palette.ground;
  context.fillRect(0, 0, layout.width, AXIS);
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'middle';
  context.textAlign = 'center';
  const room = Math.max(2, Math.floor((layout.width - layout.labels) / 90));
  const { times, digits } = ticks(layout.from, Math.min(layout.until, run.about.end_s), room);
  for (const time of times) {
    const x = Math.round(xOf(layout, time)) + 0.5;
    if (x < layout.labels) continue;
    context.strokeStyle = palette.line;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, AXIS - 5);
    context.lineTo(x, AXIS);
    context.stroke();
    context.fillStyle = palette.faint;
    context.fillText(`${time.toFixed(digits)} s`, x, AXIS / 2 - 1);
  }
  // Outside the run there is nothing.
  context.fillStyle = palette.line;
  context.globalAlpha = 0.5;
  for (const [from, until] of [
    [layout.from, 0],
    [run.about.end_s, layout.until],
  ]) {
    if (until > from) {
      const x = Math.max(layout.labels, xOf(layout, from));
      context.fillRect(x, AXIS, xOf(layout, until) - x, layout.height - AXIS);
    }
  }
  context.globalAlpha = 1;
}

function drawLabels(context: CanvasRenderingContext2D, scene: Scene, first: number, end: number): void {
  const { layout, palette, run, chosen } = scene;
  context.fillStyle = palette.ground;
  context.fillRect(0, AXIS, layout.labels, layout.height - AXIS);
  context.save();
  context.beginPath();
  context.rect(0, AXIS, layout.width, layout.height - AXIS);
  context.clip();
  context.textAlign = 'right';
  for (let node = first; node < end; node++) {
    const y = yOf(layout, node) + layout.row / 2;
    const isChosen = chosen?.kind === 'node' && chosen.id === node;
    const ends = run.about.flows.some(({ from, to }) => from === node || to === node);
    context.font = `${isChosen || ends ? '600 ' : ''}12px system-ui, sans-serif`;
    context.fillStyle = palette.text;
    const name = run.about.names[node];
    const label = name === undefined ? String(node) : labelText(layout, name);
    context.fillText(label, layout.labels - 32, y, layout.labels - 34);
    run.about.flows.forEach(({ from, to }, flow) => {
      if (from !== node && to !== node) return;
      context.fillStyle = palette.flows[Math.min(flow, palette.flows.length - 1)];
      context.font = '11px system-ui, sans-serif';
      context.textAlign = 'left';
      context.fillText(from === node ? '▶' : '◎', layout.labels - 26, y);
      context.textAlign = 'right';
    });
    if (isChosen) {
      context.fillStyle = palette.chosen;
      context.fillRect(2, yOf(layout, node) + 2, 3, layout.row - 4);
    }
  }
  context.strokeStyle = palette.line;
  context.beginPath();
  context.moveTo(layout.labels - 0.5, AXIS);
  context.lineTo(layout.labels - 0.5, layout.height);
  context.stroke();
  context.restore();
}

function drawNow(context: CanvasRenderingContext2D, { layout, palette, time }: Scene): void {
  const x = Math.round(xOf(layout, time)) + 0.5;
  context.strokeStyle = palette.now;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x, AXIS - 8);
  context.lineTo(x, layout.height);
  context.stroke();
  context.fillStyle = palette.now;
  context.beginPath();
  context.moveTo(x - 5, AXIS - 8);
  context.lineTo(x + 5, AXIS - 8);
  context.lineTo(x, AXIS - 1);
  context.fill();
}

/** The frame under a point, or the node whose label it is. */
export function hit(
  run: Run,
  layout: Layout,
  x: number,
  y: number,
): { kind: 'frame' | 'node'; id: number } | null {
  const node = Math.floor((y - AXIS + layout.scroll) / layout.row);
  if (y < AXIS || node < 0 || node >= layout.nodes) return null;
  if (x < layout.labels) return { kind: 'node', id: node };
  const time = timeOf(layout, x);
  const slack = 4 / scale(layout);
  const seen = run.frames.seen(time - slack, time + slack, MOST_BLOCKS);
  let best: { id: number; far: number } | null = null;
  for (const block of seen?.blocks ?? []) {
    const [first, end] = rowsWithin(block, time - slack, time + slack);
    for (let row = first; row < end; row++) {
      const isSender = block.node[row] === node;
      if (!isSender && block.to[row] !== node) continue;
      const until = block.from[row] + block.lasts[row];
      const outside = Math.max(block.from[row] - time, time - until, 0);
      if (outside > slack) continue;
      // A frame that a node sends comes before one that it receives.
      const far = outside + (isSender ? 0 : slack / 2);
      if (!best || far < best.far) best = { id: block.first + row, far };
    }
  }
  return best && { kind: 'frame', id: best.id };
}
