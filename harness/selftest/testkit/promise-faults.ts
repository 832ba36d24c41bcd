/**
 * Flows of one node by hand, with one fault at a time: each breaks promises of one kind, in one
 * direction.
 */
import { antrea } from '../../control/antrea/index.js';
import { staticFlows } from '../../control/static.js';
import type { ControlPlane } from '../../domain/plan/control-plane.js';

const bridge = 'br-int';
/** Spoofed by a frame of the sender's. */
export const claimed = '10.10.1.99';

type AntreaNetwork = Parameters<ReturnType<typeof antrea>['plan']>[0];

/** @param small one node and four pods: a sender, one that answers, a stranger, one shut off. */
export function promiseNetwork(small: AntreaNetwork) {
  /** Everybody has an echo service over SCTP, too. */
  const cluster: AntreaNetwork = {
    ...small,
    nodes: small.nodes.map((one) => ({
      ...one,
      pods: one.pods.map((pod) => ({ ...pod, listens: [{ protocol: 'SCTP', port: 7 }] })),
    })),
  };
  const ends = endsIn(cluster);
  const [sender, answerer, stranger, forbidden] = ['p1', 'p2', 'p3', 'p4'].map(
    (name) => ends.find((end) => end.name === name) ?? fail(name),
  ) as [End, End, End, End];
  const promiseFaults = faultsBetween(sender, answerer, stranger, forbidden);
  /** Programs those flows. @param change makes others of those of the fault. */
  function promisePlane(
    fault?: keyof typeof promiseFaults,
    change: (flow: string) => string = (flow) => flow,
  ): ControlPlane<AntreaNetwork> {
    const planted = fault === undefined ? [] : promiseFaults[fault].map(change);
    const text = [...rightFlows(ends, forbidden), ...planted].join('\n');
    return staticFlows(antrea('0.8'), [{ bridge, text, file: 'promises.flows' }]);
  }

  return { cluster, sender, answerer, forbidden, promiseFaults, promisePlane };
}

export type PromiseFault = keyof ReturnType<typeof faultsBetween>;

/** A pod, or the node, and where its switch has it. */
interface End {
  readonly name: string;
  readonly port: string;
  readonly number: number;
  readonly mac: string;
  readonly ip: string;
}

function endsIn(cluster: AntreaNetwork): readonly End[] {
  const [node] = antrea('0.8').plan(cluster).nodes;
  const numbers = new Map(
    (node?.bridges ?? [])
      .filter(({ name }) => name === bridge)
      .flatMap((one) => one.ports)
      .flatMap((port) => ('ofport' in port ? [[port.name, port.ofport] as const] : [])),
  );
  return (node?.hosts ?? []).flatMap(({ name, interfaces }) =>
    interfaces.flatMap(({ port = '', mac, ip }) => {
      const number = numbers.get(port);
      return number === undefined ? [] : [{ name, port, number, mac, ip }];
    }),
  );
}

function fail(name: string): never {
  throw new Error(`there is a pod ${name}`);
}

/** What a control plane gets right: by MAC address, none for the forbidden pod, nothing spoofed. */
function rightFlows(ends: readonly End[], forbidden: End): readonly string[] {
  return [
    `priority=25,ip,nw_src=${claimed} actions=drop`,
    `priority=20,ip,dl_dst=${forbidden.mac} actions=drop`,
    'priority=5,dl_dst=ff:ff:ff:ff:ff:ff actions=FLOOD',
    ...ends.map(({ mac, port }) => `priority=10,dl_dst=${mac} actions=output:${port}`),
    'priority=0 actions=drop',
  ];
}

/** Flows that are added to those, by what they do. */
function faultsBetween(sender: End, answerer: End, stranger: End, forbidden: End) {
  const request = `ip,nw_src=${sender.ip},nw_dst=${answerer.ip}`;
  const answer = `ip,nw_src=${answerer.ip},nw_dst=${sender.ip}`;
  const toForbidden = `ip,nw_src=${sender.ip},nw_dst=${forbidden.ip}`;
  const arpRequest = `arp,arp_op=1,arp_spa=${sender.ip},arp_tpa=${answerer.ip}`;
  const arpAnswer = `arp,arp_op=2,arp_spa=${answerer.ip}`;
  const [to1, to2, to3, to4] = [sender, answerer, stranger, forbidden].map(
    ({ port }) => `output:${port}`,
  );
  return {
    'what is asked comes out at a stranger as well': [
      `priority=40,${request} actions=${to2},${to3}`,
    ],
    'what is asked comes out at a stranger alone': [`priority=40,${request} actions=${to3}`],
    'what is asked comes out twice': [`priority=40,${request} actions=${to2},${to2}`],
    'what is asked is lost': [`priority=40,${request} actions=drop`],
    'what is asked is lost the first time': [
      `priority=40,${request} actions=load:${answerer.number}->NXM_NX_REG0[],` +
        'learn(table=0,priority=41,dl_type=0x0800,NXM_OF_IP_SRC[],NXM_OF_IP_DST[],' +
        'output:NXM_NX_REG0[])',
    ],
    'an answer comes out at a stranger as well': [`priority=40,${answer} actions=${to1},${to3}`],
    'an answer comes out twice': [`priority=40,${answer} actions=${to1},${to1}`],
    'an answer is lost': [`priority=40,${answer} actions=drop`],
    'an address is found the second time': [
      `priority=40,${arpRequest} actions=learn(table=0,priority=41,dl_type=0x0806,arp_op=1,` +
        `NXM_OF_ARP_TPA[],load:${answerer.number}->NXM_NX_REG0[],output:NXM_NX_REG0[])`,
    ],
    'an answer of ARP comes out at a stranger as well': [
      `priority=40,${arpAnswer} actions=${to1},${to3}`,
    ],
    'an answer of ARP is lost': [`priority=40,${arpAnswer} actions=drop`],
    'what nobody may get comes out at the pod, whose answers are lost': [
      `priority=40,${toForbidden} actions=${to4}`,
      `priority=40,ip,nw_src=${forbidden.ip} actions=drop`,
    ],
    'what nobody may get comes back to its sender': [`priority=40,${toForbidden} actions=in_port`],
    'what is spoofed comes out': [`priority=40,ip,nw_src=${claimed} actions=${to3}`],
    'what a router says of it comes out at a stranger as well': [
      `priority=40,icmp,icmp_type=11 actions=${to1},${to3}`,
    ],
    'what a router says of it is lost': ['priority=40,icmp,icmp_type=11 actions=drop'],
  } as const satisfies Readonly<Record<string, readonly string[]>>;
}
