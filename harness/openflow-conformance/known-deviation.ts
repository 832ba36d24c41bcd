/**
 * Where Open vSwitch takes a case's program and does not do what the corpus expects, and why.
 */
import type { Case } from './corpus.js';

interface KnownDeviation {
  readonly cases: RegExp;
  /** What every complaint about such a case says; others are not excused. */
  readonly complaints: RegExp;
  readonly why: string;
}

const knownDeviations: readonly KnownDeviation[] = [
  {
    cases: /^action\/17_PUSH_VLAN_multiple /,
    complaints: /got other vlan\.pcp \(0 for 3\), vlan\.vid \(0 for 100\)$/,
    why:
      'a pushed tag has VLAN 0 and priority 0 (flow_push_vlan_uninit in lib/flow.c), where ' +
      'OpenFlow 1.3, section 5.12.1, copies both from the tag below',
  },
  {
    cases: /^action\/19_PUSH_MPLS 2$/,
    complaints: /got other mpls\.label \(2 for 0\)$/,
    why:
      'the first label of an IPv6 packet is 2, IPv6 explicit NULL (RFC 3032, section 2.1; ' +
      'flow_push_mpls in lib/flow.c), where OpenFlow 1.3, section 5.12.1, takes 0',
  },
  {
    cases: /^action\/19_PUSH_MPLS 3$/,
    complaints: /got other mpls\.ttl \(64 for 0\)$/,
    why:
      'the first label of a packet that has no TTL gets a TTL of 64 (flow_push_mpls in ' +
      'lib/flow.c), where OpenFlow 1.3, section 5.12.1, takes 0',
  },
  {
    cases: /^group\/01_SELECT_(Weight_)?Ether [12]$/,
    complaints: /^expected \d+ kbit\/s .* got (0|2100)$/,
    why:
      "select groups choose an IP packet's bucket by its addresses and ports alone, not by " +
      'MAC addresses (flow_hash_symmetric_l3l4 in lib/flow.c): what differs in those only ' +
      'goes one way; OpenFlow leaves the choice open',
  },
  {
    cases: /^group\/01_SELECT_(Weight_)?IP 3$/,
    complaints: /^expected \d+ kbit\/s .* got (0|2100)$/,
    why:
      'select groups choose the bucket of an ARP packet by MAC addresses alone, not by those ' +
      'in it (flow_hash_symmetric_l3l4 in lib/flow.c): what differs in those only goes one ' +
      'way; OpenFlow leaves the choice open',
  },
];

/** Why Open vSwitch differs in that case, if that is all that the complaints are about. */
export function knownDeviation(
  { name }: Pick<Case, 'name'>,
  complaints: readonly string[],
): string | undefined {
  return knownDeviations.find(
    (row) =>
      row.cases.test(name) && complaints.every((complaint) => row.complaints.test(complaint)),
  )?.why;
}
