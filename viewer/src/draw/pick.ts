/** What lies under a point of the map: a node, a frame on the air, or the last frame of a link in use. */

import type { Chosen } from '../data/clock';
import { isOf } from '../data/flows';
import { ends, type MapScene, sideways, viewOf } from './map';
import { linksInUse, onAirNow } from './traffic';

/** How near a click must be, pixels: to be surely about a node, about a node, and about a line. */
const ON_NODE = 11;
const NEAR_NODE = 16;
const NEAR_LINE = 7;

/** With the time at which the frame left. */
export type Picked = Omit<Chosen, 'run'> & { from?: number };

export function pick(scene: MapScene, x: number, y: number): Picked | null {
  const view = viewOf(scene);
  if (!view || !scene.run.tracks) return null;
  const places = scene.run.tracks.at(scene.time);
  const node = nearestNode(scene, places, x, y);
  if (node && node.away < ON_NODE) return { kind: 'node', id: node.id };
  let best: Picked | null = null;
  let nearest = NEAR_LINE;
  const offer = (away: number, id: number, from: number) => {
    if (away >= nearest) return;
    nearest = away;
    best = { kind: 'frame', id, from };
  };
  for (const { block, row, done } of onAirNow(scene)) {
    if (!isOf(scene.flows, block.flow[row])) continue;
    const [id, from] = [block.first + row, block.from[row]];
    const [x0, y0, x1, y1] = ends(view, places, block.node[row], Math.max(0, block.to[row]));
    if (block.to[row] >= 0) offer(toSegment(x, y, x0, y0, x1, y1), id, from);
    // The ring is what there is to be seen of a frame for everyone.
    else
      offer(Math.abs(Math.hypot(x - x0, y - y0) - scene.run.about.reception_m * view.scale * done), id, from);
  }
  // Frames that fly lie above the links that they fly over.
  if (!best) {
    for (const link of linksInUse(scene)) {
      const line = sideways(ends(view, places, link.node, link.to));
      offer(toSegment(x, y, line[0], line[1], line[2], line[3]), link.frame, link.from);
    }
  }
  if (best) return best;
  return node && node.away < NEAR_NODE ? { kind: 'node', id: node.id } : null;
}

function nearestNode(
  scene: MapScene,
  places: Float64Array,
  x: number,
  y: number,
): { id: number; away: number } | null {
  const view = viewOf(scene)!;
  let best: { id: number; away: number } | null = null;
  for (let id = 0; id < scene.run.about.nodes; id++) {
    const away = Math.hypot(view.x(places[2 * id]) - x, view.y(places[2 * id + 1]) - y);
    if (!best || away < best.away) best = { id, away };
  }
  return best;
}

/** How far a point is from a line between two others. */
export function toSegment(x: number, y: number, x0: number, y0: number, x1: number, y1: number): number {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const part = Math.max(0, Math.min(1, ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - x0 - part * dx, y - y0 - part * dy);
}
