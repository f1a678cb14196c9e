/** Windows, round trips, queues and losses over time: to be scrubbed. */

import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Clock } from '../data/clock';
import type { Run } from '../data/run';
import type { Palette } from '../draw/palette';
import { type Shared, useShared } from './context';
import { type Curve, curves, greatest } from './curves';

const HEIGHT = 78;
const LAST_HEIGHT = 98;
const SYNC = 'hopwright';

export function TimeLine({ shared, number, palette }: { shared: Shared; number: number; palette: Palette }) {
  const state = useShared(shared);
  const run = shared.runs[number];
  const place = useRef<HTMLDivElement>(null);
  const plots = useRef<uPlot[]>([]);
  const band = useRef<HTMLDivElement>(null);
  const node = state.chosen?.run === number && state.chosen.kind === 'node' ? state.chosen.id : null;
  const { series, lineage } = run;
  const otherSeries = shared.runs.find((other) => other !== run)?.series;

  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const drawn = curves(run, shared.runs, state.flows, node);
    // Two runs have one scale, so that they can be compared by eye.
    const others = shared.runs.filter((other) => other !== run);
    const all = [...drawn, ...others.flatMap((other) => curves(other, shared.runs, state.flows, node))];
    plots.current = drawn.map((curve, at) =>
      plot(element, curve, all, run, shared.clock, palette, at === drawn.length - 1),
    );
    const fit = () => {
      plots.current.forEach((each, at) => {
        each.setSize({ width: element.clientWidth, height: at === drawn.length - 1 ? LAST_HEIGHT : HEIGHT });
      });
      move();
    };
    const watch = new ResizeObserver(fit);
    watch.observe(element);
    return () => {
      watch.disconnect();
      for (const each of plots.current) each.destroy();
      plots.current = [];
    };
  }, [run, series, otherSeries, lineage, state.flows, node, palette]);

  const range = (): [number, number] => (state.line === 'run' ? [0, run.about.end_s] : shared.clock.window);
  const move = () => {
    const [min, max] = range();
    for (const each of plots.current) {
      if (each.scales.x.min !== min || each.scales.x.max !== max) each.setScale('x', { min, max });
    }
    const [first] = plots.current;
    const mark = band.current;
    if (!first || !mark) return;
    const ratio = window.devicePixelRatio || 1;
    const left = first.bbox.left / ratio;
    const width = first.bbox.width / ratio;
    const x = (time: number) => Math.max(0, Math.min(width, ((time - min) / (max - min)) * width));
    const [from, until] = shared.clock.window;
    mark.style.left = `${left + x(from)}px`;
    mark.style.width = `${Math.max(1, x(until) - x(from))}px`;
    mark.style.setProperty('--now', `${x(state.time) - x(from)}px`);
  };
  useEffect(move);

  if (!series) {
    const isComing = 'series.parquet' in run.about.files;
    const said = isComing ? 'Reading curves …' : 'This run has no series.parquet: no curves over time.';
    return <div class="timeline empty">{said}</div>;
  }
  return (
    <div class="timeline" data-view="timeline">
      <div ref={place} />
      <div class="band" ref={band} />
    </div>
  );
}

function plot(
  element: HTMLElement,
  curve: Curve,
  all: Curve[],
  run: Run,
  clock: Clock,
  palette: Palette,
  isLast: boolean,
): uPlot {
  const axis = { stroke: palette.faint, grid: { stroke: palette.line, width: 0.5 }, ticks: { show: false } };
  const made = new uPlot(
    {
      width: Math.max(200, element.clientWidth),
      height: isLast ? LAST_HEIGHT : HEIGHT,
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, sync: { key: SYNC }, points: { show: false } },
      padding: [6, 20, isLast ? 0 : 6, 0],
      scales: {
        x: { time: false, min: 0, max: run.about.end_s, range: (_, min, max) => [min, max] },
        y: { range: (each) => [0, top(all, curve.kind, each)] },
      },
      axes: [
        isLast
          ? { ...axis, size: 22, values: (_, times) => times.map((time) => `${+time.toPrecision(9)} s`) }
          : { ...axis, show: false },
        {
          ...axis,
          size: 62,
          space: 22,
          label: curve.title,
          labelSize: 14,
          labelFont: '11px system-ui',
          font: '11px system-ui',
          labelGap: 0,
        },
      ],
      series: [
        {},
        ...curve.colours.map((colour) => ({
          stroke: palette.flows[colour % palette.flows.length],
          width: 1.25,
          spanGaps: true,
          points: { show: curve.isDots, size: 3, fill: palette.flows[colour % palette.flows.length] },
          paths: curve.isDots ? () => null : uPlot.paths.stepped!({ align: 1 }),
        })),
      ],
      hooks: { draw: [(each) => losses(each, curve, palette)] },
    },
    curve.data,
    element,
  );
  made.over.setAttribute('role', 'img');
  made.over.setAttribute('aria-label', `${curve.title} over time; click to go there`);
  const go = (event: PointerEvent) => clock.set({ time: made.posToVal(event.offsetX, 'x') });
  made.over.addEventListener('pointerdown', (event) => {
    made.over.setPointerCapture(event.pointerId);
    go(event);
  });
  made.over.addEventListener('pointermove', (event) => {
    if (event.buttons & 1) go(event);
  });
  made.over.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      clock.zoom(1.0015 ** event.deltaY);
    },
    { passive: false },
  );
  return made;
}

/** The upper end of the axis: just above all that is seen. */
function top(all: Curve[], kind: Curve['kind'], { scales }: uPlot): number {
  const most = greatest(all, kind, scales.x.min ?? 0, scales.x.max ?? Number.POSITIVE_INFINITY);
  return most > 0 ? 1.1 * most : 1;
}

/** Losses as marks at the upper edge. */
function losses(each: uPlot, curve: Curve, palette: Palette): void {
  if (curve.losses.length === 0) return;
  const { ctx, bbox } = each;
  ctx.save();
  ctx.fillStyle = palette.lost;
  const ratio = window.devicePixelRatio || 1;
  for (const time of curve.losses) {
    const x = each.valToPos(time, 'x', true);
    if (x >= bbox.left && x <= bbox.left + bbox.width)
      ctx.fillRect(x - 0.75 * ratio, bbox.top, 1.5 * ratio, 8 * ratio);
  }
  ctx.restore();
}
