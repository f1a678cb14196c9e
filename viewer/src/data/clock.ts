/** The one clock: when we are, how much is seen, what is chosen. A link to a moment holds it. */

import { type Flows, flowsOf } from './flows';

export type Chosen = { run: number; kind: 'frame' | 'node' | 'event'; id: number };
export type Theme = 'auto' | 'light' | 'dark';
export type Views = 'both' | 'lanes' | 'map';

export interface State {
  time: number;
  span: number;
  isPlaying: boolean;
  /** Simulated seconds in a second. */
  speed: number;
  chosen: Chosen | null;
  flows: Flows;
  views: Views;
  line: 'run' | 'view';
  theme: Theme;
  isHelp: boolean;
}

export const SPEEDS = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100];
export const LEAST_SPAN = 1e-5;

export class Clock {
  state: State = {
    ...{ time: 0, span: 0.1, isPlaying: false, speed: 0.01, chosen: null, flows: null },
    ...{ views: 'both', line: 'run', theme: 'auto', isHelp: false },
  };
  private readonly listeners = new Set<() => void>();

  constructor(readonly end: number) {}

  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  set(change: Partial<State>): void {
    const state = { ...this.state, ...change };
    state.time = Math.max(0, Math.min(this.end, Number.isFinite(state.time) ? state.time : 0));
    state.span = Math.max(
      LEAST_SPAN,
      Math.min(this.end * 1.05, Number.isFinite(state.span) ? state.span : 0.1),
    );
    this.state = state;
    for (const listener of this.listeners) listener();
  }

  /** What is seen: from when until when. The moment is in the middle. */
  get window(): [number, number] {
    const { time, span } = this.state;
    return [time - span / 2, time + span / 2];
  }

  /** `factor` below 1: nearer. What is at `time` stays where it is. */
  zoom(factor: number, time = this.state.time): void {
    const span = Math.max(LEAST_SPAN, Math.min(this.end * 1.05, this.state.span * factor));
    const real = span / this.state.span;
    this.set({ span, time: time + (this.state.time - time) * real });
  }
}

/** A moment as the end of an address: `#t=5.4&span=0.1&frame=12`. */
export function toHash({ time, span, chosen, flows, views }: State): string {
  const parts = [`t=${+time.toFixed(9)}`, `span=${+span.toPrecision(6)}`];
  if (chosen) parts.push(`${chosen.kind}=${chosen.run > 0 ? `${chosen.run}:` : ''}${chosen.id}`);
  if (flows !== null) parts.push(`flow=${flows.join(',')}`);
  if (views !== 'both') parts.push(`views=${views}`);
  return `#${parts.join('&')}`;
}

/** The other way round; what makes no sense is left out. */
export function fromHash(hash: string): Partial<State> {
  const said = new URLSearchParams(hash.replace(/^#/, ''));
  const state: Partial<State> = {};
  const number = (name: string) => (said.has(name) ? Number(said.get(name)) : Number.NaN);
  if (number('t') >= 0) state.time = number('t');
  if (number('span') > 0) state.span = number('span');
  const flows = flowsOf(said.get('flow'));
  if (flows) state.flows = flows;
  const views = said.get('views');
  if (views === 'lanes' || views === 'map') state.views = views;
  for (const kind of ['frame', 'node', 'event'] as const) {
    const found = /^(?:(\d+):)?(\d+)$/.exec(said.get(kind) ?? '');
    if (found) state.chosen = { run: Number(found[1] ?? 0), kind, id: Number(found[2]) };
  }
  return state;
}
