/** What is told of what is chosen: a frame, a node, an event. */

import { useEffect, useState } from 'preact/hooks';
import type { Chosen, State } from '../data/clock';
import { nodeText } from '../data/nodes';
import type { Run } from '../data/run';
import { shown } from '../data/shown';
import { frameName, packetOf, what } from '../data/words';
import { EVERYONE, type FramesBlock } from '../read/types';
import { type Shared, useShared } from './context';

export function Story({ shared }: { shared: Shared }) {
  const state = useShared(shared);
  const { chosen } = state;
  if (!chosen || !shared.runs[chosen.run]) {
    return (
      <aside class="story" aria-label="Story">
        <p class="hint">Click a frame, a node or a loss: here stands what led to it. Press ? for all keys.</p>
        <Losses shared={shared} state={state} />
      </aside>
    );
  }
  const run = shared.runs[chosen.run];
  return (
    <aside class="story" aria-label="Story" aria-live="polite">
      <button
        type="button"
        class="close"
        aria-label="Choose nothing"
        onClick={() => shared.clock.set({ chosen: null })}
      >
        ×
      </button>
      {chosen.kind === 'frame' && <Frame shared={shared} run={run} chosen={chosen} />}
      {chosen.kind === 'node' && <Node shared={shared} run={run} state={state} node={chosen.id} />}
      {chosen.kind === 'event' && <Chain shared={shared} run={run} chosen={chosen} id={chosen.id} />}
    </aside>
  );
}

const at = (time: number) => `${time.toFixed(6)} s`;

/** A time that leads there. */
function When({ shared, time, chosen }: { shared: Shared; time: number; chosen: Chosen | null }) {
  return (
    <button type="button" class="when" onClick={() => shared.clock.set({ time, chosen, isPlaying: false })}>
      {at(time)}
    </button>
  );
}

function Losses({ shared, state }: { shared: Shared; state: State }) {
  const [from, until] = shared.clock.window;
  return shared.runs.map((run, number) => {
    const { lineage } = run;
    const rows = lineage?.lostWithin(from, until, state.flows).slice(0, 12) ?? [];
    if (!lineage || rows.length === 0) return null;
    return (
      <section key={number}>
        <h3>Lost in view{ofRun(shared, number)}</h3>
        <Events shared={shared} run={run} number={number} rows={rows} />
      </section>
    );
  });
}

function Events({
  shared,
  run,
  number,
  rows,
}: {
  shared: Shared;
  run: Run;
  number: number;
  rows: readonly number[];
}) {
  const lineage = run.lineage!;
  return (
    <ol class="events">
      {rows.map((row) => {
        const chosen = { run: number, kind: 'event', id: lineage.events.id[row] } as const;
        const isBad = lineage.events.cause[row] > 0;
        return (
          <li key={row} class={isBad ? 'bad' : ''}>
            <When shared={shared} time={lineage.events.time[row]} chosen={chosen} /> {what(lineage, row)}
          </li>
        );
      })}
    </ol>
  );
}

/** Which of two runs. */
const ofRun = ({ runs }: Shared, number: number): string => (runs.length > 1 ? ` (${'AB'[number]})` : '');

function Chain({ shared, run, chosen, id }: { shared: Shared; run: Run; chosen: Chosen; id: number }) {
  const { lineage } = run;
  const row = lineage?.row(id);
  if (!lineage || row === undefined) return <p>{lineage ? `There is no event ${id}.` : 'Reading …'}</p>;
  const chain = lineage.chain(row);
  const after = lineage.followers(row);
  return (
    <>
      <h2>
        Event {id}
        {ofRun(shared, chosen.run)}
      </h2>
      <p class="head">{what(lineage, row)}</p>
      <h3>What led to it, the latest first</h3>
      <Events shared={shared} run={run} number={chosen.run} rows={chain} />
      {after.length > 0 && (
        <>
          <h3>What it led to</h3>
          <Events shared={shared} run={run} number={chosen.run} rows={after} />
        </>
      )}
    </>
  );
}

function Frame({ shared, run, chosen }: { shared: Shared; run: Run; chosen: Chosen }) {
  const [found, setFound] = useState<{ id: number; block: FramesBlock; row: number } | null>(null);
  useEffect(() => {
    let isWanted = true;
    run.frame(chosen.id).then((there) => {
      if (isWanted && there) setFound({ id: chosen.id, block: there[0], row: there[1] });
    });
    return () => {
      isWanted = false;
    };
  }, [run, chosen.id]);
  if (!found || found.id !== chosen.id) return <p>Reading frame {chosen.id} …</p>;
  const { block, row } = found;
  const { lineage } = run;
  const shape = run.shapes[block.shape[row]];
  const to = block.to[row] < 0 ? 'everyone' : `node ${nodeText(run.about, block.to[row])}`;
  const packet = block.packet[row];
  const sent = lineage?.sending(packet);
  const result = run.words[block.result[row]];
  const unanswered = run.words[block.unanswered[row]];
  const flow = block.flow[row] >= 0 ? ` of flow ${block.flow[row]}` : '';
  const carries =
    lineage && sent !== undefined
      ? packetOf(lineage, sent)
      : `${run.words[block.carries[row]] || 'nothing'}${flow}`;
  const events = lineage && packet >= 0 ? lineage.ofPacket(packet) : [];
  const by = block.by[row];
  const tries = run.about.words.tries ?? {};
  const inWords = (word: string) =>
    (tries[word] ?? word.replaceAll('_', ' '))
      .replace('{frame}', frameName(shape.kind))
      .replace('{loser}', () => nodeText(run.about, block.to[row]))
      .replace('{peer}', () => nodeText(run.about, block.to[row]));
  return (
    <>
      <h2>
        <i class="key" style={{ background: `var(--kind-${block.kind[row]})` }} />
        {block.kind[row] === EVERYONE ? 'For everyone' : frameName(shape.kind)}, node{' '}
        {nodeText(run.about, block.node[row])} → {to}
        {ofRun(shared, chosen.run)}
      </h2>
      <dl>
        <dt>left</dt>
        <dd>
          <When shared={shared} time={block.from[row]} chosen={chosen} /> for{' '}
          {(shape.lasts_us / 1000).toFixed(3)} ms
        </dd>
        <dt>frame</dt>
        <dd>
          number {chosen.id}: {shape.bytes} bytes at {shape.rate_bps / 1e6} Mb/s
        </dd>
        <dt>about</dt>
        <dd>
          {carries}
          {block.tries[row] >= 0 ? `, try ${block.tries[row]}` : ''}
        </dd>
        <dt>became</dt>
        <dd class={result && result !== 'received' ? 'bad' : ''}>
          {result === 'received'
            ? 'received'
            : result
              ? inWords(result)
              : block.to[row] < 0
                ? 'for everyone'
                : 'still on its way'}
          {unanswered ? `, and not answered: ${inWords(unanswered)}` : ''}
        </dd>
      </dl>
      {by >= 0 && (
        <Stood
          shared={shared}
          run={run}
          number={chosen.run}
          by={by}
          relation={run.words[block.relation[row]]}
          sender={block.node[row]}
        />
      )}
      {events.length > 0 ? (
        <>
          <h3>The packet</h3>
          <Events shared={shared} run={run} number={chosen.run} rows={events} />
        </>
      ) : (
        <p class="hint">
          {run.about.lineage
            ? 'Lineage tells nothing of this packet: it ended well (output.lineage = "losses").'
            : 'This run has no lineage: run it with output.lineage.'}
        </p>
      )}
    </>
  );
}

function Stood(props: {
  shared: Shared;
  run: Run;
  number: number;
  by: number;
  relation: string;
  sender: number;
}) {
  const { shared, run, number, by, relation, sender } = props;
  const [line, setLine] = useState<{ by: number; text: string; time: number } | null>(null);
  useEffect(() => {
    let isWanted = true;
    run.frame(by).then((there) => {
      if (!isWanted || !there) return;
      const [block, row] = there;
      const to = block.to[row] < 0 ? 'everyone' : `node ${nodeText(run.about, block.to[row])}`;
      const name = frameName(run.shapes[block.shape[row]].kind);
      setLine({
        by,
        text: `node ${nodeText(run.about, block.node[row])}'s ${name} to ${to}`,
        time: block.from[row],
      });
    });
    return () => {
      isWanted = false;
    };
  }, [run, by]);
  if (!line || line.by !== by) return null;
  const why = (run.about.words.relations?.[relation] ?? '').replace('{other}', () =>
    nodeText(run.about, sender),
  );
  return (
    <p class="stood">
      In its way: {line.text}, at{' '}
      <When shared={shared} time={line.time} chosen={{ run: number, kind: 'frame', id: by }} />
      {why && `, ${why}`}.
    </p>
  );
}

function Node({ shared, run, state, node }: { shared: Shared; run: Run; state: State; node: number }) {
  const [from, until] = shared.clock.window;
  const seen = state.isPlaying ? null : shown(run, from, until, state.flows);
  const places = run.tracks?.at(state.time);
  const ends = run.about.flows.flatMap((flow, number) => [
    ...(flow.from === node ? [`source of flow ${number} (${flow.protocol})`] : []),
    ...(flow.to === node ? [`destination of flow ${number} (${flow.protocol})`] : []),
  ]);
  const { lineage } = run;
  const events =
    lineage?.lostWithin(from, until, state.flows).filter((row) => lineage.events.node[row] === node) ?? [];
  const collided = seen?.collided.filter((frame) => frame.to === node).length ?? 0;
  return (
    <>
      <h2>
        Node {nodeText(run.about, node)}
        {node in run.about.names && ` (number ${node})`}
        {ofRun(shared, shared.runs.indexOf(run))}
      </h2>
      <dl>
        <dt>is at</dt>
        <dd>
          {places ? `${places[2 * node].toFixed(1)} m, ${places[2 * node + 1].toFixed(1)} m` : '…'}
          {run.tracks?.isDown(node, state.time) ? ', down' : ''}
        </dd>
        {ends.length > 0 && <dt>is</dt>}
        {ends.length > 0 && <dd>{ends.join(', ')}</dd>}
        <dt>in view</dt>
        <dd>
          {seen ? `${collided} frames to it collided` : '…'}, {events.length} packets lost here
        </dd>
      </dl>
      <p class="hint">On the map: how far it is received ({run.about.reception_m} m), and sensed (dashed).</p>
      {lineage && events.length > 0 && (
        <>
          <h3>Lost here</h3>
          <Events shared={shared} run={run} number={shared.runs.indexOf(run)} rows={events} />
        </>
      )}
    </>
  );
}
