/** Whether what happened is what was promised: L0 against what the hosts saw. */
import { assertNever } from '../base/errors.js';
import type { Intent } from '../nouns/intent.js';
import type { HostNote, Observation } from '../nouns/observation.js';
import type { Stimulus } from '../nouns/vector.js';

/** The first thing that happened otherwise than promised. */
export interface BrokenPromise {
  readonly expected: string;
  readonly actual: string;
}

/** Undefined when the promise was kept. Judges hosts and addresses alone; frames are compared elsewhere. */
export function judge(intent: Intent, stimulus: Stimulus, seen: Observation): BrokenPromise | undefined {
  const endless = seen.notes.find(({ kind }) => kind === 'endless');
  if (endless !== undefined) return { expected: 'the frames come to rest', actual: describe(endless) };
  switch (intent.kind) {
    case 'round-trip':
      return judgeRoundTrip(intent, stimulus, seen.notes);
    case 'resolves':
      return judgeResolution(intent, stimulus, seen.notes);
    case 'denied':
      return judgeDenied(intent.why, stimulus, seen.notes);
    case 'blocked':
      return judgeBlocked(intent.why, stimulus, seen);
    default:
      return assertNever(intent);
  }
}

function judgeRoundTrip(intent: Extract<Intent, { kind: 'round-trip' }>, stimulus: Stimulus, notes: readonly HostNote[]): BrokenPromise | undefined {
  const expected = `${intent.to} gets it once, from ${intent.source}, and ${stimulus.from} gets one answer from ${destinationOf(stimulus) ?? 'it'}`;
  const deliveries = notes.filter((note) => note.kind === 'received' && note.host !== stimulus.from);
  const answers = notes.filter((note) => note.kind === 'received' && note.host === stimulus.from);
  const [delivery] = deliveries;
  if (delivery === undefined) return { expected, actual: 'nobody got it' };
  const wrong = deliveries.find((note) => note.host !== intent.to || (note.kind === 'received' && note.src !== intent.source));
  if (wrong !== undefined) return { expected, actual: describe(wrong) };
  if (deliveries.length > 1) return { expected, actual: `${intent.to} got it ${deliveries.length} times` };
  const [answer] = answers;
  if (answer === undefined) return { expected, actual: `${stimulus.from} got no answer` };
  if (answers.length > 1) return { expected, actual: `${stimulus.from} got ${answers.length} answers` };
  return answer.kind === 'received' && answer.src === destinationOf(stimulus) ? undefined : { expected, actual: describe(answer) };
}

function judgeResolution(intent: Extract<Intent, { kind: 'resolves' }>, stimulus: Stimulus, notes: readonly HostNote[]): BrokenPromise | undefined {
  const expected = `${stimulus.from} learns that ${intent.ip} is at ${intent.mac}`;
  const [answer, ...more] = notes.filter((note) => note.host === stimulus.from && (note.kind === 'resolved' || note.kind === 'unresolved'));
  if (answer?.kind !== 'resolved') return { expected, actual: 'nobody answered' };
  if (answer.ip !== intent.ip || answer.mac !== intent.mac) return { expected, actual: describe(answer) };
  if (more.length > 0) return { expected, actual: `${stimulus.from} got ${more.length + 1} answers` };
  return undefined;
}

function judgeDenied(why: string, stimulus: Stimulus, notes: readonly HostNote[]): BrokenPromise | undefined {
  const leak = notes.find((note) => note.kind === 'received' || (isArp(stimulus) && note.kind === 'resolved' && note.host === stimulus.from));
  return leak === undefined ? undefined : { expected: `nobody gets it: ${why}`, actual: describe(leak) };
}

function judgeBlocked(why: string, stimulus: Stimulus, seen: Observation): BrokenPromise | undefined {
  const expected = `no frame comes out anywhere: ${why}`;
  const leak = seen.frames.find(({ direction }) => direction === 'out');
  if (leak !== undefined) return { expected, actual: `a frame came out of ${leak.port} on ${leak.node}` };
  return judgeDenied(why, stimulus, seen.notes);
}

/** The IP address that the sender wrote to, where it wrote to one: the answer comes from there. */
function destinationOf(stimulus: Stimulus): string | undefined {
  switch (stimulus.kind) {
    case 'ping':
    case 'udp':
      return stimulus.to;
    case 'arp':
      return undefined;
    case 'frame':
      return 'dst' in stimulus.frame.payload ? stimulus.frame.payload.dst : undefined;
  }
}

function isArp(stimulus: Stimulus): boolean {
  return stimulus.kind === 'arp' || (stimulus.kind === 'frame' && stimulus.frame.payload.kind === 'arp');
}

function describe(note: HostNote): string {
  switch (note.kind) {
    case 'received':
      return `${note.host} got ${names[note.what]} from ${note.src}`;
    case 'resolved':
      return `${note.host} learned that ${note.ip} is at ${note.mac}`;
    case 'unresolved':
      return `${note.host} got no answer for ${note.ip}`;
    case 'dropped':
      return `${note.host} dropped it: ${note.why}`;
    case 'endless':
      return `what ${note.host} sent goes round and round`;
  }
}

const names = { 'echo-request': 'an echo request', 'echo-reply': 'an echo reply', udp: 'a UDP datagram' } as const;
