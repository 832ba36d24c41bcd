/** Sending packets out: to ports, controllers, queues and groups. */
import type { Form } from '../../syntax/form.js';
import { parsePort, printPort, reservedPorts } from '../../syntax/ports.js';
import { fieldsNamed } from '../../match/fields.js';
import { complain, part, type Span } from '../../syntax/text.js';
import {
  packetInReasons,
  type Action,
  type ControllerAction,
  type OutputAction,
} from '../action.js';
import {
  splitActions,
  hexBytes,
  needed,
  oneOf,
  outputPort,
  printBytes,
  printSubfield,
  small,
  subfield,
  uint16,
  uint32,
  type ActionText,
  type Reader,
  type ParseContext,
} from '../parse-context.js';
import { requireReadable } from '../packet-knowledge.js';

export const outputReaders: Readonly<Record<string, Reader>> = {
  output: (call, reading) => readOutput(needed(call), reading),
  output_reg: (call, reading) => readOutput(needed(call), reading),
  controller: readController,
  enqueue: readEnqueue,
  set_queue: (call) => ({ kind: 'set_queue', queue: small(needed(call), 'queue', uint32) }),
  pop_queue: () => ({ kind: 'pop_queue' }),
  group: (call) => ({ kind: 'group', group: small(needed(call), 'group', lastGroup) }),
};

/** Those above stand for all groups and for none (OpenFlow 1.3, "Group Numbering"). */
export const lastGroup = 0xffffff00n;

/** All of a packet. */
const wholePacket = 65535;

function readOutput(argument: Span, reading: ParseContext): Action {
  const { text } = argument;
  if (text.includes('max_len')) return readTruncated(argument, reading);
  const isField =
    text.includes('[') ||
    (!reading.names.ports.has(text) &&
      text.toUpperCase() !== 'IN_PORT' &&
      fieldsNamed(text).length > 0);
  if (!isField) return outputTo(outputPort(argument, reading), wholePacket);
  const source = requireReadable(argument, subfield(argument, reading), reading);
  if (source.bits > longestNumber)
    throw complain(argument, `output takes at most ${longestNumber} bits, got ${source.bits}`);
  return { kind: 'output-field', source };
}

/** A length has six bits in a message, and Open vSwitch takes what is left of a greater one. */
export const longestNumber = 64;

/**
 * A port by itself is an output, too; by the number of the controller's, nothing of the packet goes
 * there. Its name is an action.
 */
export function readBarePort(at: Span, reading: ParseContext): Action {
  return outputTo(outputPort(at, reading), 0);
}

function outputTo(number: number, maxLength: number): OutputAction {
  return number === reservedPorts.CONTROLLER
    ? toController(maxLength)
    : { kind: 'output', port: number };
}

function toController(maxLength: number): ControllerAction {
  return { kind: 'controller', maxLength, id: 0, reason: 'action', userdata: [], pause: false };
}

function readTruncated(argument: Span, reading: ParseContext): Action {
  let to: number | undefined;
  let maxLength: number | undefined;
  for (const { name, at, argument: value } of splitActions(argument)) {
    if (name === 'port') to = parsePort(value, reading.names.ports);
    else if (name === 'max_len') maxLength = small(value, 'max_len', uint32);
    else throw complain(at, `output: expected port= and max_len=, got "${name}"`);
  }
  if (to === undefined || maxLength === undefined)
    throw complain(argument, 'output: expected both port= and max_len=');
  if (to >= reservedPorts.UNSET && to !== reservedPorts.LOCAL && to !== reservedPorts.IN_PORT)
    throw complain(argument, 'output with max_len goes to a port of the bridge, LOCAL or IN_PORT');
  if (maxLength < ethernetHeader)
    throw complain(argument, `max_len: expected at least ${ethernetHeader}, got ${maxLength}`);
  return { kind: 'output-truncated', port: to, maxLength };
}

const ethernetHeader = 14;

function readController({ argument }: ActionText): Action {
  if (/^\d+$/.test(argument.text)) return toController(small(argument, 'max_len', uint16));
  let action = toController(wholePacket);
  for (const { name, at, argument: value } of splitActions(argument)) {
    if (name === 'max_len') action = { ...action, maxLength: small(value, name, uint16) };
    else if (name === 'id') action = { ...action, id: small(value, name, uint16) };
    else if (name === 'reason') action = { ...action, reason: oneOf(value, name, packetInReasons) };
    else if (name === 'userdata') action = { ...action, userdata: hexBytes(value, name) };
    else if (name === 'pause') action = { ...action, pause: true };
    else if (name === 'meter_id') action = withMeter(action, small(value, name, uint32));
    else
      throw complain(
        at,
        `controller: expected max_len, id, reason, userdata, pause or meter_id, got "${name}"`,
      );
  }
  return action;
}

/** Meter 0 stands for none. */
function withMeter(
  { meter: _before, ...action }: ControllerAction,
  meter: number,
): ControllerAction {
  return meter === 0 ? action : { ...action, meter };
}

/** Whether it says no more than `output:CONTROLLER` can. */
export function isPlain({ id, reason, userdata, pause, meter }: ControllerAction): boolean {
  return id === 0 && reason === 'action' && userdata.length === 0 && !pause && meter === undefined;
}

/** `enqueue:PORT:QUEUE`, `enqueue(PORT,QUEUE)` */
function readEnqueue(call: ActionText, reading: ParseContext): Action {
  const text = needed(call);
  const [, before = ''] = /^([^:q,]+)[:q,]./s.exec(text.text) ?? [];
  if (before === '') throw complain(call.at, `expected enqueue:PORT:QUEUE, got "${call.at.text}"`);
  const to = parsePort(part(text, 0, before.length), reading.names.ports);
  if (to >= reservedPorts.UNSET && to !== reservedPorts.LOCAL && to !== reservedPorts.IN_PORT)
    throw complain(text, 'enqueue goes to a port of the bridge, LOCAL or IN_PORT');
  return {
    kind: 'enqueue',
    port: to,
    queue: small(part(text, before.length + 1), 'queue', uint32),
  };
}

export function printOutput(action: OutputAction, form: Form): string {
  switch (action.kind) {
    case 'output':
      return `${action.port < reservedPorts.UNSET ? 'output:' : ''}${printPort(action.port, form.ports)}`;
    case 'output-field':
      return `output:${printSubfield(action.source)}`;
    case 'output-truncated':
      return `output(port=${printPort(action.port, form.ports)},max_len=${action.maxLength})`;
    case 'controller':
      return printController(action);
    case 'enqueue':
      return `enqueue:${printPort(action.port, form.ports)}:${action.queue}`;
    case 'set_queue':
      return `set_queue:${action.queue}`;
    case 'pop_queue':
      return 'pop_queue';
    case 'group':
      return `group:${action.group}`;
  }
}

function printController(action: ControllerAction): string {
  if (isPlain(action)) return `CONTROLLER:${action.maxLength}`;
  const parts = [
    action.reason === 'action' ? '' : `reason=${action.reason}`,
    action.maxLength === wholePacket ? '' : `max_len=${action.maxLength}`,
    action.id === 0 ? '' : `id=${action.id}`,
    action.userdata.length === 0 ? '' : `userdata=${printBytes(action.userdata)}`,
    action.pause ? 'pause' : '',
    action.meter === undefined ? '' : `meter_id=${action.meter}`,
  ];
  return `controller(${parts.filter((text) => text !== '').join(',')})`;
}
