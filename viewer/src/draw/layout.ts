/** Where things are in the picture of lanes: times across, nodes down. */

/** How wide labels are: of numbers, and what names may have more. */
const OF_NUMBERS = 62;
const MOST_OF_NAMES = 96;
const LETTER = 7;
export const AXIS = 24;
const LEAST_HEIGHT = 20;
const MOST_HEIGHT = 64;

export interface Layout {
  width: number;
  height: number;
  nodes: number;
  /** How wide the labels of lanes are. */
  labels: number;
  /** How high a lane is. */
  row: number;
  /** How far lanes are scrolled. */
  scroll: number;
  from: number;
  until: number;
}

export function rowHeight(height: number, nodes: number): number {
  return Math.max(LEAST_HEIGHT, Math.min(MOST_HEIGHT, Math.floor((height - AXIS) / Math.max(1, nodes))));
}

/** Room for the longest name, or for all that there is of it. */
export function labelsWidth(names: readonly string[]): number {
  const longest = names.reduce((most, name) => Math.max(most, name.length), 0);
  return OF_NUMBERS + Math.min(MOST_OF_NAMES, Math.max(0, longest - 3) * LETTER);
}

/** A name as a label: of a long one its end, as names of vehicles differ there. */
export function labelText(layout: Layout, name: string): string {
  const letters = Math.floor((layout.labels - OF_NUMBERS) / LETTER) + 3;
  return name.length > letters ? `…${name.slice(1 - letters)}` : name;
}

export const mostScroll = (layout: Layout) => Math.max(0, layout.nodes * layout.row + AXIS - layout.height);

/** Pixels for a second. */
export const scale = ({ width, labels, from, until }: Layout) => (width - labels) / (until - from);

export const xOf = (layout: Layout, time: number) => layout.labels + (time - layout.from) * scale(layout);
export const timeOf = (layout: Layout, x: number) => layout.from + (x - layout.labels) / scale(layout);
export const yOf = (layout: Layout, node: number) => AXIS + node * layout.row - layout.scroll;
export const nodeAt = (layout: Layout, y: number) => Math.floor((y - AXIS + layout.scroll) / layout.row);

/** The lanes that can be seen: from the first up to the second. */
export function lanesSeen(layout: Layout): [number, number] {
  const first = Math.max(0, nodeAt(layout, AXIS));
  return [first, Math.min(layout.nodes, nodeAt(layout, layout.height) + 1)];
}

/** Times that stand at an axis, and how they are written. */
export function ticks(from: number, until: number, count: number): { times: number[]; digits: number } {
  const rough = (until - from) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? power * 10;
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const times: number[] = [];
  for (let at = Math.ceil(Math.max(0, from) / step); at * step <= until; at++) times.push(at * step);
  return { times, digits };
}
