/** Begins: reads what the page is told, opens the runs, keeps the clock. */

import { render } from 'preact';
import { Clock, fromHash, type State } from './data/clock';
import { Run } from './data/run';
import { shown } from './data/shown';
import type { About } from './read/types';
import { App } from './ui/App';
import type { Shared } from './ui/context';
import './style.css';

/** A picture is never further from the one before than this, whatever the browser did meanwhile. */
const MOST_STEP_MS = 100;
const FIRST_SPAN_S = 0.1;

function begin(): void {
  const place = document.getElementById('app')!;
  const told = JSON.parse(document.getElementById('hopwright-runs')?.textContent ?? 'null') as About[] | null;
  if (!told?.length) {
    place.textContent = 'This page has no run in it: hopwright view DIR --out FILE.html makes one that has.';
    return;
  }
  const changed = new Set<() => void>();
  const runs = told.map(
    (about, number) =>
      new Run(about, textsOf(about, number), () => {
        for (const each of changed) each();
      }),
  );
  const clock = new Clock(Math.max(...told.map((about) => about.end_s)));
  const shared: Shared = { clock, runs, passed: 0, changed };
  const names = told.map(({ name, folder }) => (told.length > 1 ? `${name} (${folder})` : name));
  document.title = `${names.join(' | ')} – Hopwright`;
  const starts = told.map((about) => about.spans.frames[0]?.[0] ?? 0);
  const first: Partial<State> = {
    span: FIRST_SPAN_S,
    time: Math.min(...starts) + FIRST_SPAN_S / 2,
    flows: told[0].shown_flows,
  };
  clock.set({ ...first, ...sensible(fromHash(location.hash), runs) });
  addEventListener('hashchange', () => clock.set(sensible(fromHash(location.hash), runs)));
  keepTime(shared);
  render(<App shared={shared} />, place);
  // For the console, and for tests.
  Object.assign(window, { hopwright: { clock, runs, shown } });
}

/** The files that lie in the page; they are taken out, as they are large. */
function textsOf(about: About, number: number): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, where] of Object.entries(about.files)) {
    if (typeof where === 'string') continue;
    const element = document.getElementById(`file-${number}-${name}`);
    texts[name] = element?.textContent ?? '';
    element?.remove();
  }
  return texts;
}

/** Without a choice of what is not there. */
function sensible({ flows, ...state }: Partial<State>, runs: Run[]): Partial<State> {
  const { chosen } = state;
  const run = chosen && runs[chosen.run];
  const isThere = run && (chosen.kind !== 'node' || chosen.id < run.about.nodes);
  const known = flows?.filter((flow) => runs.some(({ about }) => flow < about.flows.length));
  return { ...state, ...(known?.length ? { flows: known } : {}), chosen: isThere ? chosen : null };
}

/** While it plays, time goes on from picture to picture. */
function keepTime(shared: Shared): void {
  const { clock } = shared;
  let before = 0;
  const tick = (now: number) => {
    if (!clock.state.isPlaying) {
      before = 0;
      return;
    }
    const passed = before ? Math.min(MOST_STEP_MS, now - before) / 1000 : 0;
    before = now;
    shared.passed = passed * clock.state.speed;
    const time = clock.state.time + shared.passed;
    clock.set({ time, isPlaying: time < clock.end });
    requestAnimationFrame(tick);
  };
  let wasPlaying = false;
  clock.listen(() => {
    const { isPlaying } = clock.state;
    if (isPlaying && !wasPlaying) requestAnimationFrame(tick);
    wasPlaying = isPlaying;
  });
}

begin();
