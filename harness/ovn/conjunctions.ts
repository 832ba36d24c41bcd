/**
 * Numbers of conjunctions (ovs-actions(7), "conjunction"), which ovn-controller allocates in
 * the order in which it happens to compile: each is renamed after the flows that it is in.
 */
import { sha256 } from '../base/files/digest.js';

/** By the number that the switch holds. */
export type ConjunctionNames = ReadonlyMap<string, string>;

const numbers = /\b(conj_id=|conjunction\()(\d+)/g;

/** Whether a flow names a conjunction: most do not. */
export function isOfConjunction(flow: string): boolean {
  return flow.includes('conj');
}

/** @param flows of one bridge, with canonical cookies. */
export function conjunctionNames(flows: readonly string[]): ConjunctionNames {
  const flowsOf = new Map<string, string[]>();
  for (const flow of flows.filter(isOfConjunction))
    for (const id of new Set([...flow.matchAll(numbers)].map(([, , number = '']) => number)))
      flowsOf.set(id, [...(flowsOf.get(id) ?? []), described(flow, id)]);
  return new Map(
    [...flowsOf].map(([id, texts]) => [id, String(parseInt(digits(texts.toSorted()), 16) + 1)]),
  );
}

/** In 28 bits: OpenFlow has 32 for it. */
function digits(texts: readonly string[]): string {
  return sha256(texts.join('\n')).slice(0, 7);
}

/** What counts, and other numbers, say nothing of this one. */
function described(flow: string, id: string): string {
  return flow
    .replaceAll(
      numbers,
      (_, before: string, number: string) => before + (number === id ? '*' : '?'),
    )
    .replaceAll(/\b(?:duration|n_packets|n_bytes|idle_age)=[^,]*,\s*/g, '');
}

export function renameConjunctions(text: string, names: ConjunctionNames): string {
  if (!isOfConjunction(text)) return text;
  return text.replaceAll(
    numbers,
    (_, before: string, number: string) => before + (names.get(number) ?? number),
  );
}
