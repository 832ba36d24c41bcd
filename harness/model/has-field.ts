/** Whether a packet has a field, as it is now: what is written to others is lost (ovs-actions(7), "set_field"; ovs-fields(7), "Prerequisites"). */
import { assertNever } from '../base/errors.js';
import type { Field } from '../openflow/fields.js';
import { etherTypes } from '../packet/ethernet.js';
import { fragment, isIp, isMpls, word, type FlowKey } from '../packet/flow-key.js';
import { ipProtocols } from '../packet/ipv4.js';
import { neighbourTypes } from '../packet/neighbour.js';

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
      return isIp(type) && key[word.nwProto] === ipProtocols[prerequisite] && ((key[word.nwFrag] ?? 0) & fragment.later) === 0;
    case 'icmp':
      return type === etherTypes.ipv4 && key[word.nwProto] === ipProtocols.icmp;
    case 'icmp6':
      return isIcmp6(key);
    case 'nd':
      return isNeighbour(key, neighbourTypes.solicitation) || isNeighbour(key, neighbourTypes.advertisement);
    case 'nd solicit':
      return isNeighbour(key, neighbourTypes.solicitation);
    case 'nd advert':
      return isNeighbour(key, neighbourTypes.advertisement);
    case 'ct':
    case 'ct ipv4':
    case 'ct ipv6':
    case 'ct ports':
    case 'erspan 1':
    case 'erspan 2':
      return true; // read-only, or not known to the model at all
    default:
      return assertNever(prerequisite);
  }
}

function isIcmp6(key: FlowKey): boolean {
  return key[word.ethType] === etherTypes.ipv6 && key[word.nwProto] === ipProtocols.icmp6;
}

function isNeighbour(key: FlowKey, type: number): boolean {
  return isIcmp6(key) && key[word.tpSrc] === type && key[word.tpDst] === 0;
}
