/** What the network stack of a host is set to, as the plan has it. */
import type { HostPlan, InterfacePlan } from '../../domain/plan/host-plan.js';
import type { DnatRule, NatPlan, SnatRule } from '../../domain/plan/nat-plan.js';
import { systemProgram } from '../../ovs/process/system-program.js';

/** Lines of ip(8), for `ip -batch`. */
export function stackCommands(host: HostPlan, podMtu: number): readonly string[] {
  const isNode = host.kind === 'linux-node';
  const device = (one: InterfacePlan) => (isNode ? (one.port ?? one.name) : one.name);
  const named = new Map(host.interfaces.map((one) => [one.name, device(one)]));
  const mtuOf = (one: InterfacePlan) =>
    host.kind === 'pod' || (isNode && one.port !== undefined && one === host.interfaces[0])
      ? [`link set dev ${device(one)} mtu ${podMtu}`]
      : [];
  return [
    'link set dev lo up',
    ...host.interfaces.flatMap((one) => [
      ...mtuOf(one),
      `addr replace ${one.ip}/${one.prefixLength} dev ${device(one)}`,
      `link set dev ${device(one)} up`,
    ]),
    ...host.routes
      .filter(({ interface: name }) => named.has(name))
      .map(
        ({ destination, via, interface: name, onlink }) =>
          `route replace ${destination} via ${via} dev ${named.get(name) ?? name}` +
          (onlink ? ' onlink' : ''),
      ),
    ...(host.neighbours ?? []).map(
      ({ ip, mac }) =>
        `neigh replace ${ip} lladdr ${mac} dev ${device(host.interfaces[0] ?? noInterface)} ` +
        'nud permanent',
    ),
  ];
}

const noInterface: InterfacePlan = { name: 'lo', mac: '', ip: '', prefixLength: 0 };

/** Rules of nft(8) for what the host translates. */
export function stackRules({ destinations, sources }: NatPlan): string {
  return [
    'table ip flowbed {',
    '  chain in { type nat hook prerouting priority dstnat;',
    ...destinations.flatMap((rule) => destinationRules(rule)),
    '  }',
    '  chain out { type nat hook postrouting priority srcnat;',
    ...sources.map(sourceRule),
    '  }',
    '}',
    '',
  ].join('\n');
}

function destinationRules({ match, to }: DnatRule): readonly string[] {
  const protocol = match.protocol.toLowerCase();
  const from = match.from === undefined ? '' : `ip saddr { ${match.from.join(', ')} } `;
  const when = `    ${from}ip daddr ${match.ip} ${protocol} dport ${match.port}`;
  const [first] = to;
  if (first === undefined) return [];
  if (to.length === 1) return [`${when} dnat to ${first.ip}:${first.port}`];
  const choices = to.map(({ ip, port }, index) => `${index} : ${ip} . ${port}`).join(', ');
  return [`${when} dnat to numgen random mod ${to.length} map { ${choices} }`];
}

function sourceRule({ from, except }: SnatRule): string {
  const but = except.length === 0 ? '' : ` ip daddr != { ${except.join(', ')} }`;
  return `    ip saddr { ${from.join(', ')} }${but} masquerade`;
}

/**
 * Checksums are computed by who sends, and segments are cut there: a datapath in ovs-vswitchd takes
 * frames as they are on a wire. By ioctl(2): ETHTOOL_STXCSUM of linux/ethtool.h.
 */
export function offloadsOff(device: string): readonly [string, ...string[]] {
  return [
    systemProgram('perl'),
    '-e',
    'socket(my $s, 2, 2, 0) or die "socket: $!\\n"; my $off = pack("L L", 0x17, 0); ' +
      'ioctl($s, 0x8946, pack("a16 P x16", $ARGV[0], $off)) or die "$ARGV[0]: $!\\n"',
    device,
  ];
}
