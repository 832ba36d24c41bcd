/** What the sender of a vector does first. */
import { assertNever, unknownName } from '../../base/errors/errors.js';
import type { HostPlan, InterfacePlan } from '../../domain/plan/host-plan.js';
import { sendIp, unroutable } from './send-ip.js';
import type { Host, Effect, Calls, Timer } from './host.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { connect, talk } from './tcp/tcp.js';
import type { Stimulus } from '../../domain/test-vector.js';
import { encodeIcmp, icmpTypes } from '../../packet/protocols/ip/icmp.js';
import { encodeIcmp6, icmp6Types } from '../../packet/protocols/ip/icmp6.js';
import { encodeSpec } from '../encode-spec.js';
import { resolve } from './neighbours.js';
import { discover } from './dhcp.js';
import { solicitLease } from './dhcpv6.js';
import { isIpv6Address, nextHop } from './next-hop.js';
import { associate } from './sctp/sctp.js';

/** RFC 6335, section 6. The first is a multiple of how many they are. */
const ephemeral = { first: 49_152, count: 16_384 } as const;

/** The first interface when there is no `name`. */
function interfaceNamed(
  { name: host, interfaces }: HostPlan,
  name: string | undefined,
): InterfacePlan {
  const found = interfaces.find((candidate) => name === undefined || candidate.name === name);
  if (found === undefined)
    throw unknownName(
      `interface of ${host}`,
      name ?? '',
      interfaces.map((candidate) => candidate.name),
    );
  return found;
}

function sendUdp(
  host: Host,
  srcPort: number,
  {
    to,
    port,
    ttl,
  }: { readonly to: string; readonly port: number; readonly ttl?: number | undefined },
): readonly Effect[] {
  return sendIp(host, {
    dst: to,
    protocol: ipProtocols.udp,
    ttl,
    encode: (addresses) => encodeUdp({ srcPort, dstPort: port }, host.random.payload, addresses),
  });
}

function sendEcho(host: Host, to: string, ttl: number | undefined): readonly Effect[] {
  const { identifier, payload } = host.random;
  const sequence = 1;
  return isIpv6Address(to)
    ? sendIp(host, {
        dst: to,
        protocol: ipProtocols.icmp6,
        ttl,
        encode: (addresses) => {
          const rest = ((identifier << 16) | sequence) >>> 0;
          const header = { type: icmp6Types.echoRequest, code: 0, rest };
          return encodeIcmp6(header, payload, addresses);
        },
      })
    : sendIp(host, {
        dst: to,
        protocol: ipProtocols.icmp,
        ttl,
        encode: () =>
          encodeIcmp({ type: icmpTypes.echoRequest, code: 0, identifier, sequence }, payload),
      });
}

/** One of several, and the next when its time has come. */
export function startCall(host: Host, stimulus: Calls, index: number): readonly Effect[] {
  const srcPort = ephemeral.first + ((host.random.srcPort + index) % ephemeral.count);
  const now =
    stimulus.protocol === 'UDP'
      ? sendUdp(host, srcPort, stimulus)
      : connect(host, 'echo', srcPort, stimulus);
  return index + 1 < stimulus.count
    ? [
        ...now,
        {
          kind: 'wake',
          delayUs: stimulus.everyMs * 1000,
          timer: { kind: 'call', stimulus, index: index + 1 },
        },
      ]
    : now;
}

/**
 * A stimulus begins at the host it names. @throws InputError when the host has no interface of the
 * name that the stimulus gives.
 */
export function startStimulus(host: Host, stimulus: Stimulus): readonly Effect[] {
  const { srcPort } = host.random;
  switch (stimulus.kind) {
    case 'ping':
      return sendEcho(host, stimulus.to, stimulus.ttl);
    case 'udp': {
      const { afterMs = 0 } = stimulus;
      if (afterMs === 0) return sendUdp(host, srcPort, stimulus);
      const timer: Timer = { kind: 'later', stimulus: { ...stimulus, afterMs: 0 } };
      return [{ kind: 'wake', delayUs: afterMs * 1000, timer }];
    }
    case 'tcp':
      return connect(host, 'echo', srcPort, stimulus);
    case 'probe':
      return connect(host, 'nothing', srcPort, stimulus);
    case 'sctp':
      return associate(host, stimulus);
    case 'calls':
      return startCall(host, stimulus, 0);
    case 'open':
      return connect(host, 'talk', srcPort, { ...stimulus, transmissions: 1 });
    case 'talk':
      return talk(host, stimulus.connection);
    case 'arp': {
      const hop = nextHop(host.plan, stimulus.target);
      return hop === undefined
        ? unroutable(host, stimulus.target)
        : resolve(host, hop.via, stimulus.target, []);
    }
    case 'dhcp':
      return stimulus.version === 6
        ? solicitLease(host, interfaceNamed(host.plan, undefined))
        : discover(host, interfaceNamed(host.plan, undefined));
    case 'frame':
      return [
        {
          kind: 'send',
          via: interfaceNamed(host.plan, stimulus.interface),
          frame: encodeSpec(stimulus.frame, host.random),
        },
      ];
    case 'announcement':
      return []; // no host begins it: ovn-controller does
    default:
      return assertNever(stimulus);
  }
}
