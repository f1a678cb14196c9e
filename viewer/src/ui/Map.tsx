/** The map of a run, to be moved, zoomed and clicked. */

import { useRef } from 'preact/hooks';
import { drawMap, type MapScene, nodeUnder, viewOf } from '../draw/map';
import type { Palette } from '../draw/palette';
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
          const { flow, time, span } = state;
          const passed = state.isPlaying ? shared.passed : 0;
          last.current = {
            run,
            palette,
            width,
            height,
            chosen,
            flow,
            time,
            span,
            passed,
            zoom: zoom.current,
          };
          drawMap(context, last.current);
        }}
        onClick={(x, y) => {
          const node = last.current && nodeUnder(last.current, x, y);
          shared.clock.set({ chosen: node === null ? null : { run: number, kind: 'node', id: node } });
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
