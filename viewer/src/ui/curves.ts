/** The curves of the time line, from a run's series. */

import uPlot from 'uplot';
import { lowerBound } from '../data/blocks';
import type { Flows } from '../data/flows';
import type { Run } from '../data/run';

export interface Curve {
  kind: 'window' | 'trip' | 'queue' | 'losses';
  title: string;
  data: uPlot.AlignedData;
  colours: number[];
  isDots: boolean;
  /** When packets were lost. */
  losses: number[];
}

/** More flows than these cannot be told apart. */
const MOST_FLOWS = 6;

/** `chosen`: these flows alone. `node`: whose queue, without the one that was the longest in `runs`. */
export function curves(run: Run, runs: Run[], chosen: Flows, node: number | null): Curve[] {
  const { series, about } = run;
  if (!series) return [];
  const flows = (chosen ?? about.flows.map((_, number) => number)).slice(0, MOST_FLOWS);
  const lost = run.lineage?.lostWithin(0, Number.POSITIVE_INFINITY, chosen) ?? [];
  const losses = lost.map((row) => run.lineage!.events.time[row]);
  const found: Curve[] = [];
  const byFlow = (column: Float64Array, factor: number) =>
    flows.map((each) => points(run, column, each, null, factor));
  const windows = byFlow(series.cwnd, 1);
  if (windows.some(([times]) => times.length > 0)) {
    found.push({ kind: 'window', ...joined('window, seg.', windows, flows), isDots: false, losses });
  }
  const trips = byFlow(series.rtt, 1000);
  if (trips.some(([times]) => times.length > 0)) {
    found.push({
      kind: 'trip',
      ...joined('RTT, ms', trips, flows),
      isDots: true,
      losses: found.length ? [] : losses,
    });
  }
  const whose = node ?? longest(run, runs);
  const queue = points(run, series.queue, null, whose, 1);
  if (queue[0].length > 0) {
    found.push({
      kind: 'queue',
      ...joined(`queue ${whose}`, [queue], [6]),
      isDots: false,
      losses: found.length ? [] : losses,
    });
  }
  if (found.length === 0) {
    const ends: [number[], number[]] = [
      [0, about.end_s],
      [0, 0],
    ];
    found.push({ kind: 'losses', ...joined('losses', [ends], [6]), isDots: false, losses });
  }
  return found;
}

type Points = [times: number[], values: number[]];

function points(
  run: Run,
  column: Float64Array,
  flow: number | null,
  node: number | null,
  factor: number,
): Points {
  const series = run.series!;
  const found: Points = [[], []];
  for (let row = 0; row < series.count; row++) {
    if (Number.isNaN(column[row])) continue;
    if (flow !== null ? series.flow[row] !== flow : series.node[row] !== node) continue;
    // Of several values at one time the last holds.
    if (found[0].at(-1) === series.time[row]) found[1][found[1].length - 1] = column[row] * factor;
    else {
      found[0].push(series.time[row]);
      found[1].push(column[row] * factor);
    }
  }
  return found;
}

function joined(
  title: string,
  those: Points[],
  colours: number[],
): Pick<Curve, 'title' | 'data' | 'colours'> {
  return { title, data: uPlot.join(those), colours };
}

/** The node whose queue was the longest in all runs, so that one node is compared; that of this run, if it has no such node. */
function longest(run: Run, runs: Run[]): number {
  const [first] = runs.map(longestOf).sort((a, b) => b.packets - a.packets);
  return first && first.node < run.about.nodes ? first.node : longestOf(run).node;
}

function longestOf({ series }: Run): { node: number; packets: number } {
  const found = { node: 0, packets: 0 };
  for (let row = 0; row < (series?.count ?? 0); row++) {
    if (series!.queue[row] > found.packets) {
      found.packets = series!.queue[row];
      found.node = series!.node[row];
    }
  }
  return found;
}

/** The greatest value of curves of one kind between two times, the value that holds at the first included. */
export function greatest(those: Curve[], kind: Curve['kind'], from: number, until: number): number {
  let most = 0;
  for (const { data } of those.filter((curve) => curve.kind === kind)) {
    const [times, ...values] = data;
    const begin = Math.max(0, lowerBound(times, from) - 1);
    const end = Math.min(times.length, lowerBound(times, until) + 1);
    for (const each of values) for (let at = begin; at < end; at++) most = Math.max(most, each[at] ?? 0);
  }
  return most;
}
