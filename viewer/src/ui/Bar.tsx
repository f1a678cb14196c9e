/** The bar above: play, speed, time, what is seen. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { SPEEDS, type Views } from '../data/clock';
import { flowsOf } from '../data/flows';
import { type Shared, useShared } from './context';
import { isDark } from './keys';
import { stepFrame } from './steps';

const seconds = (value: number) =>
  value >= 1
    ? `${+value.toPrecision(3)} s`
    : value >= 1e-3
      ? `${+(value * 1e3).toPrecision(3)} ms`
      : `${+(value * 1e6).toPrecision(3)} µs`;

/** How fast the clock goes, for people: `1/100` of real time. */
const paceOf = (speed: number) =>
  speed >= 1 ? `${speed} ×` : `1/${Math.round(1 / speed).toLocaleString('en')}`;

export function Bar({ shared }: { shared: Shared }) {
  const state = useShared(shared);
  const { clock, runs } = shared;
  const flows = runs.reduce(
    (most, run) => (run.about.flows.length > most.length ? run.about.flows : most),
    runs[0].about.flows,
  );
  // Made once: there may be many, and the bar is made anew for each picture.
  const options = useMemo(
    () =>
      flows.map((flow, number) => (
        <option key={number} value={String(number)}>
          {number}: {flow.from} → {flow.to}, {flow.protocol}
        </option>
      )),
    [flows],
  );
  return (
    <header class="bar">
      <strong class="name" title={runs.map((run) => run.about.folder).join(', ')}>
        {runs.map((run) => `${run.about.name}, seed ${run.about.seed}`).join('  |  ')}
      </strong>
      <span class="group">
        <button
          type="button"
          aria-label="To the frame before"
          title="To the frame before (,)"
          onClick={() => void stepFrame(clock, runs, -1)}
        >
          |◀
        </button>
        <button
          type="button"
          class="play"
          aria-label={state.isPlaying ? 'Pause' : 'Play'}
          title="Play, pause (Space)"
          onClick={() => clock.set({ isPlaying: !state.isPlaying })}
        >
          {state.isPlaying ? '❚❚' : '▶'}
        </button>
        <button
          type="button"
          aria-label="To the next frame"
          title="To the next frame (.)"
          onClick={() => void stepFrame(clock, runs, 1)}
        >
          ▶|
        </button>
        <label>
          speed{' '}
          <select
            value={String(state.speed)}
            onChange={(event) => clock.set({ speed: Number(event.currentTarget.value) })}
          >
            {SPEEDS.map((speed) => (
              <option key={speed} value={String(speed)}>
                {paceOf(speed)}
              </option>
            ))}
          </select>
        </label>
      </span>
      <span class="group">
        <Time shared={shared} />
        <span class="of">of {clock.end} s</span>
        <button type="button" aria-label="Zoom out" title="Zoom out (−)" onClick={() => clock.zoom(2)}>
          −
        </button>
        <output class="span" title="How much is seen">
          {seconds(state.span)}
        </output>
        <button type="button" aria-label="Zoom in" title="Zoom in (+)" onClick={() => clock.zoom(0.5)}>
          +
        </button>
      </span>
      <span class="group">
        <label>
          flow{' '}
          <select
            value={(state.flows ?? []).join(',')}
            onChange={(event) => clock.set({ flows: flowsOf(event.currentTarget.value) })}
          >
            <option value="">all</option>
            {state.flows && state.flows.length > 1 && (
              <option value={state.flows.join(',')}>{state.flows.join(', ')}</option>
            )}
            {options}
          </select>
        </label>
        <label>
          view{' '}
          <select
            value={state.views}
            onChange={(event) => clock.set({ views: event.currentTarget.value as Views })}
          >
            <option value="both">lanes and map</option>
            <option value="lanes">lanes</option>
            <option value="map">map</option>
          </select>
        </label>
        <button
          type="button"
          title="Time line: the whole run, or what is seen (z)"
          onClick={() => clock.set({ line: state.line === 'run' ? 'view' : 'run' })}
        >
          {state.line === 'run' ? 'line: run' : 'line: view'}
        </button>
        <Link />
        <button
          type="button"
          aria-label={isDark(state) ? 'Light colours' : 'Dark colours'}
          title="Light, dark (t)"
          onClick={() => clock.set({ theme: isDark(state) ? 'light' : 'dark' })}
        >
          {isDark(state) ? '☀' : '☾'}
        </button>
        <button
          type="button"
          aria-label="Help"
          title="All keys (?)"
          onClick={() => clock.set({ isHelp: !state.isHelp })}
        >
          ?
        </button>
      </span>
    </header>
  );
}

/** The time, which can be typed. */
function Time({ shared }: { shared: Shared }) {
  const state = useShared(shared);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current && document.activeElement !== input.current)
      input.current.value = state.time.toFixed(6);
  });
  return (
    <input
      ref={input}
      class="time"
      inputMode="decimal"
      aria-label="Time, seconds"
      title="Time in seconds: type one, then Enter"
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        const time = Number(event.currentTarget.value);
        if (Number.isFinite(time)) shared.clock.set({ time, isPlaying: false });
        event.currentTarget.blur();
      }}
    />
  );
}

/** Copies the address of this moment. */
function Link() {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    } catch {
      // Where the clipboard is shut, the address bar has the link.
    }
  };
  return (
    <button type="button" title="Copy a link to this moment" onClick={() => void copy()}>
      {isCopied ? 'copied' : 'link'}
    </button>
  );
}
