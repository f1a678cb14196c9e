/** Where nodes are at a moment, and which are down. */

import type { Legs } from '../read/types';
import { lowerBound } from './blocks';

export interface Box {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

export class Tracks {
  readonly box: Box = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
  private readonly rows: number[][];
  private readonly begins: number[][];
  private readonly downs: [number, number][][];

  constructor(
    private readonly legs: Legs,
    readonly nodes: number,
  ) {
    this.rows = Array.from({ length: nodes }, () => []);
    this.downs = Array.from({ length: nodes }, () => []);
    for (let row = 0; row < legs.count; row++) {
      if (legs.down[row]) this.downs[legs.node[row]].push([legs.from[row], legs.until[row]]);
      else this.rows[legs.node[row]].push(row);
    }
    for (const rows of this.rows) rows.sort((one, other) => legs.from[one] - legs.from[other]);
    this.begins = this.rows.map((rows) => rows.map((row) => legs.from[row]));
    for (let row = 0; row < legs.count; row++) {
      if (legs.down[row]) continue;
      this.widen(legs.x[row], legs.y[row]);
      if (Number.isFinite(legs.until[row])) {
        const lasts = legs.until[row] - legs.from[row];
        this.widen(legs.x[row] + legs.vx[row] * lasts, legs.y[row] + legs.vy[row] * lasts);
      }
    }
  }

  private widen(x: number, y: number): void {
    const { box } = this;
    box.x0 = Math.min(box.x0, x);
    box.x1 = Math.max(box.x1, x);
    box.y0 = Math.min(box.y0, y);
    box.y1 = Math.max(box.y1, y);
  }

  /** x and y of each node in turn, metres. */
  at(time: number, into = new Float64Array(2 * this.nodes)): Float64Array {
    const { legs } = this;
    for (let node = 0; node < this.nodes; node++) {
      const begins = this.begins[node];
      const place = Math.max(0, lowerBound(begins, time + 1e-12) - 1);
      const row = this.rows[node][place];
      const since = Math.max(0, time - legs.from[row]);
      into[2 * node] = legs.x[row] + legs.vx[row] * since;
      into[2 * node + 1] = legs.y[row] + legs.vy[row] * since;
    }
    return into;
  }

  isDown(node: number, time: number): boolean {
    return this.downs[node].some(([from, until]) => from <= time && time < until);
  }

  /** When a node was down. */
  downOf(node: number): readonly [number, number][] {
    return this.downs[node];
  }
}
