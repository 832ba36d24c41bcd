/** ClusterIPs in the switch: which endpoint a connection gets, and its translation. */
import {
  endpointsOn,
  type Endpoint,
  type ServicePort,
} from '../../../kube/services/service-endpoints.js';
import { hexOfIpv4 } from '../hex.js';
import { groupName, localGroupName, type NodeView } from '../node-view.js';
import { rewriteMac } from './conntrack.js';

/** What a pod that reaches itself through a Service sees as the sender; Antrea's `hairpinIP`. */
export const hairpinAddress = '169.254.169.252';

/** reg4[16..18], the state of an endpoint's choice. */
const choice = {
  open: 'reg4=0x10000/0x70000',
  made: 'reg4=0x20000/0x70000',
  toLearn: 'reg4=0x30000/0x70000',
} as const;
const choose = {
  open: 'load:0x1->NXM_NX_REG4[16..18]',
  made: 'load:0x2->NXM_NX_REG4[16..18]',
  toLearn: 'load:0x3->NXM_NX_REG4[16..18]',
} as const;

/** ServiceHairpinTable (29): a pod's answer to itself finds back. */
export function serviceHairpin(): readonly string[] {
  return [
    `table=29,priority=200,ip,nw_dst=${hairpinAddress} ` +
      'actions=move:NXM_OF_IP_SRC[]->NXM_OF_IP_DST[],load:0x1->NXM_NX_REG0[18],goto_table:30',
    'table=29,priority=0 actions=goto_table:30',
  ];
}

/** SessionAffinityTable (40): the choice is open, but where a flow was learned. */
export function sessionAffinity(): readonly string[] {
  return [`table=40,priority=0 actions=${choose.open}`];
}

/**
 * ServiceLBTable (41): a Service's group chooses, for its ClusterIP and the addresses that a load
 * balancer has given it (pods alone ask here); what it chose is learned where clients keep their
 * endpoint.
 */
export function serviceLb(view: NodeView): readonly string[] {
  return [
    ...groupsOf(view).flatMap(({ id, service, ips }) =>
      ips.flatMap((ip) => {
        const match = `${service.protocol.toLowerCase()},nw_dst=${ip},tp_dst=${service.port}`;
        const balance =
          `table=41,priority=200,${match},${choice.open} ` +
          `actions=${service.affinityS === undefined ? choose.made : choose.toLearn},` +
          `${rewriteMac},group:${id}`;
        return service.affinityS === undefined
          ? [balance]
          : [
              balance,
              `cookie=${cookieOf(id, view)},table=41,priority=190,${match},${choice.toLearn} ` +
                `actions=${learn(service, service.affinityS, cookieOf(id, view))},` +
                `${choose.made},goto_table:42`,
            ];
      }),
    ),
    'table=41,priority=0 actions=goto_table:42',
  ];
}

/**
 * EndpointDNATTable (42): translates to the endpoint that was chosen; for one that is gone another
 * is chosen.
 */
export function endpointDnat({ services }: NodeView): readonly string[] {
  const flows = services.flatMap(({ protocol, endpoints }) =>
    endpoints.map(
      ({ ip, port }) =>
        `table=42,priority=200,${protocol.toLowerCase()},reg3=${hexOfIpv4(ip)},` +
        `reg4=0x${(0x20000 + port).toString(16)}/0x7ffff actions=` +
        `ct(commit,table=45,zone=65520,nat(dst=${ip}:${port}),exec(load:0x21->NXM_NX_CT_MARK[]))`,
    ),
  );
  return [
    ...new Set(flows),
    `table=42,priority=190,${choice.made} actions=${choose.open},resubmit(,41)`,
    'table=42,priority=0 actions=goto_table:45',
  ];
}

/** HairpinSNATTable (106): what a pod of this node sends to itself. */
export function hairpinSnat({ node, services }: NodeView): readonly string[] {
  const local = services
    .flatMap(({ endpoints }) => endpoints)
    .filter(({ nodeName }) => nodeName === node.name);
  const flows = local.map(
    ({ ip }) =>
      `table=106,priority=200,ip,nw_src=${ip},nw_dst=${ip} ` +
      `actions=mod_nw_src:${hairpinAddress},load:0x1->NXM_NX_REG0[18],goto_table:110`,
  );
  return [...new Set(flows), 'table=106,priority=0 actions=goto_table:110'];
}

/**
 * A group a Service's port, with its endpoints as buckets. A port without endpoints has none, and
 * no flow: its packets leave by the gateway.
 */
export function serviceGroups(view: NodeView): readonly string[] {
  return groupsOf(view).map(({ id, service: { affinityS }, endpoints }) => {
    const next = affinityS === undefined ? 42 : 41;
    const buckets = endpoints.map(
      ({ ip, port }, index) =>
        `bucket=bucket_id:${index},weight:100,actions=load:${hexOfIpv4(ip)}->NXM_NX_REG3[],` +
        `load:0x${port.toString(16)}->NXM_NX_REG4[0..15],resubmit(,${next})`,
    );
    return [`group_id=${id},type=select`, ...buckets].join();
  });
}

/** A group, and the addresses by which pods ask for it. */
interface ServiceGroup {
  readonly id: number;
  readonly service: ServicePort;
  readonly ips: readonly string[];
  readonly endpoints: readonly Endpoint[];
}

/**
 * One for all addresses; where traffic to the ClusterIP stays on the node, that has its own, which
 * drops packets where nobody is on the node (ServiceSpec, `internalTrafficPolicy`).
 */
function groupsOf({
  node,
  services,
  allocation: { groups = {} },
}: NodeView): readonly ServiceGroup[] {
  return services
    .filter(({ endpoints }) => endpoints.length > 0)
    .flatMap((service): readonly ServiceGroup[] => {
      const { clusterIp, loadBalancerIps, endpoints, internalTraffic } = service;
      const id = groups[groupName(service)] ?? 0;
      if (internalTraffic === 'Cluster')
        return [{ id, service, ips: [clusterIp, ...loadBalancerIps], endpoints }];
      const local = {
        id: groups[localGroupName(service)] ?? 0,
        service,
        ips: [clusterIp],
        endpoints: endpointsOn(service, node.name),
      };
      return loadBalancerIps.length === 0
        ? [local]
        : [local, { id, service, ips: loadBalancerIps, endpoints }];
    });
}

/** OpenFlow's timeouts have 16 bits; Kubernetes lets affinity last for up to a day. */
const longestTimeoutS = 65_535;

function learn({ protocol }: ServicePort, affinityS: number, cookie: string): string {
  return `learn(${[
    'table=40',
    `hard_timeout=${Math.min(affinityS, longestTimeoutS)}`,
    'priority=200',
    'delete_learned',
    `cookie=${cookie}`,
    'eth_type=0x800',
    `nw_proto=${protocolNumbers[protocol]}`,
    `NXM_OF_${protocol === 'SCTP' ? 'SCTP' : protocol}_DST[]`,
    'NXM_OF_IP_DST[]',
    'NXM_OF_IP_SRC[]',
    'load:NXM_NX_REG3[]->NXM_NX_REG3[]',
    'load:NXM_NX_REG4[0..15]->NXM_NX_REG4[0..15]',
    choose.made,
    rewriteMac,
  ].join()})`;
}

const protocolNumbers = { TCP: 6, UDP: 17, SCTP: 132 } as const;

/**
 * One a group, so that with a Service goes what was learned for it, and nothing else. Antrea
 * (pkg/agent/openflow/cookie): the round, 4 for Services, and the group.
 */
function cookieOf(groupId: number, { allocation }: NodeView): string {
  return `0x${((BigInt(allocation.round) << 48n) + (4n << 40n) + BigInt(groupId)).toString(16)}`;
}
