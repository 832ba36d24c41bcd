/** One case of the fuzzer as plain data: what two bridges hold, and what happens to them, step by step. */
import type { BridgePlan, NodePlan, PortPlan } from '../nouns/plan.js';
import type { SwitchCall } from '../nouns/switching.js';
import { optionFields } from '../model/options.js';
import type { Field } from '../openflow/fields.js';
import { parseFlow, type Flow } from '../openflow/flow.js';
import { noNames, type Names } from '../openflow/form.js';
import { parseGroup, type Group } from '../openflow/groups.js';
import { parseTlvMap } from '../openflow/tlv-map.js';

export interface FuzzCase {
  /** As ovs-ofctl(8) reads them, one each; a group stands behind those that its buckets name. */
  readonly groups: readonly string[];
  readonly flows: readonly string[];
  /** Flows of the bridge behind the patch port. */
  readonly beyond: readonly string[];
  readonly steps: readonly CaseStep[];
}

/** What happens to the node, one thing after the other. */
export type CaseStep = PacketStep | OperationStep;

/** A frame comes in at a port, called by its name. */
export interface PacketStep {
  readonly kind: 'packet';
  readonly port: string;
  readonly frame: Uint8Array;
}

/** What is done to the node beside packets. A flow or a group changes on one bridge; connections are forgotten, all, those of a zone, or one. */
export type OperationStep =
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'change'; readonly bridge: string; readonly lines: readonly string[] }
  | { readonly kind: 'link'; readonly port: string; readonly state: 'up' | 'down' }
  | { readonly kind: 'flush'; readonly zone?: number; readonly tuple?: string };

export const node = 'switch';
export const bridge = 'br0';
export const bridgeBeyond = 'br1';

/** OpenFlow numbers of the bridge's ports, beside LOCAL; a port is called by its number. The last leads to the other bridge. */
export const portNumbers: readonly number[] = [1, 2, 3, 4, 5];
export const patchPort = 5;

/** The bridge behind it has a patch port, which is its first, and two that frames come out of. */
const portsBeyond = ['11', '12', '13'] as const;

/** Every port that frames come out of. */
export const wiredPorts: readonly string[] = [bridge, ...portNumbers.filter((port) => port !== patchPort).map(String), bridgeBeyond, ...portsBeyond.slice(1)];

/** Connection ids of the controllers that listen. */
export const controllerIds: readonly number[] = [0, 7];

/** What each bridge has whatever the case: meters that drop soon, late, and by bytes, and two options of Geneve. */
export const meters: readonly string[] = ['meter=1,pktps,bands=type=drop,rate=3', 'meter=2,kbps,burst,bands=type=drop,rate=1,burst_size=3'];
export const meterIds: readonly number[] = [1, 2];
export const tunnelOptions: readonly string[] = ['{class=0x102,type=0x80,len=4}->tun_metadata0', '{class=0xffff,type=1,len=8}->tun_metadata1'];

const names: Names = { ...noNames, tunnelOptions: parseTlvMap(tunnelOptions.join('\n'), 'tunnel options') };

/** The fields tun_metadataN that the bridges have, in the widths of their options. */
export const tunnelFields: readonly Field[] = optionFields(names.tunnelOptions).map(({ field }) => field);

/** @throws InputError for a text that is none. */
export function readFlow(text: string): Flow {
  return parseFlow(text, names);
}

/** The same of a group. */
export function readGroup(text: string): Group {
  return parseGroup(text, names);
}

/** The node that every case plays on, with the case's own flows and groups. */
export function planOf({ groups, flows, beyond }: Omit<FuzzCase, 'steps'>): NodePlan {
  const common = { meters, tunnelOptions, controllers: controllerIds.map((id) => ({ id, paused: 'resumed' as const })) };
  const endpoint = (name: string, ofport: number): PortPlan => ({ kind: 'endpoint', name, ofport });
  const patch = (name: string, ofport: number, to: string, port: string): PortPlan => ({ kind: 'patch', name, ofport, peer: { bridge: to, port } });
  const [first, ...others] = portsBeyond;
  const near: BridgePlan = {
    ...common, name: bridge, mac: '02:00:00:00:00:01', flows, groups,
    ports: portNumbers.map((ofport) => (ofport === patchPort ? patch(String(ofport), ofport, bridgeBeyond, first) : endpoint(String(ofport), ofport))),
  };
  const far: BridgePlan = { ...common, name: bridgeBeyond, mac: '02:00:00:00:00:02', flows: beyond, ports: [patch(first, 1, bridge, String(patchPort)), ...others.map((name, index) => endpoint(name, index + 2))] };
  return { node, hosts: [], bridges: [near, far] };
}

/** What carries a step out, and any packets that go in at once with it. */
export function callOf(step: CaseStep, more: readonly PacketStep[] = []): SwitchCall {
  return step.kind === 'packet' ? { kind: 'receive', node, port: step.port, frames: [step, ...more].map(({ frame }) => frame) } : { ...step, node };
}
