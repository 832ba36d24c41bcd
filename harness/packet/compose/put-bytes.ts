import type { ByteView } from '../bytes/byte-view.js';
import type { FlowKey } from '../flow-key/flow-key.js';

/** Words of the key, 32 bits each. */
export function put32(
  view: ByteView,
  place: number,
  key: FlowKey,
  field: number,
  words: number,
): void {
  for (let index = 0; index < words; index++)
    view.setUint32(place + 4 * index, key[field + index] ?? 0);
}

export function putMac(view: ByteView, place: number, key: FlowKey, field: number): void {
  view.setUint16(place, key[field] ?? 0);
  view.setUint32(place + 2, key[field + 1] ?? 0);
}
