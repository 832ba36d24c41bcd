/**
 * The Forwarding Extension of one hypervisor as a bridge. Of an adapter that it has seen it drops
 * all packets "except the ones sent from native Hyper-V driver" (the seed, "Container creation
 * lifecycle"), which are those from LOCAL here, until the agent has added the port.
 */
import { cidrContains, ipv4Number, parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import {
  fromOverlay,
  hasFrames,
  intoOverlay,
  overlayPackets,
  type OverlayPort,
} from './overlay.js';

/** An adapter that the extension has seen, by the bridge's port number. */
export interface SeenAdapter {
  readonly friendlyName: string;
  readonly ofport: number;
}

/** What "add port" says to the agent. */
export interface AddedPort {
  readonly friendlyName: string;
  readonly label: number;
  readonly ip: string;
  readonly mac: string;
}

/** A container elsewhere, as the controller announces it to every agent of the network. */
export interface OverlayRoute {
  readonly label: number;
  readonly ip: string;
  readonly mac: string;
  /** Of the hypervisor that it is on. */
  readonly via: string;
}

export interface KnownNetwork {
  readonly label: number;
  readonly subnets: readonly { readonly cidr: string; readonly gateway: string }[];
}

export interface ExtensionView {
  readonly adapters: readonly SeenAdapter[];
  readonly ports: readonly AddedPort[];
  readonly routes: readonly OverlayRoute[];
  readonly networks: readonly KnownNetwork[];
  /** OpenFlow port number of the physical adapter. */
  readonly uplink: number;
  readonly overlay: OverlayPort;
}

/** A virtual router's address on every network (RFC 5798, 7.3); Contrail's gateways answer so. */
export const gatewayMac = '00:00:5e:00:01:00';

export const tables = { classify: 0, arp: 10, route: 20, unlabelled: 25, forward: 30 } as const;

/** Flows as ovs-ofctl reads them; ports by number, since an adapter may come after its flows. */
export function extensionFlows(view: ExtensionView): readonly string[] {
  const added = view.ports.map((port) => ({
    ...port,
    ofport: view.adapters.find(({ friendlyName }) => friendlyName === port.friendlyName)?.ofport,
  }));
  return [
    ...nativeDriver(view),
    ...added.flatMap(fromPort),
    ...arrivals(view),
    ...view.networks.flatMap((network) => arpFlows(network, [...view.ports, ...view.routes])),
    ...routeFlows([...view.ports, ...view.routes]),
    ...added.flatMap(({ label, mac, ofport }) =>
      ofport === undefined
        ? []
        : [`table=30,priority=100,ip,reg0=${label},dl_dst=${mac} actions=output:${ofport}`],
    ),
    // What came out of the overlay does not go into it again.
    ...view.routes.map(
      ({ label, mac, via }) =>
        `table=30,priority=100,ip,reg0=${label},reg1=0,dl_dst=${mac} actions=` +
        intoOverlay(label, via, view.overlay),
    ),
    ...[0, 10, ...(hasFrames(view.overlay) ? [] : [25]), 30].map(
      (table) => `table=${table},priority=0 actions=drop`,
    ),
  ];
}

/**
 * What comes from the overlay. Behind a label there is no frame: the container gets the packet in
 * one from its gateway.
 */
function arrivals({ networks, ports, overlay }: ExtensionView): readonly string[] {
  const marked = (label: number) => `set_field:${label}->reg0,set_field:1->reg1`;
  if (hasFrames(overlay))
    return networks.map(
      ({ label }) =>
        `table=0,priority=200,${fromOverlay(label, overlay)} actions=` +
        `${marked(label)},goto_table:${tables.route}`,
    );
  return [
    ...networks.map(
      ({ label }) =>
        `table=0,priority=200,${fromOverlay(label, overlay)} actions=` +
        `pop_mpls:0x0800,${marked(label)},goto_table:${tables.unlabelled}`,
    ),
    ...ports.map(
      ({ label, ip, mac }) =>
        `table=25,priority=100,ip,reg0=${label},nw_dst=${ip} actions=` +
        `set_field:${gatewayMac}->eth_src,set_field:${mac}->eth_dst,goto_table:${tables.forward}`,
    ),
  ];
}

/**
 * The host's own stack and the physical adapter; of containers, those that wait. What the extension
 * itself puts into the overlay comes from LOCAL as well, and no container gets it.
 */
function nativeDriver({ adapters, ports, uplink, overlay }: ExtensionView): readonly string[] {
  const waiting = adapters.filter(
    ({ friendlyName }) => !ports.some((port) => port.friendlyName === friendlyName),
  );
  const outputs = [uplink, ...waiting.map(({ ofport }) => ofport)];
  return [
    `table=0,priority=210,in_port=LOCAL,${overlayPackets(overlay)} actions=output:${uplink}`,
    `table=0,priority=200,in_port=LOCAL actions=${outputs.map((port) => `output:${port}`).join(',')}`,
    `table=0,priority=200,in_port=${uplink} actions=LOCAL`,
  ];
}

/** What a container sends from its own addresses. */
function fromPort({
  label,
  ip,
  mac,
  ofport,
}: AddedPort & { readonly ofport: number | undefined }): readonly string[] {
  if (ofport === undefined) return [];
  const mark = `set_field:${label}->reg0`;
  return [
    `table=0,priority=200,in_port=${ofport},arp,dl_src=${mac},arp_sha=${mac},arp_spa=${ip} ` +
      `actions=${mark},goto_table:${tables.arp}`,
    `table=0,priority=200,in_port=${ofport},ip,dl_src=${mac},nw_src=${ip} ` +
      `actions=${mark},goto_table:${tables.route}`,
  ];
}

/** The agent answers for everybody on the subnet, wherever they are, and for its gateway. */
function arpFlows(
  { label, subnets }: KnownNetwork,
  holders: readonly Pick<AddedPort, 'label' | 'ip' | 'mac'>[],
): readonly string[] {
  return subnets.flatMap(({ cidr, gateway }) =>
    [
      { ip: gateway, mac: gatewayMac },
      ...holders.filter((holder) => holder.label === label && isIn(cidr, holder.ip)),
    ].flatMap(({ ip, mac }) => [
      // Who asks for its own address wants to know whether another holds it.
      `table=10,priority=110,arp,reg0=${label},arp_spa=${ip},arp_tpa=${ip} actions=drop`,
      `table=10,priority=100,arp,reg0=${label},arp_op=1,arp_spa=${cidr},arp_tpa=${ip} actions=` +
        answerWith(ip, mac),
    ]),
  );
}

function answerWith(ip: string, mac: string): string {
  return [
    'move:NXM_OF_ETH_SRC[]->NXM_OF_ETH_DST[]',
    `set_field:${mac}->eth_src`,
    'set_field:2->arp_op',
    'move:NXM_NX_ARP_SHA[]->NXM_NX_ARP_THA[]',
    'move:NXM_OF_ARP_SPA[]->NXM_OF_ARP_TPA[]',
    `set_field:${mac}->arp_sha`,
    `set_field:${ip}->arp_spa`,
    'in_port',
  ].join(',');
}

/** From subnet to subnet of a network, by the gateway of the sender's. */
function routeFlows(
  holders: readonly Pick<AddedPort, 'label' | 'ip' | 'mac'>[],
): readonly string[] {
  return [
    ...holders.map(
      ({ label, ip, mac }) =>
        `table=20,priority=100,ip,reg0=${label},dl_dst=${gatewayMac},nw_dst=${ip} actions=` +
        `set_field:${gatewayMac}->eth_src,set_field:${mac}->eth_dst,dec_ttl,` +
        `goto_table:${tables.forward}`,
    ),
    `table=20,priority=50,dl_dst=${gatewayMac} actions=drop`,
    `table=20,priority=0 actions=goto_table:${tables.forward}`,
  ];
}

function isIn(cidr: string, ip: string): boolean {
  return cidrContains(parseCidr(cidr), ipv4Number(ip));
}
