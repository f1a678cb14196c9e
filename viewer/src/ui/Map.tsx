/** The map of a run, to be moved, zoomed and clicked. */

import { useRef } from 'preact/hooks';
import { drawMap, type MapScene, viewOf } from '../draw/map';
import type { Palette } from '../draw/palette';
import { pick } from '../draw/pick';
import { Canvas } from './canvas';
import { type Shared, useShared } from './context';

export function MapView({ shared, number, palette }: { shared: Shared; number: number; palette: Palette }) {
  const state = useShared(shared);
  const run = shared.runs[number];
  const zoom = useRef({ factor: 1, x: 0, y: 0 });
  const last = useRef<MapScene | null>(null);
  const chosen = state.chosen?.run === number ? state.chosen : null;
  return (
    <div class="canvas" data-view="map">
      <Canvas
        label={`Map of ${run.about.nodes} nodes at ${state.time.toFixed(6)} s`}
        draw={(context, width, height) => {
          const { flows, time, span } = state;
          const passed = state.isPlaying ? shared.passed : 0;
          last.current = {
            run,
            palette,
            width,
            height,
            chosen,
            flows,
            time,
            span,
            passed,
            zoom: zoom.current,
          };
          drawMap(context, last.current);
        }}
        onClick={(x, y) => {
          const { clock } = shared;
          const found = last.current && pick(last.current, x, y);
          if (!found) {
            clock.set({ chosen: null });
            return;
          }
          const { kind, id, from } = found;
          const [first, end] = clock.window;
          // The last frame of a link may have left before what the lanes show.
          const isSeen = from === undefined || (from >= first && from < end);
          clock.set({ chosen: { run: number, kind, id }, ...(isSeen ? {} : { time: from }) });
        }}
        onDrag={(dx, dy) => {
          const view = last.current && viewOf(last.current);
          if (!view) return;
          zoom.current.x -= dx / view.scale;
          zoom.current.y += dy / view.scale;
          shared.clock.set({});
        }}
        onWheel={(event) => {
          const factor = Math.max(1, Math.min(40, zoom.current.factor * 0.9985 ** event.deltaY));
          zoom.current = factor === 1 ? { factor, x: 0, y: 0 } : { ...zoom.current, factor };
          shared.clock.set({});
        }}
      />
    </div>
  );
}
