/**
 * One case of the fuzzer as plain data: what bridges hold, and what happens to them, step by step.
 */
import type { SwitchCall } from '../domain/switching.js';
import { optionFields } from '../model/fields/tunnel-options.js';
import type { Field } from '../openflow/match/fields.js';
import { parseFlow, type Flow } from '../openflow/flows/flow.js';
import { noNames, type Names } from '../openflow/syntax/form.js';
import { parseGroup } from '../openflow/groups/parse-group.js';
import type { Group } from '../openflow/groups/group.js';
import { parseTlvMap } from '../openflow/syntax/tlv-map.js';
import { node, nodeOf, tunnelOptions, type Programs } from './fuzz-network.js';

export interface FuzzCase extends Programs {
  readonly steps: readonly CaseStep[];
}

/** What happens, one thing after the other. */
export type CaseStep = PacketStep | OperationStep;

/** A frame comes in at a port, called by its name. */
export interface PacketStep {
  readonly kind: 'packet';
  readonly port: string;
  readonly frame: Uint8Array;
}

/**
 * What is done beside packets. A flow or a group changes on one bridge; connections are forgotten,
 * all, those of a zone, or one.
 */
export type OperationStep =
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'change'; readonly bridge: string; readonly lines: readonly string[] }
  | { readonly kind: 'link'; readonly port: string; readonly state: 'up' | 'down' }
  | { readonly kind: 'flush'; readonly zone?: number; readonly tuple?: string };

/** Of the options that tunnels carry. */
export const names: Names = {
  ...noNames,
  tunnelOptions: parseTlvMap(tunnelOptions.join('\n'), 'tunnel options'),
};

/** The fields tun_metadataN that the bridges have, in the widths of their options. */
export const tunnelFields: readonly Field[] = optionFields(names.tunnelOptions).map(
  ({ field }) => field,
);

/** @throws InputError for a text that is none. */
export function readFlow(text: string): Flow {
  return parseFlow(text, names);
}

/** The same of a group. */
export function readGroup(text: string): Group {
  return parseGroup(text, names);
}

/**
 * What carries a step out, and any packets that go in at once with it; time and flushes are for
 * every node.
 */
export function callOf(step: CaseStep, more: readonly PacketStep[] = []): SwitchCall {
  switch (step.kind) {
    case 'packet':
      return {
        kind: 'receive',
        node: nodeOf(step.port),
        port: step.port,
        frames: [step, ...more].map(({ frame }) => frame),
      };
    case 'change':
      return { ...step, node: nodeOf(step.bridge) };
    case 'link':
      return { ...step, node: nodeOf(step.port) };
    case 'advance':
    case 'flush':
      return { ...step, node };
  }
}
