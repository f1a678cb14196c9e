/** What nodes are called: by their names, if they have any. */

import type { About } from '../read/types';

export const nodeText = ({ names }: Pick<About, 'names'>, node: number): string =>
  names[node] ?? String(node);
