/**
 * What one translation looks at and what it leads to, noted while it is carried out: a megaflow is
 * made of it.
 */
import { wordsOf, type Field } from '../../openflow/fields.js';
import { keyWords, word, copyKey, emptyKey, type FlowKey } from '../../packet/flow-key.js';
import type { FlowRecord } from '../flows/record.js';
import type { TunnelConfig } from '../tunnels/config.js';
import type { Envelope } from '../tunnels/wrap.js';
import type { TrackRequest } from '../pipeline/tracking.js';

/** A flow that counts the packet, in a bridge where it is so many bytes longer than it came. */
export interface Counted {
  readonly record: FlowRecord;
  readonly longer: number;
}

/** What is done with the packet itself, in order. `key`: as it is known then. */
export type Event =
  /** Its changes go into its bytes. */
  | { readonly kind: 'commit'; readonly key: FlowKey }
  | { readonly kind: 'output'; readonly port: string }
  /** It ends a tunnel. */
  | { readonly kind: 'take off'; readonly config: TunnelConfig }
  | {
      readonly kind: 'track';
      readonly key: FlowKey;
      readonly metadata: Recording['metadata'];
      readonly request: TrackRequest;
    }
  /** The datapath forgets what the tracker said. */
  | { readonly kind: 'forget' }
  /** It goes into a tunnel, and leaves these ports. */
  | {
      readonly kind: 'encapsulate';
      readonly envelope: Envelope;
      readonly ports: readonly string[];
    };

export interface Recording {
  readonly start: FlowKey;
  /** The bits that were looked at or written: a packet with the same ones goes the same way. */
  readonly mask: FlowKey;
  /** Ports that it was sent to, which it must not have come from. */
  readonly notFrom: number[];
  readonly counted: Counted[];
  events: Event[];
  /**
   * What is known of the packet beside its bytes: in a bridge behind a patch port nothing of it is
   * what it was.
   */
  metadata: 'as it came' | 'begun anew';
  /** Whether what was learned of addresses had a part in it. */
  depends: 'on flows' | 'on what was learned';
  /** How often that had changed when the translation began. */
  readonly learnedAt: number;
}

/**
 * What decides over which fields there are, and what the pipeline looks at without being told to:
 * part of every mask, as in Open vSwitch (ofproto/ofproto-dpif-xlate.c, xlate_wc_init).
 */
const always: readonly number[] = [
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
export const mostlyAlike: ReadonlySet<number> = new Set(
  always.filter(
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

export function beginRecording(key: FlowKey, learnedAt: number): Recording {
  return {
    start: copyKey(key),
    mask: copyKey(alwaysMask),
    notFrom: [],
    counted: [],
    events: [],
    metadata: 'as it came',
    depends: 'on flows',
    learnedAt,
  };
}

const allBits = 0xffffffff;
const alwaysMask = emptyKey();
for (const place of always) alwaysMask[place] = allBits;

export function lookAtWords(recording: Recording | undefined, first: number, count = 1): void {
  recording?.mask.fill(allBits, first, first + count);
}

/** Whole words, and what decides whether the packet has the field. */
export function lookAtField(recording: Recording | undefined, field: Field): void {
  lookAtWords(recording, field.word, wordsOf(field));
  if (field.prerequisite.startsWith('nd')) lookAtWords(recording, word.tpSrc, 2);
}

/** At which port it came in: behind a patch port that is no longer its own. */
export function lookAtInPort(recording: Recording | undefined): void {
  if (recording?.metadata === 'as it came') lookAtWords(recording, word.inPort);
}

/** Whether it came in at this port: no packet goes back there by itself. */
export function lookWhetherFrom(
  recording: Recording | undefined,
  port: number,
  inPort: number,
): void {
  if (port === inPort) lookAtInPort(recording);
  else if (recording?.metadata === 'as it came' && !recording.notFrom.includes(port))
    recording.notFrom.push(port);
}

/** Everything that stands in the frame. */
export function lookAtFrame(recording: Recording | undefined): void {
  lookAtWords(recording, word.ethSrc, keyWords - word.ethSrc);
}
