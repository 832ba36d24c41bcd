/**
 * A vector with a little less in it: fewer passes, calls and bytes, nothing out of the ordinary.
 */
import type { PayloadSpec, Stimulus, TestVector } from '../domain/test-vector.js';

export function simplerVectors(vector: TestVector): readonly TestVector[] {
  return [
    ...(vector.depth === 'cold' ? [] : [{ ...vector, depth: 'cold' as const }]),
    ...simplerStimuli(vector.stimulus).map((stimulus) => ({ ...vector, stimulus })),
  ];
}

function simplerStimuli(stimulus: Stimulus): readonly Stimulus[] {
  switch (stimulus.kind) {
    case 'ping':
    case 'udp':
      return without(stimulus, ['ttl']);
    case 'tcp':
      return without(stimulus, ['interjection', 'ttl', 'transmissions']);
    case 'probe':
    case 'sctp':
      return without(stimulus, ['transmissions']);
    case 'calls':
      return [
        ...fewer(stimulus.count).map((count) => ({ ...stimulus, count })),
        ...without(stimulus, ['ttl']),
      ];
    case 'frame':
      return simplerPayloads(stimulus.frame.payload).map((payload) => ({
        ...stimulus,
        frame: { ...stimulus.frame, payload },
      }));
    case 'open':
    case 'talk':
    case 'arp':
    case 'dhcp':
    case 'announcement':
      return [];
  }
}

function without<Some extends Stimulus>(
  stimulus: Some,
  keys: readonly string[],
): readonly Stimulus[] {
  return keys
    .filter((key) => key in stimulus)
    .map(
      (key) =>
        Object.fromEntries(
          Object.entries(stimulus).filter(([name]) => name !== key),
        ) as unknown as Stimulus,
    );
}

function fewer(count: number): readonly number[] {
  return [...new Set([1, Math.floor(count / 2), count - 1])].filter(
    (some) => some >= 1 && some < count,
  );
}

/** Bytes of an unknown protocol: half of them, one less, one of them zero. */
function simplerPayloads(payload: PayloadSpec): readonly PayloadSpec[] {
  if (payload.kind !== 'other') return [];
  const { hex } = payload;
  const length = hex.length / 2;
  const shorter = [...new Set([0, Math.floor(length / 2), length - 1])].filter(
    (some) => some >= 0 && some < length,
  );
  const zeroed = Array.from({ length }, (_, index) => index)
    .filter((index) => hex.slice(2 * index, 2 * index + 2) !== '00')
    .map((index) => `${hex.slice(0, 2 * index)}00${hex.slice(2 * index + 2)}`);
  return [...shorter.map((some) => hex.slice(0, 2 * some)), ...zeroed].map((simpler) => ({
    ...payload,
    hex: simpler,
  }));
}
