/** Events in words: those of `hopwright explain`, which come with the run. */

import type { Lineage } from './lineage';
import { nodeText } from './nodes';

const FRAMES: Record<string, string> = { rts: 'RTS', cts: 'CTS', data: 'data frame', ack: 'ACK' };
const LINKS: Record<string, string> = { collision: ' with', reserved: ' by', carrier: ' with' };

export const frameName = (kind: string) => FRAMES[kind] ?? 'frame';

/** `{loser}` in a text, by what stands for it. */
function filled(text: string, words: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(words[name] ?? ''));
}

const nodeOf = (lineage: Lineage, node: number) => `node ${nodeText(lineage.about, node)}`;

export function said(lineage: Lineage, list: string, word: string): string {
  return lineage.about.words[list]?.[word] ?? word.replaceAll('_', ' ');
}

/** `segment 12 of flow 0`, `the ACK of segment 12 of flow 0`, `a RERR`. */
export function packetOf(lineage: Lineage, row: number): string {
  const { events } = lineage;
  const flow = events.flow[row];
  const of = flow < 0 ? '' : ` of flow ${flow}`;
  const carries = lineage.word(events.carries[row]);
  const first = events.firstByte[row];
  const bytes = lineage.segmentBytes(flow);
  if ((carries === 'segment' || carries === 'request') && first >= 0) {
    if (first === 0) return `the SYN${of}`;
    const request = carries === 'request' ? 'the request for ' : '';
    return `${request}segment ${Math.floor((first - 1) / bytes) + 1}${of}`;
  }
  if (carries === 'ack' && flow >= 0 && first >= 0) {
    const last = Math.floor((first - 1) / bytes);
    return last > 0 ? `the ACK of segment ${last}${of}` : `the first ACK${of}`;
  }
  if (['syn', 'fin', 'reset'].includes(carries)) return `the ${carries.toUpperCase()}${of}`;
  return `a ${carries.startsWith('r') ? carries.toUpperCase() : carries || 'packet'}${of}`;
}

/** Why a try failed. */
export function disturbance(lineage: Lineage, row: number): string {
  const { events } = lineage;
  const frame = lineage.word(events.frame[row]);
  const isAnswer = frame === 'cts' || frame === 'ack';
  const [node, peer] = [events.node[row], events.peer[row]];
  const loser = isAnswer ? node : peer;
  const cause = lineage.word(events.cause[row]);
  const known = lineage.about.words.tries ?? {};
  const named = {
    frame: frameName(frame),
    loser: nodeText(lineage.about, loser),
    peer: nodeText(lineage.about, peer),
  };
  const head = filled(known[cause] ?? known.unanswered ?? cause, named);
  if (events.byNode[row] < 0) return head;
  let line = `${head}${LINKS[cause] ?? ':'} ${nodeOf(lineage, events.byNode[row])}'s ${frameName(lineage.word(events.byFrame[row]))}`;
  const carried = lineage.sending(events.byPacket[row]);
  if (carried !== undefined) line += ` (${packetOf(lineage, carried)})`;
  line += `, sent at ${events.byTime[row].toFixed(6)} s`;
  if (events.byNode[row] === loser) return line;
  const relation = said(lineage, 'relations', lineage.word(events.relation[row]));
  return `${line}, ${filled(relation, { other: nodeText(lineage.about, isAnswer ? peer : node) })}`;
}

/** What happened, in one line without the time. */
export function what(lineage: Lineage, row: number): string {
  const { events } = lineage;
  const [node, peer, flow, tries] = [events.node[row], events.peer[row], events.flow[row], events.tries[row]];
  const cause = lineage.word(events.cause[row]);
  const loss = said(lineage, 'losses', lineage.word(events.loss[row]));
  const packet = packetOf(lineage, row);
  const here = nodeOf(lineage, node);
  switch (lineage.kind(row)) {
    case 'sent':
      return `${here} sent ${packet}`;
    case 'resent':
      return `${here} sent ${packet} again`;
    case 'try': {
      const to = peer < 0 ? 'send a broadcast' : `reach ${nodeOf(lineage, peer)}`;
      if (cause) return `try ${tries} to ${to}: ${disturbance(lineage, row)}`;
      return peer < 0 ? `${here} sent a broadcast` : `${here} reached ${nodeOf(lineage, peer)}`;
    }
    case 'missed':
      return `${here} missed a broadcast: ${said(lineage, 'tries', cause)}`;
    case 'gave_up':
      return `${here} gave up ${packet} to ${nodeOf(lineage, peer)} after ${tries} ${tries === 1 ? 'try' : 'tries'}`;
    case 'route_broke': {
      const over = nodeOf(lineage, peer);
      const stopped = `${here} stopped using its routes over ${over}`;
      if (cause === 'in_range') return `${stopped}, although ${over} was in range: a false route break`;
      return `${stopped}; ${over} was out of range or down`;
    }
    case 'dropped': {
      const lost = events.loss[row] > 0 ? `; loss cause: ${loss}` : '';
      return `${here} dropped ${packet}, because ${said(lineage, 'drops', cause)}${lost}`;
    }
    case 'delivered':
      return `${packet} arrived at ${here}`;
    case 'copied':
      return filled(lineage.about.words.copied?.[cause] ?? 'node {node} sent a copy of {packet}', {
        node: nodeText(lineage.about, node),
        packet,
      });
    case 'rto':
    case 'fast_retransmit': {
      const name = lineage.kind(row) === 'rto' ? 'time-out' : 'fast retransmit';
      const number = Math.floor((events.firstByte[row] - 1) / lineage.segmentBytes(flow)) + 1;
      const why = filled(said(lineage, 'reactions', cause), { loss });
      const where = peer < 0 ? '' : ` (at ${nodeOf(lineage, peer)})`;
      const spurious = events.loss[row] > 0 ? '' : `, so the ${name} was spurious`;
      return `${name} of flow ${flow}: segment ${number} was not acknowledged; ${why}${where}${spurious}`;
    }
    case 'cut': {
      const [before, after] = [events.before[row].toFixed(2), events.after[row].toFixed(2)];
      const how = filled(said(lineage, 'cut', cause), { end: 'sender' });
      return `the window of flow ${flow} was cut from ${before} to ${after} segments ${how}`;
    }
    case 'freeze':
      return `the sender of flow ${flow} froze: it stopped sending`;
    case 'thaw':
      return `the sender of flow ${flow} thawed: it sends again`;
    default:
      return `${lineage.kind(row).replaceAll('_', ' ')}${flow < 0 ? '' : ` of flow ${flow}`} at ${here}`;
  }
}
