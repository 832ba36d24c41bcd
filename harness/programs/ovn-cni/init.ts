/**
 * `init`: the node's logical switch, the router, and the link between them. What of it is there
 * already stays; what is missing is made in one transaction, which others who initialize at the
 * same time make start again.
 */
import { cidrsOverlap, parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import { InputError } from '../../base/errors/errors.js';
import {
  dropGroup,
  gatewayOf,
  keys,
  macOfAddress,
  owner,
  passGroup,
  priorities,
  released,
  routerPortOf,
  switchPortOf,
} from '../../control/ovn-cni/names.js';
import { map, named, set } from '../../ovs/ovsdb/ovsdb-value.js';
import type { Operation, Row, Value } from '../../ovs/ovsdb/ovsdb.js';
import { asRead, readFound, type Found, type InitRequest } from './init-found.js';
import { mapIn, setIn, type Database } from './databases.js';
import { confirmed, nextMark } from './logical-port.js';
import { heldIn } from './node-network.js';

/** @throws InputError for a subnet or a router that the node or another one contradicts. */
export async function init(database: Database, request: InitRequest): Promise<void> {
  checkSubnet(request.subnet);
  for (;;) {
    const found = await readFound(database, request);
    const results = await database.ovsdb.attempt([
      ...asRead(found, request),
      ...missing(found, request),
      ...nextMark,
    ]);
    if (results === 'unmet') continue;
    await confirmed(database, 'ovn-northd', Number(results.at(-1)?.[0]?.['nb_cfg']));
    return;
  }
}

function checkSubnet(subnet: string): void {
  const { prefixLength } = parseCidr(subnet);
  if (prefixLength > 29 || prefixLength < 8)
    throw new InputError(
      `the subnet ${subnet} has a prefix of ${prefixLength} bits: expected 8 to 29, so that it ` +
        'has room for a router and containers',
    );
}

function missing(found: Found, request: InitRequest): readonly Operation[] {
  const { node, subnet, router } = request;
  const link = linkOf(found, request);
  refuseOverlap(found, request);
  const ids = map({ [keys.owner]: owner });
  const [routerRow] = found.routers;
  const [switchRow] = found.switches;
  return [
    ...(routerRow === undefined
      ? [
          insert('Logical_Router', 'router', {
            name: router,
            // Who asks is not remembered: all containers are known (ovn-nb(5), Logical_Router).
            options: map({ always_learn_from_arp_request: 'false' }),
            external_ids: ids,
          }),
        ]
      : []),
    ...(switchRow === undefined ? [insert('Logical_Switch', 'switch', { name: node })] : []),
    ...subnetOperations(switchRow, request),
    ...(link.routerPort === undefined
      ? [
          insert('Logical_Router_Port', 'router_port', {
            name: routerPortOf(node),
            mac: macOfAddress(gatewayOf(subnet)),
            networks: networkOf(subnet),
            external_ids: ids,
          }),
          addTo('Logical_Router', router, 'ports', named('router_port')),
        ]
      : []),
    ...(link.switchPort === undefined
      ? [
          insert('Logical_Switch_Port', 'switch_port', {
            name: switchPortOf(node),
            type: 'router',
            addresses: 'router',
            options: map({ 'router-port': routerPortOf(node) }),
            external_ids: ids,
          }),
          addTo('Logical_Switch', node, 'ports', named('switch_port')),
          // Any stateful ACL makes the switch track connections: answers to what containers send
          // come back to them, and those are always let through (ovn-nb(5), ACL, "action").
          ...acl('Logical_Switch', node, {
            action: 'allow-related',
            priority: 0,
            match: `outport == "${switchPortOf(node)}" && ip`,
          }),
        ]
      : []),
    ...groupOperations(found, dropGroup, 'drop', priorities.drop),
    ...groupOperations(found, passGroup, 'allow-related', priorities.pass),
  ];
}

/** The ports of the link that are there. @throws InputError where they lead to another router. */
function linkOf(
  { routers, routerPorts, switchPorts }: Found,
  { node, router }: InitRequest,
): { readonly routerPort: Row | undefined; readonly switchPort: Row | undefined } {
  const routerPort = routerPorts.find(({ name }) => name === routerPortOf(node));
  const own = setIn(routers[0], 'ports').map((value) => JSON.stringify(value));
  if (routerPort !== undefined && !own.includes(JSON.stringify(routerPort['_uuid'])))
    throw new InputError(
      `the switch of node ${node} is connected to another router than "${router}": ` +
        `ovn-nbctl lrp-del ${routerPortOf(node)} disconnects it`,
    );
  return { routerPort, switchPort: switchPorts[0] };
}

/** @throws InputError where another port of any router has addresses of the subnet. */
function refuseOverlap({ routerPorts }: Found, { node, subnet }: InitRequest): void {
  for (const row of routerPorts) {
    if (row['name'] === routerPortOf(node)) continue;
    for (const network of setIn(row, 'networks').map(String)) {
      if (network.includes(':') || !cidrsOverlap(parseCidr(network), parseCidr(subnet))) continue;
      throw new InputError(
        `the subnet ${subnet} overlaps with ${network} of router port ${String(row['name'])}`,
      );
    }
  }
}

/** The subnet of a switch can be another one as long as no container has an address of it. */
function subnetOperations(
  switchRow: Row | undefined,
  { node, subnet }: InitRequest,
): readonly Operation[] {
  const ids = mapIn(switchRow, 'external_ids');
  const before = ids.get(keys.subnet);
  if (before === subnet) return [];
  const held = heldIn(ids);
  const containers = [...held.values()].filter((by) => by !== released).length;
  if (before !== undefined && containers > 0)
    throw new InputError(
      `node ${node} has the subnet ${before}, and ${containers} containers have addresses of it: ` +
        `it cannot become ${subnet} before they are gone`,
    );
  const ours: Value = map({ [keys.owner]: owner, [keys.subnet]: subnet });
  return [
    {
      op: 'mutate',
      table: 'Logical_Switch',
      where: [['name', '==', node]],
      mutations: [
        [
          'external_ids',
          'delete',
          set([keys.owner, keys.subnet, ...[...held.keys()].map((ip) => `cni_ip_${ip}`)]),
        ],
        ['external_ids', 'insert', ours],
      ],
    },
    {
      op: 'update',
      table: 'Logical_Router_Port',
      where: [['name', '==', routerPortOf(node)]],
      row: { networks: networkOf(subnet), mac: macOfAddress(gatewayOf(subnet)) },
    },
  ];
}

function networkOf(subnet: string): Value {
  return `${gatewayOf(subnet)}/${parseCidr(subnet).prefixLength}`;
}

function groupOperations(
  { groups }: Found,
  name: string,
  action: string,
  priority: number,
): readonly Operation[] {
  if (groups.some((row) => row['name'] === name)) return [];
  return [
    insert('Port_Group', `group_${name}`, {
      name,
      external_ids: map({ [keys.owner]: owner }),
    }),
    ...acl('Port_Group', name, { action, priority, match: `outport == @${name} && ip` }),
  ];
}

function acl(
  table: string,
  name: string,
  row: { readonly action: string; readonly priority: number; readonly match: string },
): readonly Operation[] {
  const id = `acl_${name.replaceAll(/\W/g, '_')}`;
  return [
    insert('ACL', id, {
      ...row,
      direction: 'to-lport',
      external_ids: map({ [keys.owner]: owner }),
    }),
    addTo(table, name, 'acls', named(id)),
  ];
}

function insert(table: string, id: string, row: Row): Operation {
  return { op: 'insert', table, 'uuid-name': id, row };
}

function addTo(table: string, name: string, column: string, value: Value): Operation {
  return {
    op: 'mutate',
    table,
    where: [['name', '==', name]],
    mutations: [[column, 'insert', set([value])]],
  };
}
