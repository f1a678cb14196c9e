/** The page: a bar, each run with its lanes, map and time line, and the story of what is chosen. */

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { toHash } from '../data/clock';
import { ofFlows } from '../data/flows';
import type { Run } from '../data/run';
import { type Shown, shown } from '../data/shown';
import { DARK, LIGHT, type Palette } from '../draw/palette';
import { Bar } from './Bar';
import { type Shared, useShared } from './context';
import { Help, Legend } from './Help';
import { isDark, pressed } from './keys';
import { Lanes } from './Lanes';
import { MapView } from './Map';
import { Story } from './Story';
import { TimeLine } from './TimeLine';

/** Of more the map needs more room than a strip. */
const MOST_IN_A_ROW = 30;

export function App({ shared }: { shared: Shared }) {
  const state = useShared(shared);
  const { clock, runs } = shared;
  const [, renew] = useState(0);
  useEffect(() => {
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const changed = () => renew((count) => count + 1);
    scheme.addEventListener('change', changed);
    const key = (event: KeyboardEvent) => pressed(event, clock, runs);
    addEventListener('keydown', key);
    return () => {
      scheme.removeEventListener('change', changed);
      removeEventListener('keydown', key);
    };
  }, [clock, runs]);
  useEffect(() => {
    // Each picture of a run that plays would be an entry too many for browsers.
    const wait = setTimeout(
      () => history.replaceState(null, '', toHash(state)),
      state.isPlaying ? 1000 : 120,
    );
    return () => clearTimeout(wait);
  }, [state]);
  const palette = isDark(state) ? DARK : LIGHT;
  useLayoutEffect(() => colours(palette), [palette]);
  return (
    <div class={`page runs-${runs.length} views-${state.views}`}>
      <Bar shared={shared} />
      <main>
        {runs.map((run, number) => (
          <section class="run" key={number} aria-label={`Run ${run.about.folder}`}>
            {runs.length > 1 && (
              <h2 class="title">
                {'AB'[number]}: {run.about.folder}
              </h2>
            )}
            {run.failure && (
              <p class="failure" role="alert">
                {run.failure}
              </p>
            )}
            <div class={isFlat(run) ? 'views flat' : 'views'}>
              {state.views !== 'map' && <Lanes shared={shared} number={number} palette={palette} />}
              {state.views !== 'lanes' && <MapView shared={shared} number={number} palette={palette} />}
            </div>
            <Numbers shared={shared} number={number} />
            <TimeLine shared={shared} number={number} palette={palette} />
          </section>
        ))}
      </main>
      <Story shared={shared} />
      <footer>
        <Legend />
      </footer>
      {state.isHelp && <Help close={() => clock.set({ isHelp: false })} />}
    </div>
  );
}

/** Of nodes in a row the map is a strip below the lanes. */
function isFlat({ tracks, about: { nodes } }: Run): boolean {
  const box = tracks?.box;
  return box !== undefined && nodes <= MOST_IN_A_ROW && box.x1 - box.x0 > 5 * (box.y1 - box.y0);
}

/** So often numbers are counted anew while the picture moves, milliseconds. */
const COUNTED_EVERY = 150;

/** What is seen, in numbers: for who cannot see the picture, too. */
function Numbers({ shared, number }: { shared: Shared; number: number }) {
  const state = useShared(shared);
  const run = shared.runs[number];
  const counted = useRef<{ at: number; found: Shown | null }>({ at: Number.NEGATIVE_INFINITY, found: null });
  const [, again] = useState(0);
  const since = performance.now() - counted.current.at;
  const isLate = since < COUNTED_EVERY;
  if (!isLate) {
    const [from, until] = shared.clock.window;
    counted.current = { at: performance.now(), found: shown(run, from, until, state.flows) };
  }
  useEffect(() => {
    if (!isLate) return;
    const wait = setTimeout(() => again((count) => count + 1), COUNTED_EVERY - since);
    return () => clearTimeout(wait);
  });
  const { found } = counted.current;
  if (!found) return <p class="numbers">Zoom in for numbers: too much is seen at once.</p>;
  if (!found.isWhole && found.frames === 0) {
    return (
      <p class="numbers" data-ready="no">
        In view{ofFlows(state.flows)}: reading …
      </p>
    );
  }
  const collisions = found.collided.length + found.missed.length;
  const isReady = !isLate && found.isWhole && (run.lineage || !run.about.lineage);
  return (
    <p class="numbers" aria-live={state.isPlaying ? 'off' : 'polite'} data-ready={isReady ? 'yes' : 'no'}>
      In view{ofFlows(state.flows)}: <b data-count="frames">{found.frames}</b>{' '}
      {found.frames === 1 ? 'frame' : 'frames'}, <b data-count="collisions">{collisions}</b>{' '}
      {collisions === 1 ? 'collision' : 'collisions'}
      {run.about.lineage && (
        <>
          , <b data-count="losses">{found.losses.length}</b>{' '}
          {found.losses.length === 1 ? 'packet' : 'packets'} lost
        </>
      )}
    </p>
  );
}

/** The palette for what is no canvas. */
function colours(palette: Palette): void {
  const style = document.documentElement.style;
  style.colorScheme = palette.isDark ? 'dark' : 'light';
  palette.kinds.forEach((colour, kind) => {
    style.setProperty(`--kind-${kind}`, colour);
  });
  for (const name of [
    'ground',
    'stripe',
    'line',
    'text',
    'faint',
    'lost',
    'backoff',
    'reserved',
    'decodes',
    'senses',
    'queue',
  ] as const) {
    style.setProperty(`--${name}`, palette[name]);
  }
}
