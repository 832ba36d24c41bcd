/** What a translation changes of a packet's flow key, bit by bit. */
import { assert } from '../../base/errors/errors.js';
import { word, type FlowKey } from '../../packet/flow-key/flow-key.js';

/** What a key becomes: of the word at each place the bits of its mask are those of its value. */
export interface Patch {
  readonly places: readonly number[];
  readonly masks: readonly number[];
  readonly values: readonly number[];
  /** Whether it changes what stands in the frame. */
  readonly isOfBytes: boolean;
}

/** What the tracker said is left out: the tracker sets it again wherever it is read again. */
export function patchOf(
  mask: FlowKey,
  before: FlowKey,
  after: FlowKey,
  first: number,
  end: number,
): Patch {
  const patch = {
    places: [] as number[],
    masks: [] as number[],
    values: [] as number[],
    isOfBytes: false,
  };
  for (let place = first; place < end; place++) {
    if (before[place] === after[place] || isConntrackWord(place)) continue;
    const [was, is, bits] = [before[place] ?? 0, after[place] ?? 0, mask[place] ?? 0];
    assert(
      ((was ^ is) & ~bits) === 0,
      `what is written to word ${place} of a flow key is in the mask`,
    );
    patch.places.push(place);
    patch.masks.push(bits);
    patch.values.push(is & bits);
    patch.isOfBytes ||= place >= word.ethSrc;
  }
  return patch;
}

/**
 * Everything that is known beside the bytes: in a bridge behind a patch port nothing of it is the
 * packet's own.
 */
export function metadataPatch(key: FlowKey): Patch {
  const places = Array.from({ length: word.ethSrc }, (_, place) => place).filter(
    (place) => !isConntrackWord(place),
  );
  return {
    places,
    masks: places.map(() => 0xffffffff),
    values: places.map((place) => key[place] ?? 0),
    isOfBytes: false,
  };
}

function isConntrackWord(place: number): boolean {
  return place >= word.ctState && place < word.pktMark;
}

export function applyPatch({ places, masks, values }: Patch, key: FlowKey): void {
  for (let index = 0; index < places.length; index++) {
    const place = places[index] ?? 0;
    key[place] = ((key[place] ?? 0) & ~(masks[index] ?? 0)) | (values[index] ?? 0);
  }
}
