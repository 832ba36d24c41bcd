/**
 * Whether a packet has a field, as it is now: what is written to others is lost (ovs-actions(7),
 * "set_field"; ovs-fields(7), "Prerequisites").
 */
import { assertNever } from '../../base/errors/errors.js';
import { ctStateBits, type Field } from '../../openflow/match/fields.js';
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import { fragment, isIp, isMpls, word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { neighbourTypes } from '../../packet/protocols/ip/neighbour.js';

export function hasField(key: FlowKey, { prerequisite }: Field): boolean {
  const type = key[word.ethType] ?? 0;
  switch (prerequisite) {
    case 'none':
      return true;
    case 'ethernet':
      return key[word.packetType] === 0;
    case 'mpls':
      return isMpls(type);
    case 'arp':
      return type === etherTypes.arp || type === etherTypes.rarp;
    case 'ipv4':
      return type === etherTypes.ipv4;
    case 'ipv6':
      return type === etherTypes.ipv6;
    case 'ip':
      return isIp(type);
    case 'tcp':
    case 'udp':
    case 'sctp':
      return (
        isIp(type) &&
        key[word.nwProto] === ipProtocols[prerequisite] &&
        ((key[word.nwFrag] ?? 0) & fragment.later) === 0
      );
    case 'icmp':
      return type === etherTypes.ipv4 && key[word.nwProto] === ipProtocols.icmp;
    case 'icmp6':
      return isIcmp6(key);
    case 'nd':
      return (
        isNeighbour(key, neighbourTypes.solicitation) ||
        isNeighbour(key, neighbourTypes.advertisement)
      );
    case 'nd solicit':
      return isNeighbour(key, neighbourTypes.solicitation);
    case 'nd advert':
      return isNeighbour(key, neighbourTypes.advertisement);
    case 'ct':
      return isTracked(key);
    case 'ct ipv4':
      return isTracked(key) && type === etherTypes.ipv4;
    case 'ct ipv6':
      return isTracked(key) && type === etherTypes.ipv6;
    case 'ct ports':
      return isTracked(key) && key[word.ctNwProto] !== 0;
    case 'erspan 1':
      return key[word.tunErspanVer] === 1;
    case 'erspan 2':
      return key[word.tunErspanVer] === 2;
    default:
      return assertNever(prerequisite);
  }
}

/** Whether the connection tracker knows what the packet belongs to. */
function isTracked(key: FlowKey): boolean {
  return ((key[word.ctState] ?? 0) & (ctStateBits.new | ctStateBits.est | ctStateBits.rpl)) !== 0;
}

function isIcmp6(key: FlowKey): boolean {
  return key[word.ethType] === etherTypes.ipv6 && key[word.nwProto] === ipProtocols.icmp6;
}

function isNeighbour(key: FlowKey, type: number): boolean {
  return isIcmp6(key) && key[word.tpSrc] === type && key[word.tpDst] === 0;
}
