/** Actions that stand by themselves: check_pkt_larger, sample, fin_timeout and note. */
import { ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import type { Form } from '../../syntax/form.js';
import { parsePort, printPort, reservedPorts } from '../../syntax/ports.js';
import { complain, part, shorten, type Span } from '../../syntax/text.js';
import type { Action, OtherAction, Subfield } from '../action.js';
import {
  arrow,
  splitActions,
  hexBytes,
  needed,
  numbered,
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
import { checkWritable, needsProtocol } from '../packet-knowledge.js';

export const otherReaders: Readonly<Record<string, Reader>> = {
  check_pkt_larger: readCheck,
  sample: readSample,
  fin_timeout: readFinTimeout,
  note: ({ argument }) => ({ kind: 'note', bytes: hexBytes(argument, 'note') }),
};

/** `check_pkt_larger(BYTES)->FIELD[BIT]` */
function readCheck(call: ActionText, reading: ParseContext): Action {
  const [before, target] = arrow(needed(call), 'check_pkt_larger(BYTES)->FIELD[BIT]');
  const bytes = small(
    before.text.endsWith(')') ? part(before, 0, before.text.length - 1) : before,
    'length',
    uint16,
  );
  const destination = subfield(target, reading);
  if (destination.bits !== 1)
    throw complain(target, `check_pkt_larger writes a single bit, got ${destination.bits}`);
  checkWritable(target, destination.field);
  return { kind: 'check_pkt_larger', bytes, destination };
}

type Sample = Extract<OtherAction, { kind: 'sample' }>;

function readSample(call: ActionText, reading: ParseContext): Action {
  let sample: Sample = { kind: 'sample', probability: 0, collectorSet: 0, domain: 0, point: 0 };
  for (const { name, at, argument } of splitActions(call.argument)) {
    if (name === 'probability') sample = { ...sample, probability: small(argument, name, uint16) };
    else if (name === 'collector_set_id')
      sample = { ...sample, collectorSet: small(argument, name, uint32) };
    else if (name === 'obs_domain_id')
      sample = { ...sample, domain: readObservation(argument, name, reading) };
    else if (name === 'obs_point_id')
      sample = { ...sample, point: readObservation(argument, name, reading) };
    else if (name === 'sampling_port')
      sample = withPort(sample, parsePort(argument, reading.names.ports));
    else if (name === 'ingress' || name === 'egress') sample = { ...sample, direction: name };
    else
      throw complain(
        at,
        'sample: expected probability, collector_set_id, obs_domain_id, obs_point_id, ' +
          `sampling_port, ingress or egress, got "${shorten(name)}"`,
      );
  }
  if (sample.probability === 0)
    throw complain(call.at, 'sample needs a probability from 1 to 65535');
  return sample;
}

function withPort({ port: _before, ...sample }: Sample, number: number): Sample {
  return number === reservedPorts.ANY ? sample : { ...sample, port: number };
}

const observationBits = 32;

/** What packets are matched does not matter to the field here. */
function readObservation(at: Span, name: string, reading: ParseContext): number | Subfield {
  if (/^\d/.test(at.text)) return small(at, name, uint32);
  const source = numbered(at, name, subfield(at, reading));
  if (source.bits > observationBits)
    throw complain(
      at,
      `${name}: expected at most ${observationBits} bits of a field, got ${source.bits}`,
    );
  return source;
}

function readFinTimeout(call: ActionText, reading: ParseContext): Action {
  needsProtocol(call.at, call.name, reading, 'tcp', ipProtocols.tcp);
  let [idle, hard] = [0, 0];
  for (const { name, at, argument } of splitActions(call.argument)) {
    if (name === 'idle_timeout') idle = small(argument, name, uint16);
    else if (name === 'hard_timeout') hard = small(argument, name, uint16);
    else
      throw complain(
        at,
        `fin_timeout: expected idle_timeout= or hard_timeout=, got "${shorten(name)}"`,
      );
  }
  return { kind: 'fin_timeout', idle, hard };
}

export function printOther(action: OtherAction, form: Form): string {
  switch (action.kind) {
    case 'check_pkt_larger':
      return `check_pkt_larger(${action.bytes})->${printSubfield(action.destination)}`;
    case 'sample':
      return printSample(action, form);
    case 'fin_timeout':
      return `fin_timeout(${[action.idle === 0 ? '' : `idle_timeout=${action.idle}`, action.hard === 0 ? '' : `hard_timeout=${action.hard}`].filter((text) => text !== '').join(',')})`;
    case 'note':
      return `note:${printBytes(action.bytes)}`;
    case 'ct_clear':
      return 'ct_clear';
  }
}

function printSample(
  { probability, collectorSet, domain, point, port: by, direction }: Sample,
  form: Form,
): string {
  const id = (source: number | Subfield) =>
    typeof source === 'number' ? String(source) : printSubfield(source);
  const more = `${by === undefined ? '' : `,sampling_port=${printPort(by, form.ports)}`}${direction === undefined ? '' : `,${direction}`}`;
  return (
    `sample(probability=${probability},collector_set_id=${collectorSet},` +
    `obs_domain_id=${id(domain)},obs_point_id=${id(point)}${more})`
  );
}
