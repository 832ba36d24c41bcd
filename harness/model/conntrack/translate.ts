/** Translations go into the packet's bytes, with every checksum that covers them (Open vSwitch lib/conntrack.c, nat_packet). */
import { Unsupported } from '../../base/errors.js';
import { etherTypes } from '../../packet/ethernet.js';
import type { Layout } from '../../packet/extract/extract.js';
import { word, type FlowKey } from '../../packet/flow-key.js';
import { rewrite } from '../../packet/flow-rewrite.js';
import { viewOf } from '../../packet/header.js';
import { rewriteIdentifier } from '../../packet/rewrite/transport.js';
import type { Behaviour } from '../behaviour.js';
import { hasPorts } from './nat.js';
import type { Translation } from './tracked.js';
import { translateError } from './translate-error.js';
import { isIcmp } from './tuple.js';

/** A frame, and what is known of its bytes. */
export interface Bytes {
  readonly frame: Uint8Array;
  readonly layout: Layout;
  readonly key: FlowKey;
}

/** The frame after `translation`. Fields that differ from `then`, as they were when the packet was tracked, were written since and stay. */
export function translate({ frame, layout, key }: Bytes, change: Translation, behaviour: Behaviour, then: FlowKey = key): Bytes {
  const { part, tuple, isOfError } = change;
  const after = key.slice();
  const write = (field: number, values: readonly number[]) => {
    if (values.every((_, index) => key[field + index] === then[field + index])) after.set(values, field);
  };
  const [v4, v6] = part === 'src' ? [word.nwSrc, word.ipv6Src] : [word.nwDst, word.ipv6Dst];
  write(tuple.family === 'ipv4' ? v4 : v6, tuple[part].address);
  const isWithPorts = !isOfError && hasPorts(tuple, behaviour);
  if (isWithPorts && !isIcmp(tuple)) {
    write(word.tpSrc, [tuple.src.port]);
    write(word.tpDst, [tuple.dst.port]);
  }
  refuseExtensions(frame, layout, key, behaviour);
  if (isOfError) {
    const bytes = frame.slice();
    translateError(bytes, layout, change, behaviour);
    return { frame: bytes, layout, key: after };
  }
  if (!isWithPorts || !isIcmp(tuple)) return { frame: rewrite(frame, layout, key, after), layout, key: after };
  const bytes = rewrite(frame, layout, key, after).slice();
  rewriteIdentifier(viewOf(bytes), layout.l4, tuple.dst.port);
  return { frame: bytes, layout, key: after };
}

/** @throws Unsupported where the checksum is taken with the wrong protocol. */
function refuseExtensions(frame: Uint8Array, { l3 }: Layout, key: FlowKey, { translatedChecksum }: Behaviour): void {
  if (translatedChecksum === 'brought up to date' || key[word.ethType] !== etherTypes.ipv6 || frame[l3 + 6] === key[word.nwProto]) return;
  throw new Unsupported('the model does not translate IPv6 packets with extension headers, whose checksums Open vSwitch since 3.6 takes with the wrong protocol');
}
