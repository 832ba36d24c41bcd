/** A packet that a controller puts into a bridge by itself (OpenFlow 1.5, section 7.3.6). */
import { readFields } from '../../openflow/match/oxm.js';
import type { Match } from '../../openflow/match/match.js';
import { types, versions, type Message } from './openflow-messages.js';

export interface PacketOut {
  readonly frame: Uint8Array;
  /** Fields that its first actions set. */
  readonly set: Match;
  /** How many actions it has, these among them. */
  readonly actions: number;
}

const fixedBytes = 8;
const setField = 25;

/** Undefined for any other message, and for one of another version. */
export function readPacketOut({ type, body, bytes }: Message): PacketOut | undefined {
  if (type !== types.packetOut || bytes[0] !== versions.OpenFlow15) return undefined;
  const actionsLength = body.readUInt16BE(4);
  const matchLength = body.readUInt16BE(fixedBytes + 2);
  const first = fixedBytes + Math.ceil(matchLength / 8) * 8;
  const end = first + actionsLength;
  const actions = actionsIn(body.subarray(first, end));
  const others = actions.findIndex((action) => action.readUInt16BE(0) !== setField);
  return {
    frame: Uint8Array.from(body.subarray(end)),
    set: actions.slice(0, others < 0 ? actions.length : others).flatMap(fieldsSet),
    actions: actions.length,
  };
}

function actionsIn(bytes: Buffer): readonly Buffer[] {
  const actions: Buffer[] = [];
  for (let at = 0; at + 4 <= bytes.length; ) {
    const length = Math.max(8, bytes.readUInt16BE(at + 2));
    actions.push(bytes.subarray(at, at + length));
    at += length;
  }
  return actions;
}

/** Behind the field stand zeros, up to a multiple of 8 bytes. */
function fieldsSet(action: Uint8Array): Match {
  return readFields(action.subarray(4, 8 + (action[7] ?? 0)));
}
