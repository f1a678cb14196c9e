/** Reads a run's files: from the page's own text, or from a server, piece by piece. */

import { type AsyncBuffer, asyncBufferFromUrl } from 'hyparquet';
import { File, type Rows, Words } from './parquet';
import { fromText } from './text';
import {
  type About,
  type Answers,
  EVERYONE,
  type Events,
  type FramesBlock,
  type Hearing,
  KINDS,
  type Legs,
  type Series,
  type Shape,
  WAITS,
  type WaitsBlock,
  type What,
} from './types';

const FRAMES = [
  ...['from_us', 'from_ns', 'lasts_ns', 'shape', 'kind', 'bytes', 'rate_bps', 'node', 'to', 'carries'],
  ...['packet', 'flow', 'tries', 'result', 'unanswered', 'by', 'relation'],
];
const LANES = [
  ...['kind', 'node', 'from_us', 'from_ns', 'lasts_us', 'lasts_ns'],
  ...['slots', 'packets', 'frame', 'cause', 'by'],
];
const HEARING = ['kind', 'node', 'peer', 'from_us', 'from_ns', 'lasts_us', 'lasts_ns'];
const LEGS = ['kind', 'node', 'from_ns', 'until_ns', 'x_m', 'y_m', 'vx_mps', 'vy_mps'];
const EVENTS = [
  ...['id', 'time_s', 'kind', 'node', 'peer', 'flow', 'packet', 'first_byte', 'bytes', 'carries', 'tries'],
  ...['frame', 'cause', 'loss', 'because', 'by_node', 'by_frame', 'by_time_s', 'by_packet', 'relation'],
  ...['window_before_segments', 'window_after_segments'],
];
const SERIES = ['time_us', 'time_s', 'flow', 'node', 'cwnd_segments', 'rtt_s', 'queue_packets'];

export class Reader {
  readonly words = new Words();
  readonly shapes: Shape[];
  private readonly shapeCodes = new Map<string, number>();
  private readonly files = new Map<string, Promise<File>>();

  constructor(
    readonly about: About,
    private readonly texts: Record<string, string>,
    private readonly base: string,
  ) {
    this.shapes = about.shapes ? [...about.shapes] : [];
  }

  async read(what: What, block: number): Promise<Answers[What]> {
    const first = block * this.about.block;
    const part = [first, first + this.about.block] as const;
    switch (what) {
      case 'frames':
        return this.frames(await (await this.file('frames.parquet')).rows(FRAMES, ...part), first);
      case 'waits':
        return this.waits(await (await this.file('lanes.parquet')).rows(LANES, ...part), first);
      case 'hearing':
        return this.hearing(await this.all('hearing.parquet', HEARING));
      case 'legs':
        return this.legs(await this.all('positions.parquet', LEGS));
      case 'events':
        return this.events(await this.file('events.parquet'));
      case 'series':
        return this.series(await this.all('series.parquet', SERIES));
    }
  }

  private async all(name: string, columns: readonly string[]): Promise<Rows> {
    return (await this.file(name)).rows(columns);
  }

  private file(name: string): Promise<File> {
    const open = this.files.get(name) ?? this.source(name).then((source) => File.open(source));
    this.files.set(name, open);
    return open;
  }

  private async source(name: string): Promise<AsyncBuffer> {
    const where = this.about.files[name];
    if (typeof where === 'string') return asyncBufferFromUrl({ url: new URL(where, this.base).href });
    const bytes = fromText(this.texts[name], where);
    delete this.texts[name];
    return { byteLength: bytes.byteLength, slice: (first, end) => bytes.slice(first, end) };
  }

  private frames(rows: Rows, first: number): FramesBlock {
    const { count } = rows;
    const to = rows.numbers(new Int32Array(count), 'to');
    const shape = rows.has('shape') ? rows.numbers(new Int32Array(count), 'shape') : this.interned(rows);
    const kinds = this.shapes.map(({ kind }) => KINDS.indexOf(kind as (typeof KINDS)[number]));
    const kind = new Uint8Array(count);
    const lasts = new Float32Array(count);
    for (let row = 0; row < count; row++) {
      kind[row] = to[row] < 0 ? EVERYONE : kinds[shape[row]];
      lasts[row] = this.shapes[shape[row]].lasts_us * 1e-6;
    }
    return {
      ...{ first, count, from: rows.times('from'), lasts, longest: most(lasts), shape, kind, to },
      node: rows.numbers(new Int32Array(count), 'node'),
      carries: rows.words('carries', this.words),
      packet: rows.numbers(new Float64Array(count), 'packet'),
      flow: rows.numbers(new Int32Array(count), 'flow'),
      tries: rows.numbers(new Int32Array(count), 'tries'),
      result: rows.words('result', this.words),
      unanswered: rows.words('unanswered', this.words),
      by: rows.numbers(new Float64Array(count), 'by'),
      relation: rows.words('relation', this.words),
    };
  }

  /** Shapes of frames that the file tells one by one. */
  private interned(rows: Rows): Int32Array {
    const codes = new Int32Array(rows.count);
    const kind = rows.words('kind', this.words);
    const bytes = rows.numbers(new Float64Array(rows.count), 'bytes');
    const rate = rows.numbers(new Float64Array(rows.count), 'rate_bps');
    const lasts = rows.numbers(new Float64Array(rows.count), 'lasts_ns');
    for (let row = 0; row < rows.count; row++) {
      const name = `${kind[row]} ${bytes[row]} ${rate[row]} ${lasts[row]}`;
      let code = this.shapeCodes.get(name);
      if (code === undefined) {
        code = this.shapes.length;
        this.shapeCodes.set(name, code);
        const word = this.words.list[kind[row]];
        this.shapes.push({ kind: word, bytes: bytes[row], rate_bps: rate[row], lasts_us: lasts[row] / 1000 });
      }
      codes[row] = code;
    }
    return codes;
  }

  /** Without who hears whom; sorted, which what a run writes is not. */
  private waits(rows: Rows, first: number): WaitsBlock {
    const known = rows.words('kind', this.words);
    const kinds = this.words.list.map((word) => Math.max(0, WAITS.indexOf(word as (typeof WAITS)[number])));
    const begins = rows.times('from');
    const lasted = rows.times('lasts');
    const order = new Uint32Array(rows.count).map((_, row) => row).filter((row) => kinds[known[row]] > 0);
    order.sort((one, other) => begins[one] - begins[other]);
    const slots = rows.numbers(new Int32Array(rows.count), 'slots');
    const packets = rows.numbers(new Int32Array(rows.count), 'packets');
    const frames = rows.numbers(new Float64Array(rows.count), 'frame');
    const causes = rows.words('cause', this.words);
    const bys = rows.numbers(new Float64Array(rows.count), 'by');
    const nodes = rows.numbers(new Int32Array(rows.count), 'node');
    const lasts = Float32Array.from(order, (row) => lasted[row]);
    return {
      ...{ first, count: order.length, lasts, longest: most(lasts) },
      from: Float64Array.from(order, (row) => begins[row]),
      kind: Uint8Array.from(order, (row) => kinds[known[row]]),
      node: Int32Array.from(order, (row) => nodes[row]),
      amount: Int32Array.from(order, (row) => Math.max(slots[row], packets[row])),
      frame: Float64Array.from(order, (row) => frames[row]),
      cause: Uint8Array.from(order, (row) => causes[row]),
      by: Float64Array.from(order, (row) => bys[row]),
    };
  }

  private hearing(rows: Rows): Hearing {
    const { count } = rows;
    const decodes = this.words.code('decodes');
    const from = rows.times('from');
    const lasts = rows.times('lasts');
    return {
      ...{ count, from, until: from.map((begin, row) => begin + lasts[row]) },
      decodes: rows.words('kind', this.words).map((code) => (code === decodes ? 1 : 0)),
      node: rows.numbers(new Int32Array(count), 'node'),
      peer: rows.numbers(new Int32Array(count), 'peer'),
    };
  }

  private legs(rows: Rows): Legs {
    const { count } = rows;
    const down = this.words.code('down');
    const column = (name: string) => rows.numbers(new Float64Array(count), name, 1, 0);
    return {
      ...{ count, from: rows.times('from'), until: rows.times('until', Number.POSITIVE_INFINITY) },
      down: rows.words('kind', this.words).map((code) => (code === down ? 1 : 0)),
      node: rows.numbers(new Int32Array(count), 'node'),
      ...{ x: column('x_m'), y: column('y_m'), vx: column('vx_mps'), vy: column('vy_mps') },
    };
  }

  private async events(file: File): Promise<Events> {
    const rows = await file.rows(EVENTS);
    const flows = JSON.parse(file.about('flows') ?? '[]') as { segment_bytes: number }[];
    const large = (name: string, none = -1) => rows.numbers(new Float64Array(rows.count), name, 1, none);
    const small = (name: string) => rows.numbers(new Int32Array(rows.count), name);
    const words = (name: string) => rows.words(name, this.words);
    return {
      ...{ count: rows.count, id: large('id'), time: rows.times('time'), because: large('because') },
      ...{ packet: large('packet'), firstByte: large('first_byte'), byTime: large('by_time_s') },
      ...{ byPacket: large('by_packet'), before: large('window_before_segments') },
      ...{ after: large('window_after_segments'), node: small('node'), peer: small('peer') },
      ...{ flow: small('flow'), bytes: small('bytes'), tries: small('tries'), byNode: small('by_node') },
      ...{ kind: words('kind'), carries: words('carries'), frame: words('frame'), cause: words('cause') },
      ...{ loss: words('loss'), byFrame: words('by_frame'), relation: words('relation') },
      segmentBytes: flows.map((flow) => flow.segment_bytes),
    };
  }

  private series(rows: Rows): Series {
    const column = (name: string) => rows.numbers(new Float64Array(rows.count), name, 1, Number.NaN);
    return {
      ...{ count: rows.count, time: rows.times('time'), cwnd: column('cwnd_segments') },
      ...{ rtt: column('rtt_s'), queue: column('queue_packets') },
      flow: rows.numbers(new Int32Array(rows.count), 'flow'),
      node: rows.numbers(new Int32Array(rows.count), 'node'),
    };
  }
}

function most(numbers: Float32Array): number {
  let largest = 0;
  for (const number of numbers) if (number > largest) largest = number;
  return largest;
}
