/** What actions changed of a packet goes into its bytes, and its fields are extracted again. */
import { Unsupported } from '../../base/errors/errors.js';
import { extract } from '../../packet/flow-key/extract/extract.js';
import { copyFields, emptyKey, isIp, keyWords, word } from '../../packet/flow-key/flow-key.js';
import { movedLayout, rewrite } from '../../packet/flow-key/rewrite/rewrite.js';
import { changed } from '../../packet/flow-key/rewrite/replace-bytes.js';
import { paddingOf } from './parse-packet.js';
import { type Packet, copyOf } from './packet.js';

/** The frame with everything the actions changed. */
export function committedFrame(packet: Packet): Uint8Array {
  const { frame, layout, baseKey, key, isEncapsulated } = packet;
  return isEncapsulated ? committedEncapsulated(packet) : rewrite(frame, layout, baseKey, key);
}

/** Only what was changed is written: the rest of the key describes what is inside. */
function committedEncapsulated({ frame, layout, baseKey, key, tagsMax }: Packet): Uint8Array {
  if (key[word.tpSrc] !== baseKey[word.tpSrc] || key[word.tpDst] !== baseKey[word.tpDst])
    throw new Unsupported(
      'the model does not know the ports of an encapsulated packet when one of them is written',
    );
  const before = emptyKey();
  extract(frame, before, tagsMax);
  return rewrite(
    frame,
    layout,
    before,
    key.map((value, index) => (value === baseKey[index] ? (before[index] ?? 0) : value)),
  );
}

/**
 * The packet's changes go into its bytes, and what is known of it stays. @param next whether its
 * key is written to right away, or once it is `unshareKey`.
 */
export function commit(
  packet: Packet,
  next: 'written to' | 'set apart' = 'written to',
): 'changed' | 'as they were' {
  if (!isChanged(packet)) return 'as they were';
  const { layout, baseKey, key } = packet;
  markRewritten(packet);
  replaceFrame(packet, committedFrame(packet));
  packet.layout = movedLayout(layout, baseKey, key);
  packet.baseKey = next === 'set apart' ? key : copyFields(key);
  packet.isParsed = false;
  return 'changed';
}

function replaceFrame(packet: Packet, frame: Uint8Array): void {
  if (frame.length !== packet.frame.length) packet.isResized = true;
  packet.frame = frame;
}

/** Whether actions changed what stands in the frame. */
function isChanged({ baseKey, key }: Packet): boolean {
  return key !== baseKey && changed(baseKey, key, word.ethSrc, keyWords - word.ethSrc);
}

function markRewritten(packet: Packet): void {
  const { baseKey, key } = packet;
  if (isIp(baseKey[word.ethType] ?? 0) && changed(baseKey, key, word.nwSrc, keyWords - word.nwSrc))
    packet.isRewritten = true;
}

/** As the datapath hands the packet up: its layers are located again, and its metadata stays. */
export function reparseLayout(packet: Packet): void {
  commit(packet);
  const read = emptyKey();
  packet.layout = extract(packet.frame, read, packet.tagsMax);
  packet.padding = paddingOf(packet.frame, packet.layout, read);
}

/** The same, and its fields are parsed again. */
export function reparse(packet: Packet): void {
  packet.needsReparse = false;
  if (packet.isParsed && !isChanged(packet)) return;
  markRewritten(packet);
  replaceFrame(packet, committedFrame(packet));
  if (packet.isEncapsulated && packet.key[word.pktMark] !== 0)
    throw new Unsupported(
      'the model does not know pkt_mark of an encapsulated packet that is parsed again',
    );
  packet.isEncapsulated = false;
  packet.layout = extract(packet.frame, packet.key, packet.tagsMax);
  packet.padding = paddingOf(packet.frame, packet.layout, packet.key);
  packet.baseKey = copyFields(packet.key);
  packet.isParsed = true;
}

/** The packet after its changes went into the bytes: same metadata, fields parsed again. */
export function reparsed(packet: Packet): Packet {
  const copy = copyOf(packet);
  reparse(copy);
  return copy;
}
