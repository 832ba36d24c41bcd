/**
 * What ovn-controller answers by itself, as rows: second addresses, of IPv6, with advertisements of
 * routers and DHCPv6; names; and ACLs that reject (ovn-nb(5)).
 */
import type { NorthboundRow, NorthboundValue } from '../../domain/plan/northbound-plan.js';
import type { Node } from '../../domain/topology.js';
import { ipv6Of, type OvnAnswers, type OvnTopology } from '../../../topologies/ovn/ovn-topology.js';

type Columns = Readonly<Record<string, NorthboundValue>>;
const map = (entries: Readonly<Record<string, string>>) => ({ map: entries });
const references = (...ids: readonly string[]) => ({ set: ids.map((row) => ({ row })) });

const prefixLength = 64;
const names = 'names';
const dhcpOf = ({ name }: Node) => `DHCPv6 options ${name}`;
const aclsOf = ({ name }: Node) => ['udp', 'tcp'].map((protocol) => `ACL ${name} ${protocol}`);

/** Of a host: its address of IPv6, with a space before it; nothing where there are none. */
export function secondAddress({ answers }: OvnTopology, ip: string): string {
  return answers === undefined ? '' : ` ${ipv6Of(ip)}`;
}

export function routerPortColumns({ answers }: OvnTopology): Columns {
  return answers === undefined
    ? {}
    : { ipv6_ra_configs: map({ address_mode: 'dhcpv6_stateful', mtu: '1400' }) };
}

export function routerNetworks({ answers }: OvnTopology, { gateway }: Node): readonly string[] {
  return answers === undefined ? [] : [`${ipv6Of(gateway.ip)}/${prefixLength}`];
}

export function switchColumns({ answers }: OvnTopology, node: Node): Columns {
  return answers === undefined
    ? {}
    : { dns_records: references(names), acls: references(...aclsOf(node)) };
}

export function podColumns({ answers }: OvnTopology, node: Node): Columns {
  return answers === undefined ? {} : { dhcpv6_options: references(dhcpOf(node)) };
}

export function answerRows({ answers, nodes }: OvnTopology): readonly NorthboundRow[] {
  if (answers === undefined) return [];
  return [
    { table: 'DNS', id: names, columns: { records: map(answers.names) } },
    ...nodes.flatMap((node) => [dhcpRow(node, answers), ...aclRows(node, answers)]),
  ];
}

function dhcpRow(node: Node, { dnsServer }: OvnAnswers): NorthboundRow {
  return {
    table: 'DHCP_Options',
    id: dhcpOf(node),
    columns: {
      cidr: `${ipv6Of(node.podCidr.replace(/\/.*/, ''))}/${prefixLength}`,
      options: map({ server_id: node.gateway.mac, dns_server: dnsServer.ipv6 }),
    },
  };
}

function aclRows(node: Node, { rejectedPort }: OvnAnswers): readonly NorthboundRow[] {
  return aclsOf(node).map((id, index) => ({
    table: 'ACL',
    id,
    columns: {
      direction: 'to-lport',
      priority: 1000,
      match: `${index === 0 ? 'udp' : 'tcp'}.dst == ${rejectedPort}`,
      action: 'reject',
    },
  }));
}
