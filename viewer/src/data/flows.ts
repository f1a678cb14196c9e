/** Which flows are looked at: some of them, or all (null). */

export type Flows = readonly number[] | null;

export const isOf = (flows: Flows, flow: number): boolean => flows === null || flows.includes(flow);

/** ` of flow 1`, ` of flows 1 and 3`; of all, nothing. */
export function ofFlows(flows: Flows): string {
  if (flows === null) return '';
  const [last, ...first] = [...flows].reverse();
  return first.length ? ` of flows ${first.reverse().join(', ')} and ${last}` : ` of flow ${last}`;
}

/** `1,3`, each once; null for what names no flow. */
export function flowsOf(text: string | null): Flows {
  const found = [...new Set((text ?? '').split(',').filter((each) => /^\d+$/.test(each)))].map(Number);
  return found.length ? found : null;
}
