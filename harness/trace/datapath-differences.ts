/**
 * Where the kernel's datapath is known to do something else than the one in userspace, whose
 * behaviour the model has. docs/limits.md lists them; an answer names those that its packet meets.
 */
import type { Action } from '../openflow/actions/actions.js';
import { ctStateBits } from '../openflow/match/fields.js';
import { word, type FlowKey } from '../packet/flow-key/flow-key.js';

export interface DatapathDifference {
  /** `userspace does this, the kernel that`. */
  readonly text: string;
  readonly isMet: (passage: DatapathPassage) => boolean;
}

/** What is known of a packet's way. */
export interface DatapathPassage {
  readonly actions: readonly Action[];
  /** The packet as each translation began. */
  readonly starts: readonly FlowKey[];
  /** Whether a frame went into a tunnel, or came out of one. */
  readonly isTunnelled: boolean;
  /** Whether a select group chose a bucket for it. */
  readonly meetsSelectGroup: boolean;
}

type Ct = Extract<Action, { readonly kind: 'ct' }>;
type Nat = Extract<Action, { readonly kind: 'nat' }>;

function tracked({ actions }: DatapathPassage): readonly Ct[] {
  return actions.filter((action): action is Ct => action.kind === 'ct');
}

/** What new connections are translated to. */
function translations(passage: DatapathPassage): readonly NonNullable<Nat['to']>[] {
  return tracked(passage)
    .filter(({ commit }) => commit)
    .flatMap(({ exec }) => exec.flatMap((action) => (action.kind === 'nat' ? [action] : [])))
    .flatMap(({ to }) => (to === undefined ? [] : [to]));
}

function isInvalid(key: FlowKey): boolean {
  return ((key[word.ctState] ?? 0) & ctStateBits.inv) !== 0;
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
    isMet: ({ starts }) => starts.some(isInvalid),
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
];

/** Those that the packet meets. */
export function differencesMet(passage: DatapathPassage): readonly string[] {
  return datapathDifferences.filter(({ isMet }) => isMet(passage)).map(({ text }) => text);
}
