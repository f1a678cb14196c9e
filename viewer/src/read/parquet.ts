/** Columns of a Parquet file as typed arrays. */

import { decompress } from 'fzstd';
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetRead } from 'hyparquet';

const compressors = { ZSTD: (input: Uint8Array, size: number) => decompress(input, new Uint8Array(size)) };

type Cells = ArrayLike<unknown>;

/** Words as numbers: 0 is none. */
export class Words {
  readonly list: string[] = [''];
  private readonly known = new Map<unknown, number>([
    [null, 0],
    [undefined, 0],
    ['', 0],
  ]);

  code(word: unknown): number {
    const code = this.known.get(word);
    if (code !== undefined) return code;
    this.known.set(word, this.list.length);
    this.list.push(String(word));
    return this.list.length - 1;
  }
}

/** Rows of some columns; a column that the file lacks is full of nothing. */
export class Rows {
  constructor(
    readonly count: number,
    private readonly columns: Map<string, Cells>,
  ) {}

  has(name: string): boolean {
    return this.columns.has(name);
  }

  /** `factor`: what to multiply cells with; `none`: what stands for none. */
  numbers<T extends Float64Array | Float32Array | Int32Array>(
    into: T,
    name: string,
    factor = 1,
    none = -1,
  ): T {
    const cells = this.columns.get(name);
    if (!cells) return into.fill(none) as T;
    for (let row = 0; row < this.count; row++) {
      const cell = cells[row];
      into[row] = cell === null || cell === undefined ? none : Number(cell) * factor;
    }
    return into;
  }

  words(name: string, words: Words): Uint8Array {
    const codes = new Uint8Array(this.count);
    const cells = this.columns.get(name);
    if (cells) for (let row = 0; row < this.count; row++) codes[row] = words.code(cells[row]);
    return codes;
  }

  /** A column of times, seconds, whatever unit the file has it in. */
  times(stem: 'from' | 'lasts' | 'until' | 'time' | 't', none = Number.NaN): Float64Array {
    const into = new Float64Array(this.count);
    for (const [unit, factor] of [
      ['us', 1e-6],
      ['ns', 1e-9],
      ['s', 1],
    ] as const) {
      if (this.has(`${stem}_${unit}`)) return this.numbers(into, `${stem}_${unit}`, factor, none);
    }
    throw new Error(`a file has no column of times '${stem}'`);
  }
}

export class File {
  private constructor(
    private readonly source: AsyncBuffer,
    private readonly metadata: FileMetaData,
  ) {}

  static async open(source: AsyncBuffer): Promise<File> {
    return new File(source, await parquetMetadataAsync(source));
  }

  get count(): number {
    return Number(this.metadata.num_rows);
  }

  /** What the file says about itself. */
  about(key: string): string | undefined {
    return this.metadata.key_value_metadata?.find((each) => each.key === key)?.value;
  }

  /** Rows from `first` up to `end`, all of them without. Reads no other row groups. */
  async rows(columns: readonly string[], first = 0, end = this.count): Promise<Rows> {
    const there = new Set(this.metadata.schema.slice(1).map((element) => element.name));
    const wanted = columns.filter((name) => there.has(name));
    const count = Math.max(0, Math.min(end, this.count) - first);
    const cells = new Map<string, unknown[]>(wanted.map((name) => [name, new Array(count)]));
    if (count > 0 && wanted.length > 0) {
      await parquetRead({
        file: this.source,
        metadata: this.metadata,
        columns: wanted,
        rowStart: first,
        rowEnd: first + count,
        compressors,
        onChunk: ({ columnName, columnData, rowStart }) => {
          const column = cells.get(columnName)!;
          const skip = Math.max(0, first - rowStart);
          const last = Math.min(columnData.length, first + count - rowStart);
          for (let row = skip; row < last; row++) column[rowStart + row - first] = columnData[row];
        },
      });
    }
    return new Rows(count, cells);
  }
}
