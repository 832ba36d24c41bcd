/** Calls held to what was promised, and to what the model says: hosts, addresses, packets. */
import { judgeIntent } from '../../compare/judge-intent.js';
import type { HostNote } from '../../domain/observation.js';
import type { Intent } from '../../domain/intent.js';
import { noRoute, type PlayedCall } from './play-calls.js';
import type { PredictedCall } from './predict-call.js';
import type { SeenPacket } from './seen-packets.js';

export interface JudgedCall {
  readonly id: string;
  /** The endpoint that it came to, as `IP:PORT`; missing where nobody got it. */
  readonly endpoint?: string;
  readonly packets: number;
  /** A freedom of real stacks that it took. */
  readonly freedom?: typeof saysNoNextHop;
  /** What differs, in words; the promise first. */
  readonly differences: readonly string[];
}

/**
 * A node that finds nobody at the next hop says so to the sender (RFC 1812, section 5.2.7.1), when
 * it gives up asking; the fabric's keeps silent.
 */
export const saysNoNextHop = 'a node says that it finds no next hop';

export function judgeCall(
  { vector, notes: noted, chosen, packets }: PlayedCall,
  intent: Intent,
  predicted: PredictedCall,
): JudgedCall {
  const isFree = chosen === undefined && predicted.notes.some(({ kind }) => kind === 'timed-out');
  const notes = isFree ? noted.map(withoutNextHop) : noted;
  const broken = judgeIntent(intent, vector.stimulus, { frames: [], notes });
  const [expected, actual] = [textsOf(predicted.packets), textsOf(packets)];
  return {
    id: vector.id,
    ...(chosen === undefined ? {} : { endpoint: `${chosen.ip}:${chosen.port}` }),
    packets: actual.length,
    ...(notes.some((note, index) => note !== noted[index]) ? { freedom: saysNoNextHop } : {}),
    differences: [
      ...(broken === undefined
        ? []
        : [`promised: ${broken.expected}; on real stacks: ${broken.actual}`]),
      ...difference('hosts note', noteTexts(predicted.notes), noteTexts(notes)),
      ...difference('at ports of pods', expected, actual),
    ],
  };
}

function withoutNextHop(note: HostNote): HostNote {
  return note.kind === 'unreachable' && note.why === noRoute
    ? { timeUs: note.timeUs, host: note.host, kind: 'timed-out', peer: note.peer }
    : note;
}

function difference(
  where: string,
  expected: readonly string[],
  actual: readonly string[],
): readonly string[] {
  const missing = expected.filter((text) => !actual.includes(text));
  const more = actual.filter((text) => !expected.includes(text));
  return [
    ...missing.map((text) => `${where}: in the model alone: ${text}`),
    ...more.map((text) => `${where}: on real stacks alone: ${text}`),
  ];
}

/** What is sent again is the same once more. */
function textsOf(packets: readonly SeenPacket[]): readonly string[] {
  return [...new Set(packets.map(({ text }) => text))].sort();
}

/** Neighbours that are asked for, and why a stack drops, are each stack's own. */
function noteTexts(notes: readonly HostNote[]): readonly string[] {
  return notes.flatMap((note) => noteText(note) ?? []).sort();
}

function noteText(note: HostNote): string | undefined {
  switch (note.kind) {
    case 'connected':
      return `${note.host} is connected as ${note.as} with ${note.peer}`;
    case 'received':
      return `${note.host} gets ${note.what} from ${note.src}`;
    case 'closed':
    case 'refused':
    case 'reset':
    case 'timed-out':
    case 'unreachable':
      return `${note.host}: ${note.kind} ${note.peer}`;
    default:
      return undefined;
  }
}
