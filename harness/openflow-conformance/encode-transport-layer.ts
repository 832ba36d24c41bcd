/** Transport headers of a corpus packet, as bytes. */
import { InputError } from '../base/errors/errors.js';
import { concatBytes } from '../packet/bytes/header-layout.js';
import { encodeIcmp6 } from '../packet/protocols/ip/icmp6.js';
import { encodeIcmp } from '../packet/protocols/ip/icmp.js';
import { encodeNeighbour, addressOption } from '../packet/protocols/ip/neighbour.js';
import { encodeUdp } from '../packet/protocols/transport/udp.js';
import { encodeTcp } from '../packet/protocols/transport/tcp.js';
import { encodeSctp } from '../packet/protocols/transport/sctp.js';
import type { IpAddresses } from '../packet/protocols/ip/pseudo-header.js';
import { isCall, type Call } from './expression.js';
import { bytesOf, numberOf, listOf, textOf } from './layer-values.js';

/** A DATA chunk (RFC 9260, section 3.3.1), which says nothing but its data. */
function encodeChunk(chunk: Call): Uint8Array {
  const data = bytesOf(chunk, 'payload_data');
  const header = Buffer.alloc(16);
  header.writeUInt16BE(header.length + data.length, 2);
  return concatBytes(header, data);
}

/**
 * What follows the eight bytes that ICMP's headers have here, all zero but for type, code and
 * checksum.
 */
function encodeMessage(icmp: Call): Uint8Array {
  const message = icmp.arguments.get('data');
  if (message === undefined || !isCall(message))
    throw new InputError(`${icmp.name} of the corpus has no message`);
  if (message.name !== 'nd_neighbor') return bytesOf(message, 'data');
  const option = message.arguments.get('option');
  if (option === undefined || !isCall(option))
    throw new InputError('nd_neighbor of the corpus has no option');
  return encodeNeighbour(textOf(message, 'dst', '::'), [
    addressOption(
      option.name === 'nd_option_sla' ? 'source' : 'target',
      textOf(option, 'hw_src', '00:00:00:00:00:00'),
    ),
  ]);
}

/** @param addresses of the last IP header, which transports count into their checksums. */
export function encodeTransportLayer(
  layer: Call,
  payload: Uint8Array,
  addresses: IpAddresses,
): Uint8Array | undefined {
  const number = (name: string, missing: number) => numberOf(layer, name, missing);
  switch (layer.name) {
    case 'tcp':
      return encodeTcp(
        {
          srcPort: number('src_port', 1),
          dstPort: number('dst_port', 1),
          sequence: 0,
          acknowledgement: 0,
          flags: 0,
          window: 0,
          urgentPointer: 0,
          options: bytesOf(layer, 'option'),
        },
        payload,
        addresses,
      );
    case 'udp':
      return encodeUdp(
        { srcPort: number('src_port', 1), dstPort: number('dst_port', 1) },
        payload,
        addresses,
      );
    case 'sctp':
      return encodeSctp(
        { srcPort: number('src_port', 1), dstPort: number('dst_port', 1), verificationTag: 0 },
        concatBytes(...listOf(layer, 'chunks').map(encodeChunk), payload),
      );
    case 'icmp':
      return encodeIcmp(
        { type: number('type_', 8), code: number('code', 0), identifier: 0, sequence: 0 },
        concatBytes(encodeMessage(layer), payload),
      );
    case 'icmpv6':
      return encodeIcmp6(
        { type: number('type_', 0), code: number('code', 0), rest: 0 },
        concatBytes(encodeMessage(layer), payload),
        addresses,
      );
    default:
      return undefined;
  }
}
