/** The parts of the page that need no browser. */

import { describe, expect, it } from 'vitest';
import { lowerBound, rowsWithin } from '../src/data/blocks';
import { Clock, fromHash, toHash } from '../src/data/clock';
import { flowsOf, isOf, ofFlows } from '../src/data/flows';
import { Lineage } from '../src/data/lineage';
import { nodeText } from '../src/data/nodes';
import { Tracks } from '../src/data/tracks';
import { what } from '../src/data/words';
import { hearers } from '../src/draw/carrier';
import { type Layout, labelsWidth, labelText, ticks } from '../src/draw/layout';
import type { MapScene } from '../src/draw/map';
import { touches } from '../src/draw/near';
import { packed } from '../src/draw/palette';
import { pick, toSegment } from '../src/draw/pick';
import { onAirNow } from '../src/draw/traffic';
import { add } from '../src/read/overview';
import { fromText } from '../src/read/text';
import { type About, type Events, type FramesBlock, type Hearing, KINDS } from '../src/read/types';
import { type Curve, greatest } from '../src/ui/curves';

describe('curves', () => {
  const curve = (kind: Curve['kind'], times: number[], ...values: (number | null)[][]): Curve => ({
    ...{ kind, title: '', colours: [], isDots: false, losses: [] },
    data: [times, ...values],
  });

  it('of two runs have one scale, that of what is seen', () => {
    const both = [
      curve('window', [0, 1, 2, 3], [1, 9, 4, 5], [null, 2, 7, null]),
      curve('window', [0, 2.5], [3, 8]),
      curve('queue', [0], [50]),
    ];
    expect(greatest(both, 'window', 0, 10)).toBe(9);
    expect(greatest(both, 'window', 2.2, 2.4)).toBe(8);
    expect(greatest(both.slice(0, 1), 'window', 1.5, 1.9)).toBe(9); // what holds from before
    expect(greatest(both, 'trip', 0, 10)).toBe(0);
  });
});

describe('text', () => {
  const letters = [...Array(94).keys()]
    .map((n) => String.fromCharCode(33 + n))
    .filter((c) => !'<&"'.includes(c));
  const toText = (bytes: number[]) => {
    let bits = bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');
    bits = bits.padEnd(Math.ceil(bits.length / 13) * 13, '0');
    return (bits.match(/.{13}/g) ?? [])
      .map((each) => Number.parseInt(each, 2))
      .map((number) => letters[Math.floor(number / 91)] + letters[number % 91])
      .join('');
  };

  it('becomes the bytes that it was made of', () => {
    for (const size of [0, 1, 2, 12, 13, 14, 200]) {
      const bytes = [...Array(size).keys()].map((n) => (n * 151 + 7) % 256);
      expect([...new Uint8Array(fromText(toText(bytes), size))]).toEqual(bytes);
    }
  });

  it('that is cut off is refused', () => {
    expect(() => fromText(toText([1, 2, 3, 4]).slice(0, 2), 4)).toThrow('cut off');
  });
});

describe('times', () => {
  it('are found by halves', () => {
    const times = [1, 2, 2, 5];
    expect([0, 1, 2, 3, 6].map((time) => lowerBound(times, time))).toEqual([0, 0, 1, 3, 4]);
  });

  it('that last into what is seen belong to it', () => {
    const block = {
      ...{ count: 3, from: Float64Array.of(1, 2, 3), lasts: Float32Array.of(0.5, 0.5, 0.5), longest: 0.5 },
    };
    expect(rowsWithin(block, 2.25, 3)).toEqual([1, 2]);
    expect(rowsWithin(block, 2.25, 3.1)).toEqual([1, 3]);
  });

  it('at an axis are round', () => {
    const { times, digits } = ticks(1.2, 3.1, 4);
    expect(times.map((time) => time.toFixed(digits))).toEqual(['1.5', '2.0', '2.5', '3.0']);
  });
});

describe('names of nodes', () => {
  const named = { names: ['taxi-A', '"17"'] } as About;

  it('stand for numbers, where nodes have names', () => {
    expect([0, 1].map((node) => nodeText(named, node))).toEqual(['taxi-A', '"17"']);
    expect(nodeText({ names: [] }, 3)).toBe('3');
  });

  it('stand in stories', () => {
    const of = (about: About) => ({
      about: { ...about, words: { drops: {} } },
      events: {
        node: [1],
        peer: [0],
        flow: [-1],
        tries: [7],
        cause: [0],
        loss: [0],
        carries: [0],
        firstByte: [-1],
      },
      kind: () => 'gave_up',
      word: () => '',
      segmentBytes: () => 1460,
    });
    const told = (about: object) => what(of(about as About) as unknown as Lineage, 0);
    expect(told(named)).toBe('node "17" gave up a packet to node taxi-A after 7 tries');
    expect(told({ names: [] })).toBe('node 1 gave up a packet to node 0 after 7 tries');
  });

  it('have room in labels, long ones with their end', () => {
    const label = (names: string[], text: string) =>
      labelText({ labels: labelsWidth(names) } as Layout, text);
    expect(label(['taxi-A', 'b'], 'taxi-A')).toBe('taxi-A');
    const long = 'from-north-to-south.12';
    expect(label([long], long)).toMatch(/^….*south\.12$/);
    expect(labelsWidth([long.repeat(9)])).toBe(labelsWidth([long]));
  });
});

describe('the clock', () => {
  it('stays within the run', () => {
    const clock = new Clock(10);
    clock.set({ time: 11 });
    expect(clock.state.time).toBe(10);
    clock.set({ time: Number.NaN, span: 0 });
    expect(clock.state.time).toBe(0);
    expect(clock.state.span).toBeGreaterThan(0);
  });

  it('zooms about what is pointed at', () => {
    const clock = new Clock(10);
    clock.set({ time: 5, span: 2 });
    clock.zoom(0.5, 6);
    expect(clock.state).toMatchObject({ span: 1, time: 5.5 });
  });

  it('is kept in a link', () => {
    const clock = new Clock(10);
    clock.set({
      time: 1.768506143,
      span: 0.06,
      chosen: { run: 1, kind: 'frame', id: 943 },
      flows: [2, 0],
      views: 'map',
    });
    const hash = toHash(clock.state);
    expect(hash).toBe('#t=1.768506143&span=0.06&frame=1:943&flow=2,0&views=map');
    const { time, span, chosen, flows, views } = clock.state;
    expect(fromHash(hash)).toEqual({ time, span, chosen, flows, views });
    expect(fromHash('#t=x&span=-1&frame=a&views=none&flow=-1')).toEqual({});
  });
});

it('flows are a list, or all', () => {
  expect(flowsOf('3,1,3')).toEqual([3, 1]);
  expect([flowsOf(''), flowsOf(null), flowsOf('x')]).toEqual([null, null, null]);
  expect([isOf(null, 7), isOf([1, 3], 3), isOf([1, 3], 2)]).toEqual([true, true, false]);
  expect([ofFlows(null), ofFlows([4]), ofFlows([0, 1, 3])]).toEqual([
    '',
    ' of flow 4',
    ' of flows 0, 1 and 3',
  ]);
});

describe('a click on the map picks', () => {
  // Nodes 0, 1 and 2 on a line, 100 m and 100 pixels apart; node 0 is at (34, 50).
  const block = {
    ...{ first: 10, count: 3, from: Float64Array.of(1, 4, 4.002), lasts: Float64Array.of(0.01, 0.01, 0.01) },
    ...{ node: Int32Array.of(0, 1, 2), to: Int32Array.of(1, 2, -1), kind: Int32Array.of(2, 2, 2) },
    ...{ flow: Int32Array.of(0, 1, -1), result: Int32Array.of(5, 5, 0) },
    longest: 0.01,
  } as unknown as FramesBlock;
  const run = {
    about: { nodes: 3, reception_m: 120 },
    tracks: { box: { x0: 0, x1: 200, y0: 0, y1: 0 }, at: () => Float64Array.of(0, 0, 100, 0, 200, 0) },
    frames: { seen: () => ({ blocks: [block], isWhole: true }) },
    code: () => 5,
  } as unknown as MapScene['run'];
  const at = (time: number, flows: MapScene['flows'] = null) =>
    ({
      ...{ run, time, flows, span: 9, passed: 0 },
      ...{ width: 268, height: 100, zoom: { factor: 1, x: 0, y: 0 } },
    }) as MapScene;

  it('a node, where it is', () => {
    expect(pick(at(4.005), 136, 52)).toEqual({ kind: 'node', id: 1 });
    expect(pick(at(4.005), 134, 64)).toEqual({ kind: 'node', id: 1 });
    expect(pick(at(4.005), 134, 95)).toBeNull();
  });

  it('the frame on the air between two nodes', () => {
    expect(pick(at(4.005), 184, 52)).toEqual({ kind: 'frame', id: 11, from: 4 });
    expect(pick(at(4.005, [1]), 184, 52)).toEqual({ kind: 'frame', id: 11, from: 4 });
    expect(pick(at(4.005, [0]), 184, 52)).toBeNull();
  });

  it('a frame for everyone by its ring', () => {
    const radius = 120 * 0.4; // 4 of 10 ms
    expect(pick(at(4.006), 184, 50)).toEqual({ kind: 'frame', id: 11, from: 4 });
    expect(pick(at(4.006), 234, 50 - radius)).toEqual({ kind: 'frame', id: 12, from: 4.002 });
  });

  it('the last frame of a link in use, where none is on the air', () => {
    expect(pick(at(4.5), 84, 54)).toEqual({ kind: 'frame', id: 10, from: 1 });
    expect(pick(at(4.5), 184, 54)).toEqual({ kind: 'frame', id: 11, from: 4 });
    expect(pick(at(4.5, [1]), 84, 54)).toBeNull();
  });

  it('no frame that is on the air before it left', () => {
    // The frame left a rounding after this moment.
    const [{ done }] = onAirNow(at(4 - 1e-13));
    expect(done).toBe(0);
  });

  it('by how far a point is from a line', () => {
    expect(toSegment(5, 3, 0, 0, 10, 0)).toBe(3);
    expect(toSegment(13, 4, 0, 0, 10, 0)).toBe(5);
    expect(toSegment(3, 4, 0, 0, 0, 0)).toBe(5);
  });
});

it('frames are drawn whose sender or addressee is in a lane in view', () => {
  // Lanes 5 to 9, and a part of 10.
  const layout = { width: 500, height: 24 + 105, nodes: 50, row: 20, scroll: 100 } as Layout;
  const block = { node: Int32Array.of(4, 5, 10, 11, 30, 2), to: Int32Array.of(-1, -1, -1, -1, 7, 40) };
  const seen = [0, 1, 2, 3, 4, 5].map((row) => touches(layout, block as unknown as FramesBlock, row));
  expect(seen).toEqual([false, true, true, false, true, false]);
});

it('who hears whom is found for the time and the nodes that are asked about', () => {
  const hearing = {
    ...{ count: 4, node: Int32Array.of(1, 2, 1, 3), peer: Int32Array.of(0, 0, 0, 2) },
    ...{ from: Float64Array.of(0, 0, 5, 0), until: Float64Array.of(5, 9, 9, 9) },
  } as Hearing;
  expect([...hearers(hearing, 6, 7, () => true)]).toEqual([
    [0, [1, 2]],
    [2, [3]],
  ]);
  expect([...hearers(hearing, 6, 7, (node) => node === 1)]).toEqual([[0, [2]]]);
  expect([...hearers(hearing, 6, 7, (_, sender) => sender === 2)]).toEqual([[2, [3]]]);
});

it('a run without segments is gone through for their length once', () => {
  let asked = 0;
  const events = { count: 1, flow: [0], time: [0], id: [0], packet: [0], because: [-1], segmentBytes: [] };
  const counting = {
    ...events,
    carries: new Proxy([0], {
      get: (of, key) => {
        asked += 1;
        return Reflect.get(of, key);
      },
    }),
  };
  const lineage = new Lineage(counting as unknown as Events, {} as About);
  expect([lineage.segmentBytes(0), lineage.segmentBytes(0)]).toEqual([1, 1]);
  expect(asked).toBe(1);
});

it('segments are as long as the file says, though no row has one', () => {
  const events = { count: 0, segmentBytes: [1460, 0] } as unknown as Events;
  const lineage = new Lineage(events, {} as About);
  expect([lineage.segmentBytes(0), lineage.segmentBytes(1)]).toEqual([1460, 1]);
});

it('nodes go straight on between two times, and are down', () => {
  const tracks = new Tracks(
    {
      ...{ count: 3, down: Uint8Array.of(0, 0, 1), node: Int32Array.of(0, 0, 0) },
      ...{ from: Float64Array.of(0, 10, 4), until: Float64Array.of(10, Number.POSITIVE_INFINITY, 5) },
      ...{ x: Float64Array.of(0, 20, 0), y: Float64Array.of(5, 5, 0) },
      ...{ vx: Float64Array.of(2, 0, 0), vy: Float64Array.of(0, 0, 0) },
    },
    1,
  );
  expect([...tracks.at(2.5)]).toEqual([5, 5]);
  expect([...tracks.at(99)]).toEqual([20, 5]);
  expect([3, 4, 4.5, 5].map((time) => tracks.isDown(0, time))).toEqual([false, true, true, false]);
  expect(tracks.box).toEqual({ x0: 0, y0: 5, x1: 20, y1: 5 });
});

it('the overview has of each stretch how much of it a node sent', () => {
  const overview = { bins: 4, kinds: KINDS.length + 1, share: new Float32Array(4 * 6), done: 0 };
  const block = {
    ...{ count: 1, from: Float64Array.of(0.5), lasts: Float32Array.of(1), node: Int32Array.of(0) },
    ...{ kind: Uint8Array.of(2), result: Uint8Array.of(7) },
  } as unknown as FramesBlock;
  add(overview, block, 4, 7);
  const data = [0, 1, 2, 3].map((bin) => overview.share[bin * 6 + 2]);
  const lost = [0, 1, 2, 3].map((bin) => overview.share[bin * 6 + 5]);
  expect(data).toEqual([0.5, 0.5, 0, 0]);
  expect(lost).toEqual(data);
});

it('colours become pixels', () => {
  expect(packed('#010203')).toBe(0xff030201);
});
