/** What all parts of the page share. */

import { useEffect, useState } from 'preact/hooks';
import type { Clock, State } from '../data/clock';
import type { Run } from '../data/run';

export interface Shared {
  clock: Clock;
  runs: Run[];
  /** How much simulated time the last picture took. */
  passed: number;
  /** Is called when more of a run has been read. */
  changed: Set<() => void>;
}

/** The clock's state; whoever calls this is drawn anew when it changes, or when more has been read. */
export function useShared(shared: Shared): State {
  const [, again] = useState(0);
  useEffect(() => {
    let asked = 0;
    const renew = () => {
      if (asked) return;
      asked = requestAnimationFrame(() => {
        asked = 0;
        again((count) => count + 1);
      });
    };
    const stop = shared.clock.listen(renew);
    shared.changed.add(renew);
    return () => {
      stop();
      shared.changed.delete(renew);
      cancelAnimationFrame(asked);
    };
  }, [shared]);
  return shared.clock.state;
}
