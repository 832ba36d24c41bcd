/**
 * Where the router has a place on a chassis, as a gateway router or by a distributed gateway port,
 * it translates addresses and balances load (ovn-nb(5), NAT; ovn-architecture(7), "Gateway Routers"
 * and "Distributed Gateway Ports").
 */
import type { Random } from '../../harness/base/random.js';
import type { NorthboundRow, NorthboundValue } from '../../harness/domain/plan/northbound-plan.js';
import {
  addColumns,
  clusterRouterRow,
  oneIn,
  pick,
  references,
  some,
  type OvnDrawing,
} from './ovn-drawing.js';

/** Of no pod: in the subnet of a switch, and in none. */
const externalAddresses = ['10.10.1.101', '10.10.2.102', '172.16.0.3', '172.16.0.4'] as const;
/** Of which no two are the same: either might be taken. */
const translatedBlocks = ['10.10.1.0/24', '10.10.2.0/24', '10.10.0.0/16'] as const;
const kinds = ['snat', 'dnat', 'dnat_and_snat'] as const;

/** @param balancers that switches have, and of which the router may have some, too. */
export function drawGateway(drawing: OvnDrawing, balancers: readonly NorthboundRow[]): void {
  const { random, rows } = drawing;
  const isGatewayRouter = oneIn(random, 2);
  const chassis = pick(random, ['n1', 'n2']);
  const translations = drawNat(drawing, isGatewayRouter ? 'gateway router' : chassis);
  const balanced = balancers.filter(() => oneIn(random, 2));
  rows.push(...translations);
  addColumns(drawing, clusterRouterRow, {
    nat: references(translations),
    load_balancer: references(balanced),
  });
  if (isGatewayRouter)
    addColumns(drawing, clusterRouterRow, {
      options: { map: { chassis, ...forced(random) } },
    });
  else drawGatewayPort(drawing, chassis);
}

/** Who asks a load balancer, or is translated by destination, may be seen as the router. */
function forced(random: Random): Readonly<Record<string, string>> {
  return pick<Readonly<Record<string, string>>>(random, [
    {},
    {},
    { lb_force_snat_ip: 'router_ip' },
    { lb_force_snat_ip: '172.16.0.9' },
    { dnat_force_snat_ip: '172.16.0.9' },
  ]);
}

function drawGatewayPort(drawing: OvnDrawing, chassis: string): void {
  const port = `rtos-${chassis}`;
  const gateway: NorthboundRow = {
    table: 'Gateway_Chassis',
    id: `gateway chassis ${port}`,
    columns: { name: `${port}-${chassis}`, chassis_name: chassis, priority: 1 },
  };
  drawing.rows.push(gateway);
  addColumns(drawing, `router port ${port}`, { gateway_chassis: references([gateway]) });
}

/** @param place of a distributed gateway port: pods may be translated at their own chassis. */
function drawNat({ random, pods, targets }: OvnDrawing, place: string): readonly NorthboundRow[] {
  const external = shuffled(random, externalAddresses);
  const hosts = shuffled(
    random,
    pods.map(({ ip }) => ip),
  );
  const blocks = shuffled(random, translatedBlocks);
  return some(random, 1, 3, (number): NorthboundRow => {
    const type = pick(random, kinds);
    const external_ip = external[number] ?? external[0] ?? '';
    const host = hosts[number] ?? hosts[0] ?? '';
    const isBlock = type === 'snat' && oneIn(random, 2);
    const pod = pods.find(({ ip }) => ip === host);
    const isDistributed = type === 'dnat_and_snat' && place !== 'gateway router';
    if (type !== 'snat') targets.push({ ip: external_ip });
    const own: Readonly<Record<string, NorthboundValue>> =
      isDistributed && pod !== undefined && oneIn(random, 2)
        ? { logical_port: pod.name, external_mac: '0a:58:0a:00:01:01' }
        : {};
    const isStateless = type === 'dnat_and_snat' && oneIn(random, 4);
    return {
      table: 'NAT',
      id: `nat ${number} ${type}`,
      columns: {
        type,
        external_ip,
        logical_ip: isBlock ? (blocks[number - 1] ?? host) : host,
        ...own,
        ...(isStateless ? { options: { map: { stateless: 'true' } } } : {}),
      },
    };
  });
}

function shuffled<T>(random: Random, all: readonly T[]): readonly T[] {
  const left = [...all];
  return all.map(() => left.splice(random.integer(0, left.length - 1), 1)[0] as T);
}
