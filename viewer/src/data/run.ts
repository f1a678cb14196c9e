/** A run as who draws sees it: what is small at once, what is large part by part as it is looked at. */

import type {
  About,
  Answers,
  Asked,
  FramesBlock,
  Hearing,
  Overview,
  Series,
  Shape,
  Told,
  WaitsBlock,
  What,
} from '../read/types';
import ReaderWorker from '../read/worker?worker&inline';
import { Blocks } from './blocks';
import { Lineage } from './lineage';
import { Tracks } from './tracks';

const MOST_FRAME_BLOCKS = 120;
const MOST_WAIT_BLOCKS = 60;

export class Run {
  words: string[] = [''];
  shapes: Shape[];
  overview?: Overview;
  hearing?: Hearing;
  tracks?: Tracks;
  lineage?: Lineage;
  series?: Series;
  failure = '';
  readonly frames: Blocks<FramesBlock>;
  readonly waits: Blocks<WaitsBlock>;
  private readonly worker = new ReaderWorker();
  private readonly asked = new Map<number, { done: (data: never) => void; failed: (why: Error) => void }>();
  private count = 0;

  /** `changed`: is called when there is more to be drawn. */
  constructor(
    readonly about: About,
    texts: Record<string, string>,
    private readonly changed: () => void,
  ) {
    this.shapes = about.shapes ?? [];
    const { spans } = about;
    this.frames = new Blocks(spans.frames, MOST_FRAME_BLOCKS, (block) => this.read('frames', block), changed);
    this.waits = new Blocks(spans.lanes, MOST_WAIT_BLOCKS, (block) => this.read('waits', block), changed);
    this.worker.onmessage = ({ data }: MessageEvent<Told>) => this.take(data);
    this.worker.onerror = (event) => this.fail(event.message || 'the reader could not be started');
    this.ask({ ask: 'open', about, texts, base: location.href });
    void this.open();
  }

  /** The frame with a number, if its part of the file is there or once it is. */
  async frame(number: number): Promise<[FramesBlock, number] | undefined> {
    const place = Math.floor(number / this.about.block);
    if (number < 0 || place >= this.about.spans.frames.length) return undefined;
    const block = await this.frames.wait(place);
    const row = number - block.first;
    return row < block.count ? [block, row] : undefined;
  }

  /** Words of a run may have numbers that are known only once they have come. */
  code(word: string): number {
    return this.words.indexOf(word);
  }

  private async open(): Promise<void> {
    try {
      this.tracks = new Tracks(await this.read('legs', 0), this.about.nodes);
      this.changed();
      this.hearing = await this.read('hearing', 0);
      this.changed();
      if ('events.parquet' in this.about.files) {
        this.lineage = new Lineage(await this.read('events', 0), this.about);
        this.lineage.words = this.words;
        this.changed();
      }
      if ('series.parquet' in this.about.files) this.series = await this.read('series', 0);
      this.changed();
    } catch (error) {
      this.fail(error instanceof Error ? error.message : String(error));
    }
  }

  private read<W extends What>(what: W, block: number): Promise<Answers[W]> {
    this.count += 1;
    const id = this.count;
    return new Promise<Answers[W]>((done, failed) => {
      this.asked.set(id, { done, failed });
      this.ask({ ask: 'read', id, what, block });
    });
  }

  private ask(asked: Asked): void {
    this.worker.postMessage(asked);
  }

  private take(told: Told): void {
    if (told.tell === 'overview') {
      this.overview = told.overview;
      this.changed();
      return;
    }
    const who = this.asked.get(told.id);
    this.asked.delete(told.id);
    if (told.tell === 'failed') {
      if (who) who.failed(new Error(told.why));
      else this.fail(told.why);
      return;
    }
    this.words = told.words;
    this.shapes = told.shapes;
    if (this.lineage) this.lineage.words = told.words;
    who?.done(told.data as never);
  }

  private fail(why: string): void {
    this.failure = why;
    console.error(why);
    this.changed();
  }
}
