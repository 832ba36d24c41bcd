/**
 * Where the kernel's datapath is known to do something else than the one in userspace, whose
 * behaviour the model has. docs/limits.md lists them; an answer names those that its packet meets.
 */
import { word } from '../packet/flow-key/flow-key.js';
import {
  tracked,
  translations,
  isInvalid,
  isTracked,
  carriesTracked,
  protocols,
  flags,
  isNewSegment,
  longForTunnels,
  writesMark,
  type DatapathPassage,
} from './datapath-passage.js';

export interface DatapathDifference {
  /** `userspace does this, the kernel that`. */
  readonly text: string;
  readonly isMet: (passage: DatapathPassage) => boolean;
}

export const datapathDifferences: readonly DatapathDifference[] = [
  {
    text:
      'a new connection of which only the destination is translated is snat|dnat in the kernel, ' +
      'which binds its source as well, and dnat in userspace (ct(commit,nat(dst=…)))',
    isMet: (passage) => translations(passage).some(({ part }) => part === 'dst'),
  },
  {
    text:
      'the address and port that nat chooses out of a range follow another order and hash in the ' +
      'kernel',
    isMet: (passage) =>
      translations(passage).some(
        ({ addresses, ports }) =>
          addresses?.first !== addresses?.last ||
          (ports !== undefined && ports.first !== ports.last),
      ),
  },
  {
    text:
      'fragments that go to the tracker are put together by the kernel itself, with its own ' +
      'limits and timeouts, and leave in pieces as large as the largest that came in',
    isMet: (passage) =>
      tracked(passage).length > 0 && passage.starts.some((key) => (key[word.nwFrag] ?? 0) !== 0),
  },
  {
    text:
      "timeouts and TCP's windows of connections are those of the kernel's own tracker " +
      '(net.netfilter.nf_conntrack_*), where no timeout policy of the zone says otherwise',
    isMet: ({ starts, isLater }) =>
      starts.some((key) => isInvalid(key) || (isLater && isTracked(key))),
  },
  {
    text: 'helpers (alg=) are modules of the kernel, which may be missing',
    isMet: (passage) => tracked(passage).some(({ alg }) => alg !== undefined),
  },
  {
    text:
      'the bucket of a select group by dp_hash follows the hash of the datapath, and the kernel ' +
      'has another',
    isMet: ({ meetsSelectGroup }) => meetsSelectGroup,
  },
  {
    text:
      'the source port of a UDP tunnel follows another hash in the kernel, and its checksums are ' +
      "left to the device (options:csum); the frames here are the tunnel's payload",
    isMet: ({ isTunnelled }) => isTunnelled,
  },
  {
    text: 'meters of the kernel have their own buckets, so that other packets may be dropped',
    isMet: ({ actions }) => actions.some(({ kind }) => kind === 'meter'),
  },
  {
    text:
      'check_pkt_larger of the kernel measures a packet that its device has put together ' +
      '(GRO) by its largest segment',
    isMet: ({ actions }) => actions.some(({ kind }) => kind === 'check_pkt_larger'),
  },
  {
    text:
      'a segment of TCP with FIN or RST that belongs to no connection is +inv in the kernel, and ' +
      '+new in userspace',
    isMet: ({ starts }) =>
      starts.some((key) => isNewSegment(key, (set) => (set & (flags.fin | flags.rst)) !== 0)),
  },
  {
    text:
      'a connection of TCP that is seen without its SYN is +new in the kernel until it is ' +
      'answered, where net.netfilter.nf_conntrack_tcp_loose is not 0, and +inv where it is; in ' +
      'userspace it is +est from its second packet on',
    isMet: ({ starts }) =>
      starts.some((key) =>
        isNewSegment(key, (set) => (set & (flags.syn | flags.fin | flags.rst)) === 0),
      ),
  },
  {
    text: 'what is to or from port 0 is tracked by the kernel, and +inv in userspace',
    isMet: ({ reasons }) => reasons.some((reason) => reason.includes('to or from port 0')),
  },
  {
    text:
      'SCTP is tracked by its chunks and tags in the kernel, where what begins no association is ' +
      '+inv; userspace tracks it as it does UDP',
    isMet: (passage) => carriesTracked(passage, protocols.sctp),
  },
  {
    text:
      'DCCP, UDP-Lite and GRE are tracked by ports and keys in the kernel, and by addresses ' +
      'alone in userspace',
    isMet: (passage) => carriesTracked(passage, protocols.dccp, protocols.udpLite, protocols.gre),
  },
  {
    text:
      'zone 0 is the tracker that the host itself uses, so that its connections and iptables ' +
      'rules have a part in it; in userspace it is a zone like others',
    isMet: (passage) => tracked(passage).some(({ zone }) => zone === 0),
  },
  {
    text:
      'wrong checksums make a packet +inv in the kernel only where its device has not checked ' +
      'them, and net.netfilter.nf_conntrack_checksum is not 0',
    isMet: ({ reasons }) => reasons.some((reason) => /\+inv\).*checksum/.test(reason)),
  },
  {
    text:
      'pkt_mark is the mark of the host (iptables, ip rule): packets may come with one, and keep ' +
      'the one that flows give them; in userspace it begins with 0 and ends with the switch',
    isMet: ({ actions, starts }) =>
      starts.some((key) => (key[word.pktMark] ?? 0) !== 0) || actions.some(writesMark),
  },
  {
    text:
      'queues keep rates in the kernel (tc); in userspace they decide over DSCP alone, and ' +
      'nothing waits or is dropped for a rate',
    isMet: ({ actions }) => actions.some(({ kind }) => kind === 'set_queue' || kind === 'enqueue'),
  },
  {
    text:
      'a packet that the tracker or a pause has thawed too often (6 times, 8 since Open vSwitch ' +
      '3.3) is dropped in userspace; in the kernel it continues',
    isMet: ({ recirculatesTooOften }) => recirculatesTooOften,
  },
  {
    text:
      'what a tunnel has made goes by routes, neighbours and iptables of the host in the kernel; ' +
      'in userspace it goes through a bridge, whose flows see it',
    isMet: ({ isTunnelled }) => isTunnelled,
  },
  {
    text:
      'a packet that is too long for the path of its tunnel is answered with an error of ICMP by ' +
      'the kernel (5.9 and later), and lost in userspace',
    isMet: ({ isTunnelled, longestFrame }) => isTunnelled && longestFrame > longForTunnels,
  },
];

/** Those that the packet meets. */
export function differencesMet(passage: DatapathPassage): readonly string[] {
  return datapathDifferences.filter(({ isMet }) => isMet(passage)).map(({ text }) => text);
}
