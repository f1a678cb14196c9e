/** What the reader hands to who draws. Times are seconds since the start of the run. */

export interface Flow {
  from: number;
  to: number;
  protocol: string;
}

export type Span = readonly [from: number, until: number];

/** What the page is told of a run, by `page.py` or the server. */
export interface About {
  name: string;
  seed: number;
  version: string;
  folder: string;
  nodes: number;
  /** Of all nodes, as they are written; none if nodes have no names. */
  names: string[];
  end_s: number;
  reception_m: number;
  sensing_m: number;
  flows: Flow[];
  /** The flows that are shown first; null: all. */
  shown_flows: number[] | null;
  lineage: boolean;
  words: Record<string, Record<string, string>>;
  block: number;
  spans: { frames: Span[]; lanes: Span[] };
  shapes: Shape[] | null;
  /** Of each file its size in the page, or its address. */
  files: Record<string, number | string>;
}

/** What many frames have in common. */
export interface Shape {
  kind: string;
  bytes: number;
  rate_bps: number;
  lasts_us: number;
}

/** A part of the frames, in the order of time. */
export interface FramesBlock {
  /** The number of its first frame. */
  first: number;
  count: number;
  from: Float64Array;
  lasts: Float32Array;
  longest: number;
  shape: Int32Array;
  kind: Uint8Array;
  node: Int32Array;
  to: Int32Array;
  carries: Uint8Array;
  packet: Float64Array;
  flow: Int32Array;
  tries: Int32Array;
  result: Uint8Array;
  unanswered: Uint8Array;
  by: Float64Array;
  relation: Uint8Array;
}

/** A part of what stations waited for, in the order of time. */
export interface WaitsBlock {
  first: number;
  count: number;
  from: Float64Array;
  lasts: Float32Array;
  longest: number;
  kind: Uint8Array;
  node: Int32Array;
  /** Slots of a back-off, packets of a queue. */
  amount: Int32Array;
  frame: Float64Array;
  cause: Uint8Array;
  by: Float64Array;
}

/** Who hears whom, when. */
export interface Hearing {
  count: number;
  decodes: Uint8Array;
  node: Int32Array;
  peer: Int32Array;
  from: Float64Array;
  until: Float64Array;
}

export interface Legs {
  count: number;
  down: Uint8Array;
  node: Int32Array;
  from: Float64Array;
  until: Float64Array;
  x: Float64Array;
  y: Float64Array;
  vx: Float64Array;
  vy: Float64Array;
}

export interface Events {
  count: number;
  id: Float64Array;
  time: Float64Array;
  because: Float64Array;
  packet: Float64Array;
  firstByte: Float64Array;
  byTime: Float64Array;
  byPacket: Float64Array;
  before: Float64Array;
  after: Float64Array;
  node: Int32Array;
  peer: Int32Array;
  flow: Int32Array;
  bytes: Int32Array;
  tries: Int32Array;
  byNode: Int32Array;
  kind: Uint8Array;
  carries: Uint8Array;
  frame: Uint8Array;
  cause: Uint8Array;
  loss: Uint8Array;
  byFrame: Uint8Array;
  relation: Uint8Array;
  /** Of each flow the length of its longest segment; empty if the file does not say it. */
  segmentBytes: readonly number[];
}

export interface Series {
  count: number;
  time: Float64Array;
  flow: Int32Array;
  node: Int32Array;
  cwnd: Float64Array;
  rtt: Float64Array;
  queue: Float64Array;
}

/** How much of each stretch of time each node was on the air, by kind; the last is what collided. */
export interface Overview {
  bins: number;
  kinds: number;
  share: Float32Array;
  /** How much of the run is in it. */
  done: number;
}

export interface Answers {
  frames: FramesBlock;
  waits: WaitsBlock;
  hearing: Hearing;
  legs: Legs;
  events: Events;
  series: Series;
}
export type What = keyof Answers;

export type Asked =
  | { ask: 'open'; about: About; texts: Record<string, string>; base: string }
  | { ask: 'read'; id: number; what: What; block: number };
export type Told =
  | { tell: 'read'; id: number; data: Answers[What]; words: string[]; shapes: Shape[] }
  | { tell: 'failed'; id: number; why: string }
  | { tell: 'overview'; overview: Overview };

export const KINDS = ['rts', 'cts', 'data', 'ack', 'everyone'] as const;
/** The number of the kind that stands for all frames for everyone. */
export const EVERYONE = 4;
export const WAITS = ['', 'reserved', 'backoff', 'queue', 'missed'] as const;
export const [RESERVED, BACKOFF, QUEUE, MISSED] = [1, 2, 3, 4];
