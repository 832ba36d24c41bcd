/**
 * What ovn-controller makes known by itself: gratuitous ARP of an address, or RARP of a MAC address
 * alone, five times each (OVN controller/pinctrl.c, send_garp_rarp and
 * send_self_originated_neigh_packet).
 */
import { announcementCopies } from '../domain/announcing.js';
import type { Announcement } from '../domain/plan/bridge-plan.js';
import type { SwitchCall, SwitchStep } from '../domain/switching.js';
import { fieldCalled } from '../openflow/match/fields.js';
import { reservedPorts } from '../openflow/syntax/ports.js';
import { encodeArp, arpOperations } from '../packet/protocols/link/arp.js';
import { encodeEthernet, etherTypes } from '../packet/protocols/link/ethernet.js';
import { copyFields } from '../packet/flow-key/flow-key.js';
import { writeField } from './fields/field-values.js';
import type { ModelBridge } from './model-bridge.js';
import type { ModelNode } from './model-node.js';
import { parsePacket } from './packet/parse-packet.js';
import { frameRunAt } from './receive-frame.js';
import { rulesOf } from './tables/flow-tables.js';
import type { Trace } from './trace/trace.js';
import { processFrame } from './xlate/recirculate.js';

type Announce = Extract<SwitchCall, { readonly kind: 'announce' }>;

/** OFTABLE_LOG_INGRESS_PIPELINE (OVN controller/lflow.h). */
const ingressTable = 8;
const none = '00:00:00:00:00:00';
const broadcast = 'ff:ff:ff:ff:ff:ff';
const rarp = { etherType: 0x8035, request: 3 } as const;

/** Each that was said one time less than `copy`; in order of datapath, port and address. */
export function announce(
  node: ModelNode,
  { copy, address }: Announce,
): { readonly outputs: SwitchStep['outputs']; readonly traces: readonly Trace[] } {
  const { said } = node.learning;
  // Where there are no flows, ovn-controller has ended with its node.
  const programmed = node.bridges.filter(({ tables }) => rulesOf(tables).length > 0);
  const announced = programmed.flatMap((bridge) =>
    (bridge.plan.announcements ?? [])
      .filter(({ ip }) => address === undefined || ip === address)
      .flatMap((one) => {
        const key = `${bridge.plan.name} ${one.datapath} ${one.port} ${one.mac} ${one.ip ?? ''}`;
        if ((said.get(key) ?? 0) !== copy - 1 || copy > announcementCopies) return [];
        said.set(key, copy);
        return [process(node, bridge, one)];
      }),
  );
  return {
    outputs: announced
      .flatMap(({ outputs }) => outputs)
      .toSorted((a, b) => (a.port < b.port ? -1 : a.port > b.port ? 1 : 0)),
    traces: announced.map(({ trace }) => trace),
  };
}

function process(
  node: ModelNode,
  bridge: ModelBridge,
  { datapath, port, mac, ip }: Announcement,
): { readonly outputs: SwitchStep['outputs']; readonly trace: Trace } {
  const packet = parsePacket(frameOf(mac, ip), reservedPorts.CONTROLLER, node.tagsMax);
  packet.key = copyFields(packet.key);
  for (const [name, value] of [
    ['metadata', datapath],
    ['reg14', port],
  ] as const) {
    const field = fieldCalled(name);
    writeField(packet.key, field, BigInt(value), field.ones);
  }
  const run = frameRunAt(node);
  processFrame(run, bridge, packet, ingressTable);
  return {
    outputs: run.outputs,
    trace: { node: node.name, port: 'ovn-controller', steps: run.steps },
  };
}

function frameOf(mac: string, ip: string | undefined): Uint8Array {
  const ends = { src: mac, dst: broadcast };
  if (ip === undefined) {
    const body = { op: rarp.request, sha: mac, tha: mac, spa: '0.0.0.0', tpa: '0.0.0.0' };
    return encodeEthernet({ ...ends, etherType: rarp.etherType }, encodeArp(body));
  }
  const body = { op: arpOperations.request, sha: mac, tha: none, spa: ip, tpa: ip };
  return encodeEthernet({ ...ends, etherType: etherTypes.arp }, encodeArp(body));
}
