/** What keys do: the list that the help shows, and the one that is looked at when a key is pressed. */

import { type Clock, SPEEDS, type State } from '../data/clock';
import type { Run } from '../data/run';
import { stepFrame, stepLoss } from './steps';

interface Key {
  keys: string[];
  shown: string;
  does: string;
  run: (clock: Clock, runs: Run[], key: string) => void;
}

const pan = (clock: Clock, part: number) => clock.set({ time: clock.state.time + part * clock.state.span });

export function speedStep({ speed }: State, step: 1 | -1): number {
  const next =
    step > 0 ? SPEEDS.find((each) => each > speed * 1.001) : SPEEDS.findLast((each) => each < speed * 0.999);
  return next ?? speed;
}

function nextFlow(clock: Clock, runs: Run[]): void {
  const count = Math.max(...runs.map((run) => run.about.flows.length));
  const { flows } = clock.state;
  const next = flows === null ? 0 : Math.max(...flows) + 1;
  clock.set({ flows: next < count ? [next] : null });
}

export const KEYS: Key[] = [
  {
    keys: [' '],
    shown: 'Space',
    does: 'play, pause',
    run: (clock) => clock.set({ isPlaying: !clock.state.isPlaying }),
  },
  {
    ...{ keys: ['[', ']'], shown: '[ ]', does: 'slower, faster' },
    run: (clock, _, key) => clock.set({ speed: speedStep(clock.state, key === ']' ? 1 : -1) }),
  },
  {
    ...{
      keys: [',', '.'],
      shown: ', .',
      does: 'to the frame before, to the next frame (of the chosen flow or node)',
    },
    run: (clock, runs, key) => void stepFrame(clock, runs, key === '.' ? 1 : -1),
  },
  {
    ...{ keys: ['p', 'n'], shown: 'p n', does: 'to the loss before, to the next loss, with its story' },
    run: (clock, runs, key) => stepLoss(clock, runs, key === 'n' ? 1 : -1),
  },
  {
    ...{ keys: ['ArrowLeft', 'ArrowRight'], shown: '← →', does: 'a tenth of what is seen back, on' },
    run: (clock, _, key) => pan(clock, key === 'ArrowRight' ? 0.1 : -0.1),
  },
  {
    ...{ keys: ['PageUp', 'PageDown'], shown: 'PgUp PgDn', does: 'as much as is seen back, on' },
    run: (clock, _, key) => pan(clock, key === 'PageDown' ? 1 : -1),
  },
  {
    ...{ keys: ['Home', 'End'], shown: 'Home End', does: 'to the beginning, to the end' },
    run: (clock, _, key) => clock.set({ time: key === 'Home' ? 0 : clock.end }),
  },
  {
    ...{ keys: ['+', '=', '-'], shown: '+ −', does: 'zoom in, out' },
    run: (clock, _, key) => clock.zoom(key === '-' ? 2 : 0.5),
  },
  {
    ...{ keys: ['0'], shown: '0', does: 'see the whole run' },
    run: (clock) => clock.set({ span: clock.end, time: clock.end / 2 }),
  },
  { keys: ['f'], shown: 'f', does: 'the next flow alone, or all', run: nextFlow },
  {
    ...{ keys: ['ArrowUp', 'ArrowDown'], shown: '↑ ↓', does: 'choose the node above, below' },
    run: (clock, runs, key) => {
      const { chosen } = clock.state;
      const run = chosen?.run ?? 0;
      const at = chosen?.kind === 'node' ? chosen.id + (key === 'ArrowDown' ? 1 : -1) : 0;
      const id = Math.max(0, Math.min(runs[run].about.nodes - 1, at));
      clock.set({ chosen: { run, kind: 'node', id } });
    },
  },
  {
    ...{ keys: ['v'], shown: 'v', does: 'lanes and map, lanes alone, map alone' },
    run: (clock) => {
      const { views } = clock.state;
      clock.set({ views: views === 'both' ? 'lanes' : views === 'lanes' ? 'map' : 'both' });
    },
  },
  {
    ...{ keys: ['z'], shown: 'z', does: 'time line: the whole run, or what is seen' },
    run: (clock) => clock.set({ line: clock.state.line === 'run' ? 'view' : 'run' }),
  },
  {
    ...{ keys: ['t'], shown: 't', does: 'light, dark' },
    run: (clock) => clock.set({ theme: isDark(clock.state) ? 'light' : 'dark' }),
  },
  { keys: ['?'], shown: '?', does: 'this list', run: (clock) => clock.set({ isHelp: !clock.state.isHelp }) },
  {
    keys: ['Escape'],
    shown: 'Esc',
    does: 'choose nothing',
    run: (clock) => clock.set({ isHelp: false, chosen: null }),
  },
];

export function isDark({ theme }: State): boolean {
  return theme === 'dark' || (theme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
}

export function pressed(event: KeyboardEvent, clock: Clock, runs: Run[]): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target as HTMLElement;
  if (['INPUT', 'SELECT', 'TEXTAREA'].includes(target.tagName)) return;
  // A button that has the focus is pressed with the space bar.
  if (event.key === ' ' && target.tagName === 'BUTTON') return;
  const key = KEYS.find(({ keys }) => keys.includes(event.key));
  if (!key) return;
  event.preventDefault();
  key.run(clock, runs, event.key);
}
