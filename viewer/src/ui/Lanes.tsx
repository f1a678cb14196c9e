/** The lanes of a run, to be dragged, zoomed and clicked. */

import { useRef } from 'preact/hooks';
import type { Chosen } from '../data/clock';
import type { Run } from '../data/run';
import { drawLanes, hit } from '../draw/lanes';
import { AXIS, type Layout, labelsWidth, mostScroll, rowHeight, timeOf } from '../draw/layout';
import type { Palette } from '../draw/palette';
import { Canvas } from './canvas';
import { type Shared, useShared } from './context';

export function Lanes({ shared, number, palette }: { shared: Shared; number: number; palette: Palette }) {
  const state = useShared(shared);
  const { clock } = shared;
  const run = shared.runs[number];
  const scroll = useRef(0);
  const last = useRef<Layout | null>(null);
  const note = useRef<HTMLDivElement>(null);
  const shownFor = useRef('');
  const chosen = state.chosen?.run === number ? state.chosen : null;

  const layoutFor = (width: number, height: number): Layout => {
    const [from, until] = clock.window;
    const { nodes } = run.about;
    const labels = labelsWidth(run.about.names);
    const layout = { width, height, nodes, labels, row: rowHeight(height, nodes), scroll: 0, from, until };
    show(layout);
    scroll.current = Math.max(0, Math.min(scroll.current, mostScroll(layout)));
    layout.scroll = scroll.current;
    last.current = layout;
    return layout;
  };

  /** Scrolls to the lane of what has just been chosen, if that cannot be seen. */
  const show = (layout: Layout) => {
    // Where the room has become another, too: curves come later than lanes.
    const name = chosen ? `${chosen.kind} ${chosen.id} ${layout.height}` : '';
    if (name === shownFor.current) return;
    const node = chosen && nodeOf(run, chosen, state.time);
    // Of what has not been read yet the lane is not known yet.
    if (node === null) {
      if (!chosen) shownFor.current = '';
      return;
    }
    shownFor.current = name;
    const y = node * layout.row - scroll.current;
    const room = layout.height - AXIS - layout.row;
    if (y < 0 || y > room) scroll.current = node * layout.row - room / 2;
  };

  return (
    <div class="canvas" data-view="lanes">
      <Canvas
        label={`Lanes of ${run.about.nodes} nodes around ${state.time.toFixed(6)} s; the text below tells what is seen`}
        draw={(context, width, height) => {
          const layout = layoutFor(width, height);
          const { flows, time } = state;
          const said = drawLanes(context, { run, palette, layout, chosen, flows, time });
          if (note.current) note.current.textContent = said;
        }}
        onClick={(x, y) => {
          const found = last.current && hit(run, last.current, x, y);
          clock.set({ chosen: found && { run: number, ...found } });
        }}
        onDrag={(dx, dy) => {
          const layout = last.current;
          if (!layout) return;
          scroll.current -= dy;
          clock.set({
            time: clock.state.time - (dx * (layout.until - layout.from)) / (layout.width - layout.labels),
          });
        }}
        onWheel={(event, x, y) => {
          const layout = last.current;
          if (!layout) return;
          if (event.shiftKey || x < layout.labels) {
            scroll.current += event.deltaY || event.deltaX;
            clock.set({});
          } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
            const width = layout.until - layout.from;
            clock.set({ time: clock.state.time + (event.deltaX / layout.width) * width });
          } else if (y > AXIS - 100) {
            clock.zoom(1.0015 ** event.deltaY, timeOf(layout, x));
          }
        }}
      />
      <div class="note" ref={note} />
    </div>
  );
}

/** Whose lane something is in; null where that is not known yet. */
function nodeOf(run: Run, chosen: Chosen, time: number): number | null {
  if (chosen.kind === 'node') return chosen.id;
  if (chosen.kind === 'event') {
    const row = run.lineage?.row(chosen.id);
    return row === undefined ? null : run.lineage!.events.node[row];
  }
  const near = run.frames.seen(time, time, 4);
  const block = near?.blocks.find(({ first, count }) => chosen.id >= first && chosen.id < first + count);
  return block ? block.node[chosen.id - block.first] : null;
}
