import { besideIpv4 } from '../../harness/domain/dual-stack.js';
import type { Stimulus } from '../../harness/domain/test-vector.js';
import type { Chapter } from './chapters.js';
import type { AddressFamily, OvnKubernetesTopology } from './ovn-kubernetes-topology.js';

/** What is sent over IPv4, as it is sent over each family: `udp/p3/10.10.1.9`, `udp/p3/fd00:…`. */
export function inFamily(
  { ipv6 = {} }: OvnKubernetesTopology,
  family: AddressFamily,
  chapter: Chapter,
): readonly Chapter[] {
  if (family === 'ipv4' || !('kind' in chapter) || chapter.kind !== 'vector') return [chapter];
  const { vector } = chapter;
  const stimulus = overIpv6(ipv6, vector.stimulus);
  const [before, after] = targetsOf(vector.stimulus, stimulus);
  const id = vector.id.replace(before, after);
  const beside: Chapter = { ...chapter, vector: { ...vector, id, stimulus } };
  return family === 'ipv6' ? [beside] : [chapter, beside];
}

/** What the ids of both end with. */
function targetsOf(...stimuli: readonly [Stimulus, Stimulus]): readonly [string, string] {
  const [one, other] = stimuli.map((stimulus) => {
    if (stimulus.kind === 'dhcp') return stimulus.version === 6 ? '/dhcpv6/' : '/dhcp/';
    if (stimulus.kind === 'frame' || stimulus.kind === 'announcement') return '';
    return stimulus.kind === 'arp' ? stimulus.target : stimulus.to;
  });
  return [one ?? '', other ?? ''];
}

function overIpv6(ipv6: Readonly<Record<string, string>>, stimulus: Stimulus): Stimulus {
  switch (stimulus.kind) {
    case 'dhcp':
      return { ...stimulus, version: 6 };
    case 'frame':
    case 'announcement':
      return stimulus;
    case 'arp':
      return { ...stimulus, target: ipv6[stimulus.target] ?? nowhere };
    case 'open':
    case 'talk':
      return {
        ...stimulus,
        to: besideIpv4(ipv6, stimulus.to),
        connection: `${stimulus.connection} over IPv6`,
      };
    default:
      return { ...stimulus, to: besideIpv4(ipv6, stimulus.to) };
  }
}

/** In no network of the cluster, as 192.0.2.1 is (RFC 3849). */
const nowhere = '2001:db8::1';
