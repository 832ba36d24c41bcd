/**
 * What is known of the packets that come as far as an action: the flow's match, as the actions
 * before have changed it.
 */
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import { fieldCalled, type Field } from '../match/fields.js';
import type { Names } from '../syntax/form.js';
import type { Match } from '../match/match.js';
import { checkReached, matchesIp } from '../match/prerequisites.js';
import { complain, type Span } from '../syntax/text.js';
import type { Action, Subfield } from './action.js';
import type { ParseContext } from './parse-context.js';
import type { PacketKnowledge } from './known-packet.js';

/** Open vSwitch knows two tags at most. */
export const mostTags = 2;

const tagPresent = 0x1000n;

export function packetKnowledgeOf(match: Match): PacketKnowledge {
  return { match, tags: hasTag(match) ? 1 : 0 };
}

function hasTag(match: Match): boolean {
  return match.some(({ field, value }) => field.name === 'vlan_tci' && (value & tagPresent) !== 0n);
}

/** Behind `action`. */
export function afterAction(standing: PacketKnowledge, action: Action): PacketKnowledge {
  switch (action.kind) {
    case 'push_vlan':
      return { ...standing, tags: standing.tags + 1 };
    case 'pop_vlan':
      return { ...standing, tags: Math.max(standing.tags - 1, 0) };
    case 'set_vlan':
      return { ...standing, tags: Math.max(standing.tags, 1) };
    case 'set':
      return action.field.name !== 'vlan_tci'
        ? standing
        : {
            ...standing,
            tags: (action.value & tagPresent) === 0n ? 0 : Math.max(standing.tags, 1),
          };
    case 'push_mpls':
      return {
        ...standing,
        match: ofType(
          standing.match.filter(({ field }) => field.matchName !== 'nw_proto'),
          action.type,
        ),
      };
    case 'pop_mpls':
      return { ...standing, match: ofType(standing.match, action.type) };
    default:
      return standing;
  }
}

/** The match with this Ethernet type. */
function ofType(match: Match, type: number): Match {
  const field = fieldCalled('dl_type');
  return [
    ...match.filter((entry) => entry.field !== field),
    { field, value: BigInt(type), mask: field.ones },
  ];
}

export function valueIn(match: Match, matchName: string): bigint | undefined {
  return match.find(({ field }) => field.matchName === matchName)?.value;
}

/**
 * Since OpenFlow 1.1 a match must make sure that its actions make sense; 1.0 let them do nothing
 * instead. In an action set it is not known what a packet is once it is executed.
 */
function requiresMatch({ protocol, inside }: ParseContext): boolean {
  return protocol !== 'OpenFlow10' && inside !== 'write_actions' && inside !== 'bucket';
}

export function needsIp(at: Span, name: string, reading: ParseContext): void {
  if (requiresMatch(reading) && !matchesIp(reading.packet.match))
    throw complain(at, `${name} needs a match on ip or ipv6 beside it`);
}

export function needsType(
  at: Span,
  name: string,
  reading: ParseContext,
  word: string,
  types: readonly number[],
): void {
  const type = valueIn(reading.packet.match, 'dl_type');
  if (requiresMatch(reading) && !types.some((each) => BigInt(each) === type))
    throw complain(at, `${name} needs a match on ${word} beside it`);
}

export const mplsTypes: readonly number[] = [etherTypes.mpls, etherTypes.mplsMulticast];

export function needsProtocol(
  at: Span,
  name: string,
  reading: ParseContext,
  word: string,
  number: number,
): void {
  if (requiresMatch(reading) && valueIn(reading.packet.match, 'nw_proto') !== BigInt(number))
    throw complain(at, `${name} needs a match on ${word} beside it`);
}

export function needsTag(at: Span, name: string, reading: ParseContext): void {
  if (requiresMatch(reading) && reading.packet.tags === 0)
    throw complain(at, `${name} needs a match on a VLAN tag beside it`);
}

/**
 * The packets have the field. It is asked for in every version, but in a bucket, which does not say
 * what its packets are, and for ERSPAN, which is set as one likes.
 */
export function requireField(
  at: Span,
  field: Field,
  { packet, inside, names }: ParseContext,
): Field {
  checkMapped(at, field, names);
  const isAsked = inside !== 'bucket' && !field.prerequisite.startsWith('erspan');
  if (isAsked && field.name === 'vlan_pcp' && packet.tags === 0)
    throw complain(at, 'vlan_pcp needs a match on a VLAN tag beside it');
  if (isAsked) checkReached(at, field, packet.match);
  return field;
}

/** A tunnel's option is a field of a bridge whose tlv-map says which it is. */
export function checkMapped(at: Span, { name, notation }: Field, { tunnelOptions }: Names): void {
  if (notation === 'option' && !tunnelOptions.has(Number(name.slice('tun_metadata'.length))))
    throw complain(at, `${name} stands for no option: the bridge has no mapping for it (tlv-map)`);
}

export function requireReadable(at: Span, source: Subfield, reading: ParseContext): Subfield {
  requireField(at, source.field, reading);
  return source;
}

export function requireWritable(at: Span, destination: Subfield, reading: ParseContext): Subfield {
  checkWritable(at, destination.field);
  requireField(at, destination.field, reading);
  return destination;
}

export function checkWritable(at: Span, field: Field): void {
  if (field.writable === 'nowhere') throw complain(at, `${field.name} cannot be written`);
}

/**
 * `set_field`, `load` and `move` reach the fields of a connection only in exec() of ct, and there
 * no others.
 */
export function checkConnectionField(at: Span, field: Field, { inside }: ParseContext): void {
  if (inside === 'ct' && field.writable !== 'in ct')
    throw complain(at, 'ct: exec() may only set ct_mark and ct_label');
  if (inside !== 'ct' && field.writable === 'in ct')
    throw complain(at, `${field.name} can only be written in ct(commit,exec(...))`);
}
