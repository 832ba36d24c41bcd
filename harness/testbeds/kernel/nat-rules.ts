/** What a plan says of a host's NAT as rules of nft(8), for real stacks. */
import { InputError } from '../../base/errors/errors.js';
import type { DnatRule, NatPlan, SnatRule } from '../../domain/plan/nat-plan.js';

/**
 * How a host translates, as nftables has it: one chain before routing for what comes in, the same
 * for what it sends itself, one where packets leave (nft(8), "NAT STATEMENTS").
 * @throws InputError for what nftables has no words for here.
 */
export function natRules({ destinations, sources }: NatPlan): string {
  const dnat = destinations.flatMap(dnatRule);
  return [
    'table ip nat {',
    '  chain services {',
    ...dnat.map((rule) => `    ${rule}`),
    '  }',
    '  chain prerouting { type nat hook prerouting priority dstnat; jump services; }',
    '  chain output { type nat hook output priority -100; jump services; }',
    '  chain postrouting {',
    '    type nat hook postrouting priority srcnat;',
    `    meta mark & ${mark} == ${mark} masquerade`,
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
  if (affinity !== undefined)
    throw new InputError(
      `a Service at ${match.ip}:${match.port} that keeps its clients at one endpoint: real ` +
        'stacks have no rule for it here',
    );
  const [only, ...others] = to;
  if (only === undefined) return [];
  const what = matched(match);
  const keeps = keepsSenders.join(', ');
  const target =
    others.length === 0
      ? `${only.ip}:${only.port}`
      : `numgen random mod ${to.length} map { ${to
          .map(({ ip, port }, index) => `${index} : ${ip} . ${port}`)
          .join(', ')} }`;
  return [
    ...(keepsSenders.length === 0
      ? [`${what} meta mark set ${mark}`]
      : [`${what} ip saddr != { ${keeps} } meta mark set ${mark}`]),
    `${what} dnat to ${target}`,
  ];
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
