/** What a full packet of a stream is on the link between nodes, as the model carries it there. */
import { assert } from '../base/errors/errors.js';
import { encodeEthernet, etherTypes } from '../packet/protocols/link/ethernet.js';
import { encodeIpv4, ipProtocols, ipv4Flags } from '../packet/protocols/ip/ipv4.js';
import { encodeTcp, tcpFlags } from '../packet/protocols/transport/tcp.js';
import { encodeUdp } from '../packet/protocols/transport/udp.js';
import { openModel } from '../testbeds/model/model-testbed.js';
import type { StreamPoint } from './stream-scenario.js';

/** Linux sends a time stamp with each segment (RFC 7323), padded to words of four bytes. */
const timestampBytes = 12;

/** Data of a full packet. */
export function payloadOf({ protocol, podMtu }: StreamPoint): number {
  return podMtu - 20 - (protocol === 'tcp' ? 20 + timestampBytes : 8);
}

/**
 * The length of the frame in which it crosses the link. Where the node's own stack carries it on,
 * that is as long as what comes to the stack.
 */
export async function frameBytesOf(point: StreamPoint): Promise<number> {
  const { plan, sender } = point;
  const model = openModel(plan);
  const node = plan.nodes.find((one) => one.node === sender.node);
  const host = node?.hosts.find(({ name }) => name === sender.pod);
  const [port, mac] = [host?.interfaces[0]?.port, host?.interfaces[0]?.mac];
  const gateway = node?.hosts.find(({ kind }) => kind !== 'pod')?.interfaces[0]?.mac;
  assert(
    port !== undefined && mac !== undefined && gateway !== undefined,
    'a pod, and its gateway',
  );
  const frame = encodeEthernet(
    { dst: gateway, src: mac, etherType: etherTypes.ipv4 },
    packetOf(point),
  );
  const [step] = await model.call([{ kind: 'receive', node: sender.node, port, frames: [frame] }]);
  const lengths = (step?.outputs ?? []).map((output) => output.frame.length);
  assert(lengths.length > 0, `the model forwards a packet of ${point.podMtu} bytes`);
  return Math.max(...lengths);
}

/** As the first of a connection, so that the tracker takes it: its length is all that counts. */
function packetOf(point: StreamPoint): Uint8Array {
  const { protocol, sender, receiver } = point;
  const data = new Uint8Array(payloadOf(point));
  const addresses = { src: sender.ip, dst: receiver.ip };
  const ports = { srcPort: 40_000, dstPort: 5201 };
  const inner =
    protocol === 'tcp'
      ? encodeTcp(
          {
            ...ports,
            sequence: 1,
            acknowledgement: 0,
            flags: tcpFlags.SYN,
            window: 65_535,
            urgentPointer: 0,
            options: new Uint8Array(timestampBytes).fill(1),
          },
          data,
          addresses,
        )
      : encodeUdp(ports, data, addresses);
  return encodeIpv4(
    {
      ...addresses,
      protocol: protocol === 'tcp' ? ipProtocols.tcp : ipProtocols.udp,
      ttl: 64,
      tos: 0,
      identification: 0,
      flags: ipv4Flags.dontFragment,
      fragmentOffset: 0,
      options: new Uint8Array(0),
    },
    inner,
  );
}
