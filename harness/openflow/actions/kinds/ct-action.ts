/** The connection tracker: ct with its options, and nat within. */
import { formatIpv4, ipv4Number } from '../../../base/addresses/mac-and-ipv4.js';
import { InputError } from '../../../base/errors/errors.js';
import { formatIpv6, ipv6Number } from '../../../base/addresses/ipv6.js';
import { etherTypes } from '../../../packet/protocols/link/ethernet.js';
import { ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import type { Form } from '../../syntax/form.js';
import { matchesInvalid, matchesIp } from '../../match/prerequisites.js';
import { complain, shorten, type Span } from '../../syntax/text.js';
import type { Action, CtAction, NatAction } from '../action.js';
import {
  splitActions,
  numbered,
  printSubfield,
  printTable,
  small,
  subfield,
  table,
  uint16,
  type ActionText,
  type Reader,
  type ParseContext,
} from '../parse-context.js';
import { requireReadable, valueIn } from '../packet-knowledge.js';

export const ctReaders: Readonly<Record<string, Reader>> = {
  ct: readCt,
  ct_clear: () => ({ kind: 'ct_clear' }),
  nat: readNat,
};

/** Ports that the helpers listen at. */
const algs = { ftp: ipProtocols.tcp, tftp: ipProtocols.udp } as const;

function readCt(call: ActionText, reading: ParseContext): Action {
  const { match } = reading.packet;
  if (!matchesIp(match) && reading.inside !== 'bucket')
    throw complain(call.at, 'ct needs a match on ip or ipv6 beside it');
  let ct: CtAction = { kind: 'ct', commit: false, force: false, zone: 0, exec: [] };
  for (const option of splitActions(call.argument)) ct = withOption(ct, option, reading);
  if (ct.force && !ct.commit) throw complain(call.argument, 'ct: force needs commit');
  if (!ct.commit && ct.exec.some((action) => action.kind !== 'nat' || action.to !== undefined))
    throw complain(call.argument, 'ct: exec() needs commit, and so does nat() with an address');
  if (ct.commit && matchesInvalid(match))
    throw complain(call.argument, 'ct: what matches ct_state=+inv cannot be committed');
  return ct;
}

function withOption(
  ct: CtAction,
  { name, at, argument }: ActionText,
  reading: ParseContext,
): CtAction {
  switch (name) {
    case 'commit':
      return { ...ct, commit: true };
    case 'force':
      return { ...ct, force: true };
    case 'table':
      return { ...ct, table: table(argument, reading) };
    case 'zone':
      if (ct.zone !== 0) throw complain(at, 'ct: zone is given twice');
      return { ...ct, zone: readZone(argument, reading) };
    case 'alg':
      return { ...ct, alg: readAlg(argument, reading) };
    case 'nat':
      return {
        ...ct,
        exec: [...ct.exec, readNat({ name, at, argument }, { ...reading, inside: 'ct' })],
      };
    case 'exec':
      return {
        ...ct,
        exec: [...ct.exec, ...reading.actions(argument, { ...reading, inside: 'ct' })],
      };
    default:
      throw complain(
        at,
        `ct: expected commit, force, table=, zone=, nat, exec() or alg=, got "${shorten(at.text)}"`,
      );
  }
}

const zoneBits = 16;

function readZone(at: Span, reading: ParseContext): CtAction['zone'] {
  if (/^\d/.test(at.text)) return small(at, 'zone', uint16);
  const source = requireReadable(at, numbered(at, 'zone', subfield(at, reading)), reading);
  if (source.bits !== zoneBits)
    throw complain(at, `zone: expected ${zoneBits} bits of a field, got ${source.bits}`);
  return source;
}

function readAlg(at: Span, { packet, inside }: ParseContext): 'ftp' | 'tftp' {
  if (at.text !== 'ftp' && at.text !== 'tftp')
    throw complain(at, `alg: expected ftp or tftp, got "${shorten(at.text)}"`);
  if (inside !== 'bucket' && valueIn(packet.match, 'nw_proto') !== BigInt(algs[at.text]))
    throw complain(
      at,
      `alg=${at.text} needs a match on ${at.text === 'ftp' ? 'tcp' : 'udp'} beside it`,
    );
  return at.text;
}

/** `nat`, `nat(src=RANGE,…)`, `nat(dst=RANGE,…)` */
function readNat({ at, argument }: ActionText, reading: ParseContext): NatAction {
  if (reading.inside !== 'ct') throw complain(at, 'nat stands in ct()');
  let part: 'src' | 'dst' | undefined;
  let range: Pick<NonNullable<NatAction['to']>, 'addresses' | 'ports'> = {};
  const words = new Set<string>();
  for (const option of splitActions(argument)) {
    const { name } = option;
    if (name !== 'src' && name !== 'dst') {
      if (!['persistent', 'hash', 'random'].includes(name))
        throw complain(
          option.at,
          `nat: expected src, dst, persistent, hash or random, got "${shorten(name)}"`,
        );
      words.add(name);
      continue;
    }
    if (part !== undefined && part !== name)
      throw complain(option.at, 'nat takes src or dst, not both');
    part = name;
    range = option.argument.text === '' ? {} : readRange(option.argument, reading);
  }
  if (words.has('hash') && words.has('random'))
    throw complain(argument, 'nat takes hash or random, not both');
  if (part === undefined && words.size > 0)
    throw complain(argument, `nat: ${[...words].join(' and ')} stand beside src or dst`);
  if (part === undefined) return { kind: 'nat' };
  const portsBy = words.has('hash') ? 'hash' : words.has('random') ? 'random' : undefined;
  return {
    kind: 'nat',
    to: {
      part,
      ...range,
      persistent: words.has('persistent'),
      ...(portsBy === undefined ? {} : { portsBy }),
    },
  };
}

/** `ADDRESS[-ADDRESS][:PORT[-PORT]]`; IPv6 addresses with ports stand in brackets. */
function readRange(
  at: Span,
  reading: ParseContext,
): Pick<NonNullable<NatAction['to']>, 'addresses' | 'ports'> {
  const address = String.raw`\[[0-9a-fA-F:.]+\]|[0-9.]+|[0-9a-fA-F:.]+`;
  const [, first = '', last = first, low, high = low] =
    new RegExp(`^(${address})(?:-(${address}))?(?::([0-9]+)(?:-([0-9]+))?)?$`).exec(at.text) ?? [];
  if (first === '' || (low !== undefined && /^[^[]*:/.test(last)))
    throw complain(at, `nat: expected ADDRESS[-ADDRESS][:PORT[-PORT]], got "${shorten(at.text)}"`);
  const version = first.includes(':') ? 6 : 4;
  const family = valueIn(reading.packet.match, 'dl_type');
  if (
    reading.packet.match.length > 0 &&
    family !== BigInt(version === 4 ? etherTypes.ipv4 : etherTypes.ipv6)
  )
    throw complain(at, `nat: ${shorten(first)} is no address of the packets that are matched`);
  const addresses = {
    version,
    first: addressNumber(at, bare(first), version),
    last: addressNumber(at, bare(last), version),
  } as const;
  if (addresses.last < addresses.first)
    throw complain(at, `nat: ${shorten(last)} comes before ${shorten(first)}`);
  if (addresses.first === 0n)
    throw complain(at, `nat: ${shorten(first)} is no address to translate to`);
  if (low === undefined || high === undefined) return { addresses };
  const ports = { first: natPort(at, low), last: natPort(at, high) };
  if (ports.last < ports.first) throw complain(at, `nat: port ${high} comes before ${low}`);
  return { addresses, ports };
}

function bare(address: string): string {
  return address.replace(/[[\]]/g, '');
}

function natPort(at: Span, text: string): number {
  const value = text.length <= 5 ? Number(text) : 0;
  if (value < 1 || value > 65535)
    throw complain(at, `nat: expected a port from 1 to 65535, got ${shorten(text)}`);
  return value;
}

function addressNumber(at: Span, text: string, version: 4 | 6): bigint {
  try {
    return version === 4 ? BigInt(ipv4Number(text)) : ipv6Number(text);
  } catch (error) {
    if (error instanceof InputError)
      throw complain(at, `nat: ${error.message.replace(text, () => shorten(text))}`);
    throw error;
  }
}

export function printCt(
  ct: CtAction,
  form: Form,
  list: (actions: readonly Action[]) => string,
): string {
  const [first] = ct.exec;
  const others = first?.kind === 'nat' ? ct.exec.slice(1) : ct.exec;
  const parts = [
    ct.commit ? 'commit' : '',
    ct.force ? 'force' : '',
    ct.table === undefined ? '' : `table=${printTable(ct.table, form)}`,
    ct.zone === 0 ? '' : `zone=${typeof ct.zone === 'number' ? ct.zone : printSubfield(ct.zone)}`,
    first?.kind === 'nat' ? printNat(first) : '',
    others.length === 0 ? '' : `exec(${list(others)})`,
    ct.alg === undefined ? '' : `alg=${ct.alg}`,
  ];
  return `ct(${parts.filter((text) => text !== '').join(',')})`;
}

/** Without addresses, Open vSwitch does not show how ports are chosen. */
export function printNat({ to }: NatAction): string {
  if (to === undefined) return 'nat';
  if (to.addresses === undefined) return `nat(${to.part})`;
  const words = `${to.persistent ? ',persistent' : ''}${to.portsBy === undefined ? '' : `,${to.portsBy}`}`;
  return `nat(${to.part}=${printRange(to.addresses, to.ports)}${words})`;
}

type Range = NonNullable<NatAction['to']>;

function printRange(
  { version, first, last }: NonNullable<Range['addresses']>,
  ports: Range['ports'],
): string {
  const address = (number: bigint) =>
    version === 4
      ? formatIpv4(Number(number))
      : ports === undefined
        ? formatIpv6(number)
        : `[${formatIpv6(number)}]`;
  const span =
    ports === undefined
      ? ''
      : `:${ports.first}${ports.last === ports.first ? '' : `-${ports.last}`}`;
  return `${address(first)}${last === first ? '' : `-${address(last)}`}${span}`;
}
