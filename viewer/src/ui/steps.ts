/** To the next frame, and to the next loss. */

import type { Clock } from '../data/clock';
import { isOf } from '../data/flows';
import type { Run } from '../data/run';

/** Of the flows, and of the node, that are chosen; of all without. */
export async function stepFrame(clock: Clock, runs: Run[], step: 1 | -1): Promise<void> {
  const { chosen, flows, time } = clock.state;
  const number = chosen?.run ?? 0;
  const run = runs[number];
  const node = chosen?.kind === 'node' ? chosen.id : null;
  const spans = run.frames.spans;
  let place = spans.findIndex(([, until]) => until >= time);
  if (place < 0) place = spans.length - 1;
  const current = chosen?.kind === 'frame' ? chosen.id : null;
  for (; place >= 0 && place < spans.length; place += step) {
    const block = await run.frames.wait(place);
    const isAhead = (row: number) => {
      if (current !== null) return step > 0 ? block.first + row > current : block.first + row < current;
      return step > 0 ? block.from[row] > time : block.from[row] < time;
    };
    for (let row = step > 0 ? 0 : block.count - 1; row >= 0 && row < block.count; row += step) {
      if (!isAhead(row) || !isOf(flows, block.flow[row])) continue;
      if (node !== null && block.node[row] !== node && block.to[row] !== node) continue;
      const id = block.first + row;
      const next = node === null ? ({ run: number, kind: 'frame', id } as const) : chosen;
      // Inside the frame, so that it is on the air; a node stays chosen, and time alone goes on.
      const inside = node === null ? Math.min(1e-5, block.lasts[row] / 2) : 0;
      clock.set({ time: block.from[row] + inside, chosen: next, isPlaying: false });
      return;
    }
  }
}

export function stepLoss(clock: Clock, runs: Run[], step: 1 | -1): void {
  const { chosen, flows, time } = clock.state;
  const number = chosen?.run ?? 0;
  const { lineage } = runs[number];
  const row = lineage?.nextLost(time, step, flows);
  if (!lineage || row === undefined) return;
  const { id, time: times } = lineage.events;
  clock.set({ time: times[row], chosen: { run: number, kind: 'event', id: id[row] }, isPlaying: false });
}
