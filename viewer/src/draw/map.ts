/** The map: where nodes are, which links are used, and what is on the air. */

import type { Chosen } from '../data/clock';
import { type Flows, isOf } from '../data/flows';
import { nodeText } from '../data/nodes';
import type { Run } from '../data/run';
import type { FramesBlock } from '../read/types';
import { hearers } from './carrier';
import { cross } from './near';
import type { Palette } from './palette';
import { linksInUse, onAirNow } from './traffic';

export interface MapScene {
  run: Run;
  palette: Palette;
  width: number;
  height: number;
  chosen: Chosen | null;
  flows: Flows;
  time: number;
  span: number;
  /** How much time has passed since the picture before, while the clock runs. */
  passed: number;
  zoom: { factor: number; x: number; y: number };
}

const EDGE = 34;
const MOST_BLOCKS = 4;
const MOST_ON_AIR = 400;

export interface View {
  x: (metres: number) => number;
  y: (metres: number) => number;
  scale: number;
}

export function viewOf(scene: Pick<MapScene, 'run' | 'width' | 'height' | 'zoom'>): View | null {
  const box = scene.run.tracks?.box;
  if (!box) return null;
  const [wide, high] = [Math.max(1, box.x1 - box.x0), Math.max(1, box.y1 - box.y0)];
  const fit = Math.min((scene.width - 2 * EDGE) / wide, (scene.height - 2 * EDGE) / high);
  const scale = Math.max(1e-6, fit) * scene.zoom.factor;
  const [middleX, middleY] = [(box.x0 + box.x1) / 2 + scene.zoom.x, (box.y0 + box.y1) / 2 + scene.zoom.y];
  return {
    scale,
    x: (metres) => scene.width / 2 + (metres - middleX) * scale,
    // North is up.
    y: (metres) => scene.height / 2 - (metres - middleY) * scale,
  };
}

export function drawMap(context: CanvasRenderingContext2D, scene: MapScene): void {
  const { palette, run } = scene;
  context.fillStyle = palette.ground;
  context.fillRect(0, 0, scene.width, scene.height);
  const view = viewOf(scene);
  if (!view || !run.tracks) return;
  const places = run.tracks.at(scene.time);
  // About so many are in view; from near there is room for their names.
  const seen = run.about.nodes / scene.zoom.factor ** 2;
  const size = seen > 200 ? 4 : seen > 60 ? 7 : 10;
  ruler(context, scene, view);
  ranges(context, scene, view, places);
  links(context, scene, view, places);
  const senders = onAir(context, scene, view, places);
  nodes(context, scene, view, places, senders, size);
}

function ruler(context: CanvasRenderingContext2D, scene: MapScene, view: View): void {
  const metres =
    [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 1e4].find((m) => m * view.scale > 60) ?? 1e4;
  const y = scene.height - 12;
  context.strokeStyle = context.fillStyle = scene.palette.faint;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(12.5, y - 4);
  context.lineTo(12.5, y + 0.5);
  context.lineTo(12.5 + metres * view.scale, y + 0.5);
  context.lineTo(12.5 + metres * view.scale, y - 4);
  context.stroke();
  context.font = '11px system-ui, sans-serif';
  context.textAlign = 'left';
  context.textBaseline = 'bottom';
  context.fillText(`${metres} m`, 18, y - 1);
}

/** How far the chosen node reaches, and is sensed. */
function ranges(context: CanvasRenderingContext2D, scene: MapScene, view: View, places: Float64Array): void {
  if (scene.chosen?.kind !== 'node') return;
  const node = scene.chosen.id;
  context.strokeStyle = scene.palette.faint;
  context.lineWidth = 1;
  for (const [metres, dash] of [
    [scene.run.about.reception_m, []],
    [scene.run.about.sensing_m, [4, 4]],
  ] as const) {
    context.setLineDash([...dash]);
    context.beginPath();
    context.arc(view.x(places[2 * node]), view.y(places[2 * node + 1]), metres * view.scale, 0, 2 * Math.PI);
    context.stroke();
  }
  context.setLineDash([]);
}

/** Links that data went over a moment ago: as wide as they are used, in the colour of the flow. */
function links(context: CanvasRenderingContext2D, scene: MapScene, view: View, places: Float64Array): void {
  const { palette } = scene;
  const used = linksInUse(scene);
  const most = Math.max(1, ...used.map((link) => link.count));
  for (const link of used) {
    const [x0, y0, x1, y1] = sideways(ends(view, places, link.node, link.to));
    context.strokeStyle =
      link.flow < 0 ? palette.faint : palette.flows[Math.min(link.flow, palette.flows.length - 1)];
    context.globalAlpha = 0.55;
    context.lineWidth = 1.5 + 3.5 * Math.sqrt(link.count / most);
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
  }
  context.globalAlpha = 1;
}

/** The two directions of a link lie beside each other. */
export function sideways([x0, y0, x1, y1]: number[]): number[] {
  const away = Math.hypot(x1 - x0, y1 - y0) || 1;
  const [dx, dy] = [(-(y1 - y0) / away) * 3, ((x1 - x0) / away) * 3];
  return [x0 + dx, y0 + dy, x1 + dx, y1 + dy];
}

export const ends = (view: View, places: Float64Array, node: number, to: number) => [
  view.x(places[2 * node]),
  view.y(places[2 * node + 1]),
  view.x(places[2 * to]),
  view.y(places[2 * to + 1]),
];

/** Frames as they fly; returns who sends, and what. */
function onAir(
  context: CanvasRenderingContext2D,
  scene: MapScene,
  view: View,
  places: Float64Array,
): Map<number, number> {
  const { run, time, palette, chosen, flows } = scene;
  const senders = new Map<number, number>();
  let drawn = 0;
  for (const { block, row, done } of onAirNow(scene)) {
    if (block.from[row] + block.lasts[row] >= time) senders.set(block.node[row], block.kind[row]);
    if (!isOf(flows, block.flow[row]) || ++drawn > MOST_ON_AIR) continue;
    flying(context, scene, view, places, block, row, done);
  }
  if (chosen?.kind === 'frame') {
    const near = run.frames.seen(time - scene.passed, time, MOST_BLOCKS);
    const block = near?.blocks.find((each) => chosen.id >= each.first && chosen.id < each.first + each.count);
    const by = block ? block.by[chosen.id - block.first] : -1;
    if (block && by >= block.first) {
      const other = block.node[by - block.first];
      context.strokeStyle = palette.lost;
      context.lineWidth = 3;
      context.beginPath();
      context.arc(view.x(places[2 * other]), view.y(places[2 * other + 1]), 15, 0, 2 * Math.PI);
      context.stroke();
    }
  }
  return senders;
}

function flying(
  context: CanvasRenderingContext2D,
  scene: MapScene,
  view: View,
  places: Float64Array,
  block: FramesBlock,
  row: number,
  done: number,
): void {
  const { run, palette, chosen } = scene;
  const node = block.node[row];
  const colour = palette.kinds[block.kind[row]];
  const [x, y] = [view.x(places[2 * node]), view.y(places[2 * node + 1])];
  const radius = run.about.reception_m * view.scale;
  context.fillStyle = context.strokeStyle = colour;
  context.globalAlpha = palette.isDark ? 0.13 : 0.1;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
  context.globalAlpha = 0.7;
  context.lineWidth = 1;
  context.beginPath();
  context.arc(x, y, radius * done, 0, 2 * Math.PI);
  context.stroke();
  context.globalAlpha = 1;
  const to = block.to[row];
  if (to < 0) return;
  const [, , x1, y1] = ends(view, places, node, to);
  const isLost = block.result[row] > 0 && block.result[row] !== run.code('received');
  const isChosen = chosen?.kind === 'frame' && chosen.id === block.first + row;
  context.strokeStyle = isLost ? palette.lost : colour;
  context.lineWidth = isChosen ? 4 : 2.5;
  context.setLineDash(isLost ? [5, 4] : []);
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x1, y1);
  context.stroke();
  context.setLineDash([]);
  context.beginPath();
  context.arc(x + (x1 - x) * done, y + (y1 - y) * done, 4.5, 0, 2 * Math.PI);
  context.fill();
  if (isLost) cross(context, x1, y1, 8, palette.lost);
}

function nodes(
  context: CanvasRenderingContext2D,
  scene: MapScene,
  view: View,
  places: Float64Array,
  senders: Map<number, number>,
  size: number,
): void {
  const { run, palette, chosen, time } = scene;
  const busy = new Map<number, number>();
  if (run.hearing && senders.size > 0) {
    const those = hearers(run.hearing, time, time + 1e-9, (_, sender) => senders.has(sender));
    for (const sender of senders.keys()) {
      for (const row of those.get(sender) ?? []) {
        const node = run.hearing.node[row];
        busy.set(node, Math.max(busy.get(node) ?? 0, run.hearing.decodes[row]));
      }
    }
  }
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.font = `${size >= 10 ? 11 : 8}px system-ui, sans-serif`;
  for (let node = 0; node < run.about.nodes; node++) {
    const [x, y] = [view.x(places[2 * node]), view.y(places[2 * node + 1])];
    if (x < -20 || y < -20 || x > scene.width + 20 || y > scene.height + 20) continue;
    const isDown = run.tracks!.isDown(node, time);
    const kind = senders.get(node);
    context.globalAlpha = isDown ? 0.35 : 1;
    context.fillStyle = kind === undefined ? palette.ground : palette.kinds[kind];
    context.strokeStyle = kind === undefined ? palette.text : palette.kinds[kind];
    if (kind === undefined && busy.has(node)) {
      context.fillStyle = busy.get(node) ? palette.decodes : palette.senses;
    }
    context.lineWidth = 1.5;
    context.beginPath();
    context.arc(x, y, size, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
    if (size >= 7) {
      const isFull = busy.get(node) === 1 && kind === undefined;
      context.fillStyle = kind !== undefined ? palette.inks[kind] : isFull ? palette.ground : palette.text;
      if (run.about.names.length === 0) context.fillText(String(node), x, y + 0.5);
      else {
        context.fillStyle = palette.text;
        context.fillText(nodeText(run.about, node), x, y + size + 8);
      }
    }
    if (isDown) cross(context, x, y, size, palette.faint);
    if (chosen?.kind === 'node' && chosen.id === node) {
      context.strokeStyle = palette.chosen;
      context.lineWidth = 2.5;
      context.beginPath();
      context.arc(x, y, size + 3.5, 0, 2 * Math.PI);
      context.stroke();
    }
    context.globalAlpha = 1;
  }
}
