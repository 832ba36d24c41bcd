/** What a plan says of a host's NAT as rules of nft(8), for real stacks. */
import { InputError } from '../../base/errors/errors.js';
import type { AddressAndPort, DnatRule, NatPlan, SnatRule } from '../../domain/plan/nat-plan.js';

/**
 * How a host translates, as nftables has it: one chain before routing for what comes in, the same
 * for what it sends itself, one where packets leave (nft(8), "NAT STATEMENTS").
 * @throws InputError for what nftables has no words for here.
 */
export function natRules({ destinations, sources }: NatPlan): string {
  const dnat = destinations.flatMap(dnatRule);
  return [
    'table ip nat {',
    ...keptEndpoints(destinations),
    '  chain services {',
    ...dnat.map((rule) => `    ${rule}`),
    '  }',
    '  chain prerouting { type nat hook prerouting priority dstnat; jump services; }',
    '  chain output { type nat hook output priority -100; jump services; }',
    '  chain postrouting {',
    '    type nat hook postrouting priority srcnat;',
    `    meta mark & ${mark} == ${mark} masquerade`,
    ...toThemselves(destinations).map((rule) => `    ${rule}`),
    ...sources.map((rule) => `    ${sourceRule(rule)}`),
    '  }',
    '}',
    'table ip rejects {',
    '  chain reject_services {',
    ...destinations.flatMap(rejectRule).map((rule) => `    ${rule}`),
    '  }',
    '  chain input { type filter hook input priority 0; jump reject_services; }',
    '  chain forward { type filter hook forward priority 0; jump reject_services; }',
    '  chain output { type filter hook output priority 0; jump reject_services; }',
    '}',
    '',
  ].join('\n');
}

/** As kube-proxy marks what is to get the node's address. */
const mark = '0x4000';

function dnatRule({ match, to, keepsSenders, affinity }: DnatRule): readonly string[] {
  const [only, ...others] = to;
  if (only === undefined) return [];
  const what = matched(match);
  const keeps = keepsSenders.join(', ');
  const marks =
    keepsSenders.length === 0
      ? `${what} meta mark set ${mark}`
      : `${what} ip saddr != { ${keeps} } meta mark set ${mark}`;
  if (affinity !== undefined) {
    const chains = to.map((endpoint) => keptName(affinity.name, match.protocol, endpoint));
    return [
      marks,
      ...chains.map((chain) => `${what} ip saddr @${chain} goto to_${chain}`),
      `${what} numgen random mod ${to.length} vmap { ${chains
        .map((chain, index) => `${index} : goto to_${chain}`)
        .join(', ')} }`,
    ];
  }
  const target =
    others.length === 0
      ? `${only.ip}:${only.port}`
      : `numgen random mod ${to.length} map { ${to
          .map(({ ip, port }, index) => `${index} : ${ip} . ${port}`)
          .join(', ')} }`;
  return [marks, `${what} dnat to ${target}`];
}

/** Of each endpoint that clients keep: who had it last, and how they get there. */
function keptEndpoints(destinations: readonly DnatRule[]): readonly string[] {
  const kept = new Map<string, readonly string[]>();
  for (const { match, to, affinity } of destinations)
    for (const endpoint of affinity === undefined ? [] : to) {
      const name = keptName(affinity?.name ?? '', match.protocol, endpoint);
      kept.set(name, [
        `  set ${name} { type ipv4_addr; size 65535; flags dynamic,timeout; ` +
          `timeout ${affinity?.seconds ?? 0}s; }`,
        `  chain to_${name} {`,
        `    update @${name} { ip saddr }`,
        `    meta l4proto ${match.protocol.toLowerCase()} dnat to ${endpoint.ip}:${endpoint.port}`,
        '  }',
      ]);
    }
  return [...kept.values()].flat();
}

function keptName(name: string, protocol: string, { ip, port }: AddressAndPort): string {
  return `${name}_${protocol.toLowerCase()}_${ip}_${port}`.replaceAll(/[^A-Za-z0-9_]/g, '_');
}

/** Who is sent to itself would not take an answer from itself for one of the Service. */
function toThemselves(destinations: readonly DnatRule[]): readonly string[] {
  return [...new Set(destinations.flatMap(({ to }) => to.map(({ ip }) => ip)))].map(
    (ip) => `ct status dnat ip saddr ${ip} ip daddr ${ip} masquerade`,
  );
}

function rejectRule({ match, to, nobody }: DnatRule): readonly string[] {
  if (to.length > 0) return [];
  return [`${matched(match)} ${nobody === 'lost' ? 'drop' : 'reject'}`];
}

function matched({ ip, protocol, port, from = [] }: DnatRule['match']): string {
  const sender = from.length === 0 ? '' : `ip saddr { ${from.join(', ')} } `;
  return `${sender}ip daddr ${ip} ${protocol.toLowerCase()} dport ${port}`;
}

function sourceRule({ from, except, ports }: SnatRule): string {
  if (ports !== undefined)
    throw new InputError('a masquerade with ports of its own: real stacks of Linux have none');
  const but = except.length === 0 ? '' : ` ip daddr != { ${except.join(', ')} }`;
  return `ip saddr { ${from.join(', ')} }${but} masquerade`;
}
