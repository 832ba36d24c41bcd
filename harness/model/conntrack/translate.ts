/** Translations go into the packet's bytes, with every checksum that covers them (Open vSwitch lib/conntrack.c, nat_packet). */
import type { Layout } from '../../packet/extract/extract.js';
import { word, type FlowKey } from '../../packet/flow-key.js';
import { rewrite } from '../../packet/flow-rewrite.js';
import { rewriteIdentifier } from '../../packet/rewrite/transport.js';
import type { Behaviour } from '../behaviour.js';
import { hasPorts } from './nat.js';
import type { Translation } from './tracker.js';
import { isIcmp } from './tuple.js';

/** A frame, and what is known of its bytes. */
export interface Bytes {
  readonly frame: Uint8Array;
  readonly layout: Layout;
  readonly key: FlowKey;
}

/** The frame after `translation`. Fields that differ from `then`, as they were when the packet was tracked, were written since and stay. */
export function translate({ frame, layout, key }: Bytes, { part, tuple }: Translation, behaviour: Behaviour, then: FlowKey = key): Bytes {
  const after = key.slice();
  const write = (field: number, values: readonly number[]) => {
    if (values.every((_, index) => key[field + index] === then[field + index])) after.set(values, field);
  };
  const [v4, v6] = part === 'src' ? [word.nwSrc, word.ipv6Src] : [word.nwDst, word.ipv6Dst];
  write(tuple.family === 'ipv4' ? v4 : v6, tuple[part].address);
  const isWithPorts = hasPorts(tuple, behaviour);
  if (isWithPorts && !isIcmp(tuple)) {
    write(word.tpSrc, [tuple.src.port]);
    write(word.tpDst, [tuple.dst.port]);
  }
  const bytes = rewrite(frame, layout, key, after);
  if (isWithPorts && isIcmp(tuple)) rewriteIdentifier(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), layout.l4, tuple.dst.port);
  return { frame: bytes, layout, key: after };
}
