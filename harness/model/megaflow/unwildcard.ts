/** What one translation reads and its outcome, recorded while it runs: a megaflow is made of it. */
import { wordsOf, type Field } from '../../openflow/match/fields.js';
import { keyWords, word, copyKey, emptyKey, type FlowKey } from '../../packet/flow-key/flow-key.js';
import type { FlowRecord } from '../tables/flows/flow-record.js';
import type { TunnelConfig } from '../tunnels/tunnel-config.js';
import type { TunnelHeader } from '../tunnels/encapsulate.js';
import type { TrackRequest } from '../xlate/datapath/track-request.js';

/** A flow that counts the packet, in a bridge where it is so many bytes longer than it came. */
export interface CreditedFlow {
  readonly record: FlowRecord;
  readonly extraBytes: number;
  /** Of the tunnels that it went into before. */
  readonly outerBytes: number;
}

/** What is done with the packet itself, in order. `key`: as it is known then. */
export type DatapathEvent =
  /** Its changes go into its bytes. */
  | { readonly kind: 'commit'; readonly key: FlowKey }
  | { readonly kind: 'output'; readonly port: string }
  /** It ends a tunnel. */
  | { readonly kind: 'decapsulate'; readonly config: TunnelConfig }
  | {
      readonly kind: 'track';
      readonly key: FlowKey;
      readonly metadata: MegaflowDraft['metadata'];
      readonly request: TrackRequest;
    }
  /** The datapath forgets what the tracker said. */
  | { readonly kind: 'forget' }
  /** It goes into a tunnel, and leaves these ports. */
  | {
      readonly kind: 'encapsulate';
      readonly envelope: TunnelHeader;
      readonly ports: readonly string[];
    };

export interface MegaflowDraft {
  readonly key: FlowKey;
  /** The bits that were read or written: a packet with the same ones takes the same path. */
  readonly wildcards: FlowKey;
  /** Ports that it was sent to, which it must not have come from. */
  readonly excludedInPorts: number[];
  readonly credited: CreditedFlow[];
  events: DatapathEvent[];
  /**
   * What is known of the packet beside its bytes: in a bridge behind a patch port nothing of it is
   * what it was.
   */
  metadata: 'as it came' | 'initial';
  /** Whether what was learned of addresses had a part in it. */
  dependsOn: 'on flows' | 'on what was learned';
  /** How often that had changed when the translation began. */
  readonly learnedGeneration: number;
}

/**
 * What decides which fields there are, and what the pipeline reads without an action: part of every
 * mask, as in Open vSwitch (ofproto/ofproto-dpif-xlate.c, xlate_wc_init).
 */
const alwaysUnwildcarded: readonly number[] = [
  word.actsetOutput,
  word.packetType,
  word.recircId,
  word.dpHash,
  word.tunTos,
  word.tunFlags,
  word.tunErspanVer,
  word.tunOptions,
  word.tunOptions + 1,
  word.ctState,
  word.ctNwProto,
  word.pktMark,
  word.ethType,
  word.vlanTci,
  word.vlanTci + 1,
  word.vlanTpid,
  word.vlanTpid + 1,
  word.mplsLse,
  word.mplsLse + 1,
  word.mplsLse + 2,
  word.nwProto,
  word.nwFrag,
];

/** Of those, what is the same for nearly all packets of a cluster. */
export const rarelyDistinct: ReadonlySet<number> = new Set(
  alwaysUnwildcarded.filter(
    (place) =>
      ![
        word.ctState,
        word.dpHash,
        word.recircId,
        word.pktMark,
        word.vlanTci,
        word.mplsLse,
      ].includes(place),
  ),
);

export function draftMegaflow(key: FlowKey, learnedAt: number): MegaflowDraft {
  return {
    key: copyKey(key),
    wildcards: copyKey(initialWildcards),
    excludedInPorts: [],
    credited: [],
    events: [],
    metadata: 'as it came',
    dependsOn: 'on flows',
    learnedGeneration: learnedAt,
  };
}

const allBits = 0xffffffff;
const initialWildcards = emptyKey();
for (const place of alwaysUnwildcarded) initialWildcards[place] = allBits;

export function unwildcardWords(
  megaflow: MegaflowDraft | undefined,
  first: number,
  count = 1,
): void {
  megaflow?.wildcards.fill(allBits, first, first + count);
}

/** Whole words, and what decides whether the packet has the field. */
export function unwildcardField(megaflow: MegaflowDraft | undefined, field: Field): void {
  unwildcardWords(megaflow, field.word, wordsOf(field));
  if (field.prerequisite.startsWith('nd')) unwildcardWords(megaflow, word.tpSrc, 2);
}

/** At which port it came in: behind a patch port that is no longer its own. */
export function unwildcardInPort(megaflow: MegaflowDraft | undefined): void {
  if (megaflow?.metadata === 'as it came') unwildcardWords(megaflow, word.inPort);
}

/** Whether it came in at this port: no packet goes back there by itself. */
export function excludeInPort(
  megaflow: MegaflowDraft | undefined,
  port: number,
  inPort: number,
): void {
  if (port === inPort) unwildcardInPort(megaflow);
  else if (megaflow?.metadata === 'as it came' && !megaflow.excludedInPorts.includes(port))
    megaflow.excludedInPorts.push(port);
}

/** Everything that stands in the frame. */
export function unwildcardFrame(megaflow: MegaflowDraft | undefined): void {
  unwildcardWords(megaflow, word.ethSrc, keyWords - word.ethSrc);
}
