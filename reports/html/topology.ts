/**
 * A picture of the network: nodes with their pods and bridges, the tunnels between them, and the
 * network they go through.
 */
import { formatIpv4, ipv4Number, prefixMask } from '../../harness/base/addresses/mac-and-ipv4.js';
import type { ClusterPlan, NodePlan } from '../../harness/domain/plan/cluster-plan.js';
import type { ExternalHost, Node, Topology } from '../../harness/domain/topology.js';
import { html, raw, type Markup } from './markup.js';

/** The line below the picture does not wrap. */
const captionWidth = 480;
const node = { width: 208, gap: 24, padding: 14 } as const;
const pod = { height: 20, gap: 4 } as const;
const bridge = { height: 26, gap: 22 } as const;
const headHeight = 44;
const underlayDrop = 26;
const rowGap = 30;
const nodesInRow = 5;

/** @param marked `bridge on node` of where things part: these are marked. */
export function renderTopology(
  topology: Topology,
  plan: ClusterPlan,
  marked: ReadonlySet<string>,
): Markup {
  const columns = Math.min(nodesInRow, topology.nodes.length);
  const height = nodeHeight(Math.max(0, ...topology.nodes.map(({ pods }) => pods.length)));
  const rowHeight = height + underlayDrop + rowGap;
  const rows = Math.ceil(topology.nodes.length / columns);
  const width = Math.max(columns * (node.width + node.gap) - node.gap, captionWidth);
  const nodes = topology.nodes.map((each, index) => {
    const [x, y] = [
      (index % columns) * (node.width + node.gap),
      Math.floor(index / columns) * rowHeight,
    ];
    return drawNode(each, plan.nodes[index], { x, y, height, marked });
  });
  const network = `${networksOf(topology)}, ${tunnelsOf(plan)}`;
  const lines = Array.from({ length: rows }, (_, row) => {
    const y = row * rowHeight + height + underlayDrop;
    return html`<line class="wire" x1="0" y1="${y}" x2="${width}" y2="${y}"/>`;
  });
  const outside = topology.externalHosts ?? [];
  const bottom = rows * rowHeight - rowGap;
  const outsideHeight =
    Math.ceil(outside.length / externalInRow(width)) * (underlayDrop + pod.height);
  const caption = html`<text class="small muted" x="0" y="${bottom + outsideHeight + 18}">network between nodes: ${network}</text>`;
  const label =
    `${topology.nodes.length} nodes with ` +
    `${topology.nodes.reduce((sum, { pods }) => sum + pods.length, 0)} pods; ` +
    `${network}${outside.length === 0 ? '' : `; external hosts ${outside.map(({ name }) => name).join(', ')}`}`;
  return html`<svg class="topology" viewBox="-1 -1 ${width + 2} ${bottom + outsideHeight + 28}" style="max-width:${width + 2}px" role="img" aria-label="${label}">${lines}${nodes}${outside.map((host, index) => drawExternalHost(host, index, { bottom, width }))}${caption}</svg>`;
}

/** `172.30.0.0/16`; where there are several, who is on which, and who joins them. */
function networksOf({ nodes, routers = [] }: Topology): string {
  const networks = [...new Set(nodes.map(networkOf))];
  if (networks.length === 1) return networks.join();
  return `${networks
    .map(
      (network) =>
        `${network} (${nodes
          .filter((each) => networkOf(each) === network)
          .map(({ name }) => name)
          .join(', ')})`,
    )
    .join(', ')}, joined by ${routers.map(({ name }) => name).join(', ')}`;
}

/** By the ports that nodes have for tunnels. */
function tunnelsOf(plan: ClusterPlan): string {
  const tunnels = plan.nodes.flatMap(({ bridges }) =>
    bridges.flatMap(({ name, ports }) =>
      ports.flatMap((port) =>
        port.kind === 'tunnel' ? [{ bridge: name, type: port.tunnel }] : [],
      ),
    ),
  );
  const [first] = tunnels;
  if (first === undefined) return 'no tunnels';
  return `${tunnelNames[first.type] ?? first.type} between ${first.bridge} of nodes`;
}

const tunnelNames: Readonly<Record<string, string>> = {
  geneve: 'Geneve',
  vxlan: 'VXLAN',
  gre: 'GRE',
};

function networkOf({ underlay }: Node): string {
  return (
    formatIpv4((ipv4Number(underlay.ip) & prefixMask(underlay.prefixLength)) >>> 0) +
    `/${underlay.prefixLength}`
  );
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly height: number;
  readonly marked: ReadonlySet<string>;
}

function nodeHeight(pods: number): number {
  return (
    headHeight + pods * (pod.height + pod.gap) + 14 + 2 * bridge.height + bridge.gap + node.padding
  );
}

function drawNode(each: Node, plan: NodePlan | undefined, { x, y, height, marked }: Place): Markup {
  const inner = node.width - 2 * node.padding;
  const bottom = height - node.padding - bridge.height;
  const upper = bottom - bridge.gap - bridge.height;
  const [first, second] = bridgeNames(plan);
  const spine = node.padding + 8;
  return html`<g transform="translate(${x} ${y})">
<rect class="node" width="${node.width}" height="${height}" rx="8"/>
<text class="strong" x="${node.padding}" y="21">${each.name}</text>
<text class="small muted mono" x="${node.padding}" y="36">${each.podCidr}</text>
<text class="small muted mono end" x="${node.width - node.padding}" y="21">gw ${each.gateway.ip}</text>
${each.pods.length === 0 ? '' : html`<line class="wire" x1="${spine}" y1="${headHeight + pod.height / 2}" x2="${spine}" y2="${upper}"/>`}
${each.pods.map(({ name, ip, mac }, index) => {
  const top = headHeight + index * (pod.height + pod.gap);
  return html`<g><title>${name} ${ip} ${mac}</title><line class="wire" x1="${spine}" y1="${top + pod.height / 2}" x2="${spine + 12}" y2="${top + pod.height / 2}"/>
<rect class="pod" x="${spine + 12}" y="${top}" width="${inner - 20}" height="${pod.height}" rx="${pod.height / 2}"/>
<text class="small" x="${spine + 24}" y="${top + 14}">${name}</text><text class="small mono muted end" x="${node.width - node.padding - 12}" y="${top + 14}">${ip}</text></g>`;
})}
${second === undefined ? '' : html`<line class="tunnel" x1="${node.width / 2}" y1="${upper + bridge.height}" x2="${node.width / 2}" y2="${bottom}"/><text class="small muted" x="${node.width / 2 + 8}" y="${upper + bridge.height + 15}">${tunnelPort(plan)}</text>`}
${drawBridge(first, upper, marked.has(`${first} on ${each.name}`), '')}
${second === undefined ? '' : drawBridge(second, bottom, marked.has(`${second} on ${each.name}`), each.underlay.ip)}
<line class="wire" x1="${node.width / 2}" y1="${bottom + bridge.height}" x2="${node.width / 2}" y2="${height + underlayDrop}"/>
</g>`;
}

function externalInRow(width: number): number {
  return Math.max(1, Math.floor((width + node.gap) / (node.width + node.gap)));
}

/** Below the network that it hangs on. */
function drawExternalHost(
  { name, ip, mac }: ExternalHost,
  index: number,
  { bottom, width }: { readonly bottom: number; readonly width: number },
): Markup {
  const inRow = externalInRow(width);
  const [x, top] = [
    (index % inRow) * (node.width + node.gap),
    bottom + Math.floor(index / inRow) * (underlayDrop + pod.height) + underlayDrop,
  ];
  return html`<g><title>${name} ${ip} ${mac}, outside the cluster</title><line class="wire" x1="${x + node.width / 2}" y1="${bottom}" x2="${x + node.width / 2}" y2="${top}"/>
<rect class="pod" x="${x}" y="${top}" width="${node.width}" height="${pod.height}" rx="${pod.height / 2}"/>
<text class="small" x="${x + 12}" y="${top + 14}">${name}</text><text class="small mono muted end" x="${x + node.width - 12}" y="${top + 14}">${ip}</text></g>`;
}

function drawBridge(name: string, y: number, parts: boolean, address: string): Markup {
  const width = node.width - 2 * node.padding;
  return html`<rect class="bridge${raw(parts ? ' parts' : '')}" x="${node.padding}" y="${y}" width="${width}" height="${bridge.height}" rx="4"/>
<text class="small strong${raw(parts ? ' parts' : '')}" x="${node.padding + 10}" y="${y + 17}">${name}${parts ? ' ✕ parts' : ''}</text><text class="small mono muted end" x="${node.padding + width - 10}" y="${y + 17}">${address}</text>`;
}

/** The bridge that pods hang on, and the underlay's. */
function bridgeNames(plan: NodePlan | undefined): readonly [string, string | undefined] {
  const names = plan?.bridges.map(({ name }) => name) ?? [];
  const underlay = plan?.bridges.find((each) => each.underlay !== undefined)?.name;
  return [names.find((name) => name !== underlay) ?? 'br-int', underlay];
}

function tunnelPort(plan: NodePlan | undefined): string {
  return (
    plan?.bridges.flatMap(({ ports }) => ports).find(({ kind }) => kind === 'tunnel')?.name ?? ''
  );
}
