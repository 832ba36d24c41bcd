/** Frames: every one at every port, byte by byte, the model's against the switch's. */
import { dissect } from '../packet/dissect/dissect.js';
import { describeFrame, differingFields } from '../packet/dissect/describe-frame.js';
import type { FrameEvent } from '../domain/observation.js';
import type { Count } from '../domain/verdict.js';

/**
 * One frame that is missing, unexpected or different; `fields` names what differs, in the order of
 * the frame.
 */
export interface FrameDifference {
  readonly kind: 'missing' | 'unexpected' | 'different';
  readonly timeUs: number;
  readonly node: string;
  readonly port: string;
  readonly direction: FrameEvent['direction'];
  readonly fields: readonly string[];
  readonly expected: string;
  readonly actual: string;
  /** The expected frame was inside a tunnel: its outer fields come from tunnel fields. */
  readonly tunnelled: boolean;
  /** Nothing at all should have come out of this port. */
  readonly onSilentPort: boolean;
}

export interface FrameComparison {
  /** In order of time: what follows from the first may only be its consequence. */
  readonly differences: readonly FrameDifference[];
  /** Frames expected and compared. */
  readonly frames: Count;
  /** Ports that should stay silent, and that were observed. */
  readonly silence: Count;
}

/** @param ports every port at which frames can be seen, as `node port`. */
export function compareFrames(
  expected: readonly FrameEvent[],
  actual: readonly FrameEvent[],
  ports: ReadonlySet<string>,
): FrameComparison {
  const portsWithOutput = new Set(
    expected
      .filter(({ direction }) => direction === 'out')
      .map(({ node, port }) => `${node} ${port}`),
  );
  const expectedAt = groupByPort(expected);
  const actualAt = groupByPort(actual);
  const eventsByPort = new Map(
    [...actualAt, ...expectedAt].map(([key, events]) => [key, events[0]]),
  );
  const differences: FrameDifference[] = [];
  for (const [key, place] of eventsByPort) {
    if (place === undefined) continue;
    const wanted = expectedAt.get(key) ?? [];
    const seen = actualAt.get(key) ?? [];
    for (let index = 0; index < Math.max(wanted.length, seen.length); index++) {
      const difference = compareOne(wanted[index]?.frame, seen[index]?.frame);
      if (difference === undefined) continue;
      const { timeUs, node, port, direction } = place;
      differences.push({
        ...difference,
        timeUs,
        node,
        port,
        direction,
        onSilentPort: direction === 'out' && !portsWithOutput.has(`${node} ${port}`),
      });
    }
  }
  const silent = [...ports].filter((port) => !portsWithOutput.has(port)).length;
  return {
    differences: differences.sort(
      (a, b) =>
        a.timeUs - b.timeUs || rank[a.direction] - rank[b.direction] || rank[a.kind] - rank[b.kind],
    ),
    frames: { expected: expected.length, made: expected.length, skipped: 0 },
    silence: { expected: silent, made: silent, skipped: 0 },
  };
}

/**
 * At one instant: what went into a switch comes before what came out of it, and what says most
 * comes first.
 */
const rank = { in: 0, out: 1, different: 0, missing: 1, unexpected: 2 } as const;

function compareOne(
  expected: Uint8Array | undefined,
  actual: Uint8Array | undefined,
): Pick<FrameDifference, 'kind' | 'fields' | 'tunnelled' | 'expected' | 'actual'> | undefined {
  if (expected === undefined && actual === undefined) return undefined;
  if (actual === undefined)
    return {
      kind: 'missing',
      fields: [],
      tunnelled: isTunnelled(expected),
      expected: describe(expected),
      actual: 'nothing',
    };
  if (expected === undefined)
    return {
      kind: 'unexpected',
      fields: [],
      tunnelled: false,
      expected: 'nothing',
      actual: describe(actual),
    };
  if (Buffer.compare(expected, actual) === 0) return undefined;
  const fields = differingFields(expected, actual);
  return {
    kind: 'different',
    fields: fields.map(({ name }) => name),
    tunnelled: isTunnelled(expected),
    expected:
      `${describe(expected)} ` +
      `(${fields.map((field) => `${field.name} ${field.expected}`).join(', ')})`,
    actual:
      `${describe(actual)} ` +
      `(${fields.map((field) => `${field.name} ${field.actual}`).join(', ')})`,
  };
}

function isTunnelled(frame: Uint8Array | undefined): boolean {
  return frame !== undefined && dissect(frame).some(({ name }) => name.startsWith('inner.'));
}

function describe(frame: Uint8Array | undefined): string {
  return frame === undefined ? 'nothing' : describeFrame(frame);
}

function groupByPort(events: readonly FrameEvent[]): Map<string, FrameEvent[]> {
  const places = new Map<string, FrameEvent[]>();
  for (const event of events) {
    const key = `${event.timeUs} ${event.node} ${event.port} ${event.direction}`;
    const at = places.get(key);
    if (at === undefined) places.set(key, [event]);
    else at.push(event);
  }
  return places;
}
