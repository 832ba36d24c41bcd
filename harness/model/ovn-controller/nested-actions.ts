/**
 * Actions as OVN nests them in the argument of one of its own: in OpenFlow 1.5's form (OVN
 * lib/actions.c, encode_nested_actions; OpenFlow 1.5, section 7.2.6; Open vSwitch
 * lib/ofp-actions.c).
 */
import { Unsupported } from '../../base/errors/errors.js';
import { viewOf } from '../../packet/bytes/header-layout.js';
import type { Action, Subfield } from '../../openflow/actions/actions.js';
import { readFields, readOxmHeader } from '../../openflow/match/oxm.js';
import { reservedPorts } from '../../openflow/syntax/ports.js';

const types = { output: 0, setField: 25, copyField: 28, experimenter: 0xffff } as const;
const nicira = 0x2320;
const subtypes = { resubmit: 1, resubmitTable: 14, push: 27, pop: 28 } as const;
/** Where a resubmit names no table of its own. */
const anyTable = 255;

/** @throws Unsupported for an action that no flow of OVN's is known to nest. */
export function readNestedActions(bytes: Uint8Array): readonly Action[] {
  const actions: Action[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = at + 4 > bytes.length ? 0 : viewOf(bytes).getUint16(at + 2);
    if (length < 8 || at + length > bytes.length)
      throw new Unsupported(`nested actions that are cut off at byte ${at} are not modelled`);
    actions.push(readAction(bytes.subarray(at, at + length)));
    at += length;
  }
  return actions;
}

function readAction(bytes: Uint8Array): Action {
  const view = viewOf(bytes);
  const type = view.getUint16(0);
  switch (type) {
    case types.output:
      return { kind: 'output', port: view.getUint32(4) & 0xffff };
    case types.setField:
      return readSetField(bytes);
    case types.copyField: {
      const bits = view.getUint16(4);
      const source = subfieldAt(bytes, 12, view.getUint16(6), bits);
      const next = 12 + readOxmHeader(bytes.subarray(12)).bytes;
      const destination = subfieldAt(bytes, next, view.getUint16(8), bits);
      return { kind: 'move', source, destination };
    }
    case types.experimenter:
      if (view.getUint32(4) === nicira) return readNicira(bytes);
      break;
  }
  throw new Unsupported(`a nested action of type ${type} is not modelled`);
}

/** A mask stands behind the value where it is not all of the field that is set. */
function readSetField(bytes: Uint8Array): Action {
  const length = 4 + (bytes[7] ?? 0);
  const [first] = readFields(bytes.subarray(4, 4 + length));
  if (first === undefined) throw new Unsupported('a nested set_field of no field');
  const { field, value, mask } = first;
  return {
    kind: 'set',
    notation: 'set_field',
    field,
    value,
    ...(mask === field.ones ? {} : { mask }),
  };
}

function readNicira(bytes: Uint8Array): Action {
  const view = viewOf(bytes);
  const subtype = view.getUint16(8);
  switch (subtype) {
    case subtypes.resubmit:
    case subtypes.resubmitTable: {
      const port = view.getUint16(10);
      const table = subtype === subtypes.resubmit ? anyTable : view.getUint8(12);
      return {
        kind: 'resubmit',
        original: false,
        ...(port === reservedPorts.IN_PORT ? {} : { port }),
        ...(table === anyTable ? {} : { table }),
      };
    }
    case subtypes.push:
    case subtypes.pop: {
      const { bytes: header } = readOxmHeader(bytes.subarray(12));
      const bits = view.getUint16(12 + header);
      const field = subfieldAt(bytes, 12, view.getUint16(10), bits);
      return subtype === subtypes.push
        ? { kind: 'push', source: field }
        : { kind: 'pop', destination: field };
    }
    default:
      throw new Unsupported(`a nested action of Nicira's subtype ${subtype} is not modelled`);
  }
}

function subfieldAt(bytes: Uint8Array, at: number, offset: number, bits: number): Subfield {
  return { field: readOxmHeader(bytes.subarray(at)).field, offset, bits };
}
