/** Calls of Services between real stacks, and what of them was seen at hosts and ports. */
import { assert, Unavailable } from '../../base/errors/errors.js';
import type { HostNote } from '../../domain/observation.js';
import type { AddressAndPort } from '../../domain/plan/nat-plan.js';
import type { HostPlan } from '../../domain/plan/host-plan.js';
import type { TestVector } from '../../domain/test-vector.js';
import { framesOf } from '../captured.js';
import type { RealCluster } from '../open-real-cluster.js';
import { captureProgram } from '../stream-program.js';
import { answeringProgram, callingProgram } from './call-programs.js';
import { startLineProgram, type LineProgram } from './line-program.js';
import { seenPacket, type SeenPacket } from './seen-packets.js';

export interface PlayedCall {
  readonly vector: TestVector;
  readonly ownPort: number;
  readonly notes: readonly HostNote[];
  /** The endpoint that it came to. */
  readonly chosen: AddressAndPort | undefined;
  /** In the order of each pod's port. */
  readonly packets: readonly SeenPacket[];
}

/** Why a stack gave up: an ICMP error, or nobody at the next hop (EHOSTUNREACH). */
export const noRoute = 'no route';

/** Ports of callers: a call is known by its own, which no masquerade has to change. */
const firstPort = 20_000;
const answerLimitMs = 2_500;
const capturedBytes = 80;
const echoPort = 7;

/** One after another. @throws Unavailable when one of its programs fails. */
export async function playCalls(
  { placeOf, hosts }: RealCluster,
  calls: readonly TestVector[],
): Promise<readonly PlayedCall[]> {
  const started: LineProgram[] = [];
  const start = (what: string, host: HostPlan, program: string, args: readonly string[]) => {
    const one = startLineProgram(`${what} ${host.name}`, placeOf(host.name), program, args);
    started.push(one);
    return one;
  };
  try {
    const captures = hosts
      .filter(({ kind }) => kind === 'pod')
      .map((host) => ({
        host,
        program: start('the capture at', host, captureProgram, ['eth0', `${capturedBytes}`]),
      }));
    const answering = hosts.map((host) => ({
      host,
      program: start('the echo service of', host, answeringProgram, listenersOf(host)),
    }));
    const callers = new Map(
      hosts
        .filter(({ name }) => calls.some(({ stimulus }) => stimulus.from === name))
        .map((host) => [host.name, start('the caller', host, callingProgram, [])]),
    );
    for (const one of started) await one.until('ready');
    const ofCallers: (readonly string[])[] = [];
    for (const [index, { stimulus }] of calls.entries()) {
      assert('to' in stimulus && 'port' in stimulus, 'a call has an address and a port');
      const caller = callers.get(stimulus.from);
      if (caller === undefined) throw new Unavailable(`there is no host ${stimulus.from}`);
      const { kind, to, port } = stimulus;
      caller.write(`${kind} ${to} ${port} ${firstPort + index} ${answerLimitMs}`);
      ofCallers.push(await caller.until('over'));
    }
    const ofServers: HostNoteAt[] = [];
    for (const { host, program } of answering)
      for (const line of await program.end()) ofServers.push(noteOfServer(host.name, line));
    const packets: SeenPacket[] = [];
    for (const { host, program } of captures)
      packets.push(...packetsAt(host.name, await program.end()));
    return calls.map((vector, index) =>
      playedCall(vector, firstPort + index, ofCallers[index] ?? [], ofServers, packets),
    );
  } finally {
    for (const one of started) one.kill();
  }
}

function listenersOf({ interfaces, listens = [] }: HostPlan): readonly string[] {
  const ports = [
    `tcp/${echoPort}`,
    `udp/${echoPort}`,
    ...listens.flatMap(({ protocol, port }) =>
      protocol === 'SCTP' ? [] : [`${protocol.toLowerCase()}/${port}`],
    ),
  ];
  return interfaces.flatMap(({ ip }) =>
    [...new Set(ports)].map((one) => one.replace('/', `/${ip}/`)),
  );
}

/** What the capture takes in at the pod's end comes out of the switch. */
function packetsAt(pod: string, lines: readonly string[]): readonly SeenPacket[] {
  return framesOf(`the capture at ${pod}`, lines).flatMap(
    ({ direction, head }) => seenPacket(pod, direction === 'in' ? 'out' : 'in', head) ?? [],
  );
}

interface HostNoteAt {
  readonly note: HostNote;
  readonly peerPort: number;
  readonly local: AddressAndPort;
}

const answered = /^(connected|received-tcp|received-udp|closed|reset) (\S+) (\d+) (\S+) (\d+)$/;

function noteOfServer(host: string, line: string): HostNoteAt {
  const [, what, peer = '', peerPort, ip = '', port] = answered.exec(line) ?? [];
  if (what === undefined) throw new Unavailable(`the echo service of ${host} says: ${line}`);
  return {
    note: noteOf(host, what, 'answerer', { peer, own: ip }),
    peerPort: Number(peerPort),
    local: { ip, port: Number(port) },
  };
}

function noteOf(
  host: string,
  what: string,
  as: 'opener' | 'answerer',
  { peer, own }: { readonly peer: string; readonly own: string },
): HostNote {
  const place = { timeUs: 0, host };
  switch (what) {
    case 'connected':
      return { ...place, kind: 'connected', as, peer };
    case 'received-tcp':
      return { ...place, kind: 'received', what: 'tcp', src: peer, dst: own, ttl: 0 };
    case 'received-udp':
      return { ...place, kind: 'received', what: 'udp', src: peer, dst: own, ttl: 0 };
    case 'closed':
    case 'reset':
    case 'refused':
    case 'timed-out':
      return { ...place, kind: what, peer };
    case 'unreachable':
      return { ...place, kind: what, peer, why: noRoute };
    default:
      throw new Unavailable(`host ${host}: a call has ${what}`);
  }
}

function playedCall(
  vector: TestVector,
  ownPort: number,
  lines: readonly string[],
  ofServers: readonly HostNoteAt[],
  packets: readonly SeenPacket[],
): PlayedCall {
  const { from } = vector.stimulus;
  const to = 'to' in vector.stimulus ? vector.stimulus.to : '';
  const mine = ofServers.filter(({ peerPort }) => peerPort === ownPort);
  const seen = packets.filter(({ ports }) => ports.includes(ownPort));
  // A stack says "refused" of a reset and of an ICMP error alike: only the former is a segment.
  const wasReset = seen.some(({ pod, isReset }) => isReset && pod === from);
  return {
    vector,
    ownPort,
    notes: [
      ...lines.map(
        (line): HostNote =>
          line === 'refused' && !wasReset
            ? { timeUs: 0, host: from, kind: 'unreachable', peer: to, why: 'refused' }
            : noteOf(from, line, 'opener', { peer: to, own: '' }),
      ),
      ...mine.map(({ note }) => note),
    ],
    chosen: mine[0]?.local,
    packets: seen,
  };
}
