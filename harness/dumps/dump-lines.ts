/** What a switch holds, line by line in the words of the commands that people look with. */
import type { LearnedMac, TrackedConnection } from '../domain/switch-state.js';
import type { DumpedFlow } from '../openflow/flows/flow.js';
import { printDumpedFlow } from '../openflow/flows/flow.js';
import { canonical } from '../openflow/syntax/form.js';

/**
 * As `ovs-ofctl -O OpenFlow15 --no-names dump-flows`, by table and falling priority: switches have
 * no order of their own.
 */
export function flowLines(flows: readonly DumpedFlow[]): readonly string[] {
  const lines = flows.map((dumped) => ({
    ...dumped.flow,
    text: ` ${printDumpedFlow(withoutHardAge(dumped), canonical)}`,
  }));
  return lines
    .sort((a, b) => a.table - b.table || b.priority - a.priority || (a.text < b.text ? -1 : 1))
    .map(({ text }) => text);
}

/** OpenFlow 1.5 does not say when a flow was changed. */
function withoutHardAge({ flow, statistics }: DumpedFlow): DumpedFlow {
  if (statistics === undefined) return { flow };
  const { hardAge: _, ...others } = statistics;
  return { flow, statistics: others };
}

/** As `ovs-appctl dpctl/dump-conntrack -m -s`, by zone. */
export function connectionLines(
  connections: readonly TrackedConnection[],
  zone: number | undefined,
): readonly string[] {
  const wanted = connections
    .filter((connection) => zone === undefined || connection.zone === zone)
    .map((connection) => ({ zone: connection.zone, text: connectionLine(connection) }));
  return wanted
    .sort((a, b) => a.zone - b.zone || (a.text < b.text ? -1 : 1))
    .map(({ text }) => text);
}

function connectionLine({
  zone,
  protocol,
  original,
  reply,
  mark,
  label,
  progress,
  helper,
  parent,
  timeoutS,
}: TrackedConnection): string {
  return [
    `${protocol},orig=(${original}),reply=(${reply}),id=0`,
    ...(zone === 0 ? [] : [`zone=${zone}`]),
    `status=0,timeout=${timeoutS}`,
    ...(mark === 0 ? [] : [`mark=${mark}`]),
    ...(label === undefined ? [] : [`labels=${label}`]),
    ...(progress === '' ? [] : [`protoinfo=(${progress})`]),
    ...(helper === undefined ? [] : [`helper=${helper}`]),
    ...(parent === undefined ? [] : [`parent=(${parent})`]),
  ].join(',');
}

/** As `ovs-appctl fdb/show`, with the names of ports and without ages, by VLAN and address. */
export function macLines(macs: readonly LearnedMac[], bridge: string): readonly string[] {
  const wanted = macs
    .filter((entry) => entry.bridge === bridge)
    .toSorted((a, b) => a.vlan - b.vlan || (a.mac < b.mac ? -1 : 1));
  return [
    ' port  VLAN  MAC',
    ...wanted.map(
      ({ port, vlan, mac }) => `${port.padStart(5)}  ${String(vlan).padStart(4)}  ${mac}`,
    ),
  ];
}
