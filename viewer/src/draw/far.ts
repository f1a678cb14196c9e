/** Lanes seen from afar: how much of each column of pixels a node was on the air, by kind of frame. */

import { rowsWithin } from '../data/blocks';
import { isOf } from '../data/flows';
import { BACKOFF, type FramesBlock, KINDS, RESERVED } from '../read/types';
import type { Scene } from './lanes';
import { AXIS, type Layout, lanesSeen, timeOf, yOf } from './layout';
import { type Palette, packed } from './palette';

const SORTS = KINDS.length + 1;
const LOST = SORTS - 1;
const MOST_WAIT_BLOCKS = 4;
/** Less than a pixel's height of use is seen all the same. */
const LEAST = 1;

interface Columns {
  width: number;
  first: number;
  end: number;
  /** By lane, column and kind. */
  share: Float32Array;
}

/** `seen`: the frames, if they are few enough to be gone through. */
export function far(
  context: CanvasRenderingContext2D,
  scene: Scene,
  seen: { blocks: FramesBlock[]; isWhole: boolean } | null,
): string {
  const { layout, run } = scene;
  const [first, end] = lanesSeen(layout);
  const width = Math.max(1, Math.floor(layout.width - layout.labels));
  const columns: Columns = { width, first, end, share: new Float32Array((end - first) * width * SORTS) };
  let note = '';
  const isEnough = run.overview?.done === 1 && scene.flows === null && isFine(scene, width);
  const useOverview = seen === null || isEnough || (!seen.isWhole && run.overview !== undefined);
  if (useOverview && run.overview) {
    fromOverview(columns, scene);
    if (run.overview.done < 1) note = `reading the run: ${Math.floor(100 * run.overview.done)} %`;
    else if (scene.flows !== null) note = 'all flows: zoom in to see those chosen alone';
  } else if (seen) {
    for (const block of seen.blocks) fromFrames(columns, scene, block);
    if (!seen.isWhole) note = 'reading …';
  } else {
    note = 'reading the run …';
  }
  const waiting = waits(columns, scene);
  paint(context, layout, scene.palette, columns, waiting);
  return note || (waiting ? '' : 'zoom in to see what stations wait for');
}

/** Whether the overview has no longer stretches of time than a column of pixels. */
function isFine({ layout, run }: Scene, width: number): boolean {
  return run.about.end_s / run.overview!.bins <= (layout.until - layout.from) / width;
}

function fromFrames(columns: Columns, scene: Scene, block: FramesBlock): void {
  const { layout, run, flows } = scene;
  const collision = run.code('collision');
  const [firstRow, endRow] = rowsWithin(block, layout.from, layout.until);
  const perSecond = columns.width / (layout.until - layout.from);
  for (let row = firstRow; row < endRow; row++) {
    const node = block.node[row];
    if (node < columns.first || node >= columns.end) continue;
    if (!isOf(flows, block.flow[row])) continue;
    const from = (block.from[row] - layout.from) * perSecond;
    const isLost = collision > 0 && block.result[row] === collision;
    spread(columns, node, block.kind[row], from, from + block.lasts[row] * perSecond, isLost);
  }
}

function spread(
  columns: Columns,
  node: number,
  kind: number,
  from: number,
  until: number,
  isLost: boolean,
): void {
  const base = (node - columns.first) * columns.width;
  const last = Math.min(columns.width, until);
  for (let column = Math.max(0, Math.floor(from)); column < last; column++) {
    const part = Math.min(until, column + 1) - Math.max(from, column);
    const cell = (base + column) * SORTS;
    columns.share[cell + kind] += part;
    if (isLost) columns.share[cell + LOST] += part;
  }
}

function fromOverview(columns: Columns, { layout, run }: Scene): void {
  const { bins, kinds, share } = run.overview!;
  const perBin = run.about.end_s / bins;
  for (let column = 0; column < columns.width; column++) {
    const from = timeOf(layout, layout.labels + column) / perBin;
    const until = timeOf(layout, layout.labels + column + 1) / perBin;
    const firstBin = Math.max(0, Math.floor(from));
    const endBin = Math.min(bins, Math.max(firstBin + 1, Math.ceil(until)));
    if (until <= 0 || firstBin >= bins) continue;
    for (let node = columns.first; node < columns.end; node++) {
      const cell = ((node - columns.first) * columns.width + column) * SORTS;
      for (let bin = firstBin; bin < endBin; bin++) {
        const source = (node * bins + bin) * kinds;
        for (let sort = 0; sort < SORTS; sort++) columns.share[cell + sort] += share[source + sort];
      }
      for (let sort = 0; sort < SORTS; sort++) columns.share[cell + sort] /= endBin - firstBin;
    }
  }
}

/** Of each lane and column the share of reservations and of back-off; null if there is too much of it. */
function waits(columns: Columns, { layout, run }: Scene): Float32Array | null {
  const seen = run.waits.seen(layout.from, layout.until, MOST_WAIT_BLOCKS);
  if (!seen) return null;
  const share = new Float32Array((columns.end - columns.first) * columns.width * 2);
  const perSecond = columns.width / (layout.until - layout.from);
  for (const block of seen.blocks) {
    const [firstRow, endRow] = rowsWithin(block, layout.from, layout.until);
    for (let row = firstRow; row < endRow; row++) {
      const kind = block.kind[row];
      const node = block.node[row];
      if ((kind !== RESERVED && kind !== BACKOFF) || node < columns.first || node >= columns.end) continue;
      const from = (block.from[row] - layout.from) * perSecond;
      const until = from + block.lasts[row] * perSecond;
      const base = (node - columns.first) * columns.width;
      const last = Math.min(columns.width, until);
      for (let column = Math.max(0, Math.floor(from)); column < last; column++) {
        const part = Math.min(until, column + 1) - Math.max(from, column);
        share[(base + column) * 2 + (kind === BACKOFF ? 1 : 0)] += part;
      }
    }
  }
  return share;
}

/** Pixel by pixel: so many rectangles would take too long. */
function paint(
  context: CanvasRenderingContext2D,
  layout: Layout,
  palette: Palette,
  columns: Columns,
  waiting: Float32Array | null,
): void {
  const ratio = context.getTransform().a;
  const { width } = columns;
  const high = Math.max(1, Math.floor(layout.height - AXIS));
  const sheet = sheetOf(width, high);
  const { image, pixels } = sheet;
  const kinds = palette.kinds.map(packed);
  const [ground, stripe] = [packed(palette.ground), packed(palette.stripe)];
  const [lost, reserved, backoff] = [packed(palette.lost), packed(palette.reserved), packed(palette.backoff)];
  pixels.fill(ground);
  const bar = Math.max(6, Math.floor(layout.row * 0.72));
  const strip = Math.max(2, Math.floor(layout.row * 0.12));
  for (let node = columns.first; node < columns.end; node++) {
    const top = Math.round(yOf(layout, node) - AXIS);
    if (node % 2 === 0) {
      const end = Math.min(high, top + layout.row);
      pixels.fill(stripe, Math.max(0, top) * width, Math.max(0, end) * width);
    }
    const base = (node - columns.first) * width;
    for (let column = 0; column < width; column++) {
      const cell = (base + column) * SORTS;
      let y = top + 2 + bar;
      for (let kind = 0; kind < KINDS.length; kind++) {
        const share = columns.share[cell + kind];
        if (share <= 0) continue;
        const tall = Math.max(LEAST, Math.round(Math.min(1, share) * (bar - 2)));
        for (let step = 0; step < tall; step++) {
          y -= 1;
          if (y >= Math.max(0, top) && y < high) pixels[y * width + column] = kinds[kind];
        }
      }
      if (columns.share[cell + LOST] > 0) {
        for (let step = 0; step < 2; step++) {
          const at = top + 2 + step;
          if (at >= 0 && at < high) pixels[at * width + column] = lost;
        }
      }
      if (!waiting) continue;
      const [held, slots] = [waiting[(base + column) * 2], waiting[(base + column) * 2 + 1]];
      if (held <= 0.05 && slots <= 0.05) continue;
      for (let step = 0; step < strip; step++) {
        const at = top + 4 + bar + step;
        if (at >= 0 && at < high) pixels[at * width + column] = slots > held ? backoff : reserved;
      }
    }
  }
  sheet.context.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = ratio !== Math.round(ratio);
  context.drawImage(sheet.canvas, layout.labels, AXIS);
}

interface Sheet {
  canvas: OffscreenCanvas;
  context: OffscreenCanvasRenderingContext2D;
  image: ImageData;
  pixels: Uint32Array;
}

/** A sheet of each size is kept: a new one for each picture would take longer than to draw on it. */
const sheets = new Map<string, Sheet>();
const MOST_SHEETS = 4;

function sheetOf(width: number, height: number): Sheet {
  const name = `${width} ${height}`;
  let sheet = sheets.get(name);
  if (!sheet) {
    if (sheets.size >= MOST_SHEETS) sheets.clear();
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d', { willReadFrequently: true })!;
    const image = new ImageData(width, height);
    sheet = { canvas, context, image, pixels: new Uint32Array(image.data.buffer) };
    sheets.set(name, sheet);
  }
  return sheet;
}
