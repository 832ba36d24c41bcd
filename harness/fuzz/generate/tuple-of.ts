/** The tuple of a drawn packet, as ct flush takes it. */
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import type { Transport } from './conversation.js';
import { type Conversation, addressOf } from './conversation.js';

export const protocolNumbers: Readonly<Record<Exclude<Transport, 'icmp'>, number>> = {
  tcp: ipProtocols.tcp,
  udp: ipProtocols.udp,
  sctp: ipProtocols.sctp,
};

export function tupleOf({
  family,
  transport,
  client,
  server,
  clientPort,
  serverPort,
}: Conversation): string {
  const [src, dst] = [addressOf(family, client), addressOf(family, server)];
  const addresses =
    family === 'ipv4'
      ? `ct_nw_src=${src},ct_nw_dst=${dst}`
      : `ct_ipv6_src=${src},ct_ipv6_dst=${dst}`;
  if (transport === 'icmp')
    return family === 'ipv4'
      ? `${addresses},ct_nw_proto=1,icmp_id=${clientPort},icmp_type=8,icmp_code=0`
      : `${addresses},ct_nw_proto=58,icmp_id=${clientPort},icmp_type=128,icmp_code=0`;
  return (
    `${addresses},ct_nw_proto=${protocolNumbers[transport]},ct_tp_src=${clientPort},` +
    `ct_tp_dst=${serverPort}`
  );
}
