/** The reader in a thread of its own, so that the picture moves while files are read. */

import { Overviewer } from './overview';
import { Reader } from './reader';
import type { Asked, Told } from './types';

const tell = (told: Told, moved: Transferable[] = []) => self.postMessage(told, { transfer: moved });
let reader: Reader | undefined;
const waiting: (Asked & { ask: 'read' })[] = [];
let overviewer: Overviewer | undefined;
let isBusy = false;

self.onmessage = ({ data }: MessageEvent<Asked>) => {
  if (data.ask === 'open') {
    reader = new Reader(data.about, data.texts, data.base);
    overviewer = new Overviewer(reader);
  } else {
    waiting.push(data);
  }
  void work();
};

/** What is small and read once comes first, then what was asked for last. */
function takeNext(): (Asked & { ask: 'read' }) | undefined {
  const small = waiting.findIndex(({ what }) => what !== 'frames' && what !== 'waits');
  return small >= 0 ? waiting.splice(small, 1)[0] : waiting.pop();
}

/** What is asked for comes first; the overview is made in between. */
async function work(): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  for (;;) {
    const next = takeNext();
    if (next) await answer(next);
    else if (overviewer && !overviewer.isDone) {
      try {
        const overview = await overviewer.step();
        if (overview) tell({ tell: 'overview', overview });
      } catch (error) {
        overviewer = undefined;
        tell({ tell: 'failed', id: -1, why: String(error) });
      }
    } else break;
    // Messages that came meanwhile are taken.
    await new Promise((resume) => setTimeout(resume));
  }
  isBusy = false;
}

async function answer({ id, what, block }: Asked & { ask: 'read' }): Promise<void> {
  try {
    if (!reader) throw new Error('no run is open');
    const data = await reader.read(what, block);
    const moved = Object.values(data).flatMap((held) => (ArrayBuffer.isView(held) ? [held.buffer] : []));
    tell({ tell: 'read', id, data, words: reader.words.list, shapes: reader.shapes }, moved as ArrayBuffer[]);
  } catch (error) {
    tell({ tell: 'failed', id, why: error instanceof Error ? error.message : String(error) });
  }
}
