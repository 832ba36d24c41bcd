/** Load balancers, routes, policies and DHCP options from a seed (ovn-nb(5)). */
import type { NorthboundRow } from '../../harness/domain/plan/northbound-plan.js';
import {
  addColumns,
  addresses,
  clusterRouterRow,
  oneIn,
  pick,
  references,
  some,
  type OvnDrawing,
} from './ovn-drawing.js';

const backendsMax = 1;

/**
 * Of switches; returned for routers. Each has one backend: which of several is taken only the
 * switch knows.
 */
export function drawLoadBalancers(drawing: OvnDrawing): readonly NorthboundRow[] {
  const { random, rows, pods, targets } = drawing;
  const balancers = some(random, 1, 2, (number): NorthboundRow => {
    const protocol = pick(random, ['tcp', 'udp']);
    const vip = `10.96.0.${number}`;
    const port = pick(random, [7, 80]);
    const backends = some(
      random,
      oneIn(random, 4) ? 0 : 1,
      backendsMax,
      () => pick(random, pods).ip,
    );
    targets.push({ ip: vip, port });
    return {
      table: 'Load_Balancer',
      id: `load balancer lb${number}`,
      columns: {
        name: `lb${number}`,
        protocol,
        vips: { map: { [`${vip}:${port}`]: backends.map((ip) => `${ip}:7`).join(',') } },
        ...(oneIn(random, 3) ? { options: { map: { reject: 'true' } } } : {}),
      },
    };
  });
  rows.push(...balancers);
  for (const node of ['n1', 'n2'])
    if (node === 'n1' || oneIn(random, 2))
      addColumns(drawing, `switch ${node}`, { load_balancer: references(balancers) });
  return balancers;
}

/** Blocks, and an address in each. */
const routed = [
  ['10.20.0.0/16', '10.20.2.9'],
  ['10.20.1.0/24', '10.20.1.9'],
  ['10.10.2.3/32', '10.10.2.3'],
  ['10.10.1.2/32', '10.10.1.2'],
] as const;

/** Policies and static routes of the router. */
export function drawRouting(drawing: OvnDrawing): void {
  const { random, rows, pods, targets } = drawing;
  const policies = some(random, 0, 3, (number): NorthboundRow => {
    const action = pick(random, ['allow', 'drop', 'reroute']);
    return {
      table: 'Logical_Router_Policy',
      id: `policy ${number}`,
      columns: {
        // Of two that are equal, OVN may take either.
        priority: pick(random, [0, 10, 100]) + number,
        match: `ip4.${pick(random, ['src', 'dst'])} == ${pick(random, addresses)}`,
        action,
        ...(action === 'reroute' ? { nexthops: { set: [pick(random, pods).ip] } } : {}),
      },
    };
  });
  const routes = some(random, 0, 2, (number): NorthboundRow => {
    const [prefix, ip] = pick(random, routed);
    targets.push({ ip });
    return {
      table: 'Logical_Router_Static_Route',
      id: `route ${number} ${prefix}`,
      columns: { ip_prefix: prefix, nexthop: pick(random, pods).ip },
    };
  });
  const known = new Map(routes.map((route) => [route.id.replace(/^route \d+ /, ''), route]));
  rows.push(...policies, ...known.values());
  addColumns(drawing, clusterRouterRow, {
    policies: references(policies),
    static_routes: references([...known.values()]),
  });
}

export function drawDhcp(drawing: OvnDrawing): void {
  const { random, rows, pods } = drawing;
  for (const { name, ip } of pods.filter(() => oneIn(random, 2))) {
    const subnet = ip.replace(/\d+$/, '');
    rows.push({
      table: 'DHCP_Options',
      id: `DHCP options ${name}`,
      columns: {
        cidr: `${subnet}0/24`,
        options: {
          map: {
            server_id: `${subnet}1`,
            server_mac: '0a:58:0a:00:00:01',
            router: `${subnet}1`,
            lease_time: String(pick(random, [60, 3500])),
            ...(oneIn(random, 2) ? { dns_server: '10.10.1.53' } : {}),
            ...(oneIn(random, 2) ? { mtu: '1400' } : {}),
          },
        },
      },
    });
    addColumns(drawing, `switch port ${name}`, { dhcpv4_options: { row: `DHCP options ${name}` } });
  }
}
