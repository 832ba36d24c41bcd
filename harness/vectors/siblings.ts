import { podsOf, type Topology } from '../domain/topology.js';
import type { FrameSpec, PayloadSpec, Stimulus } from '../domain/test-vector.js';
import { strangerMac } from './targets.js';

/**
 * The same stimulus with one field changed, in every way that may matter to a switch: another
 * TTL, destination, sender's address or type. What a cache has learned from the one must not answer
 * for the other. In a stable order; an interjected segment has none.
 */
export function siblingsOf(topology: Topology, stimulus: Stimulus): readonly Stimulus[] {
  switch (stimulus.kind) {
    case 'ping':
    case 'udp':
      return [
        { ...stimulus, ttl: otherTtl(stimulus.ttl) },
        { ...stimulus, to: otherAddress(topology, stimulus.from, stimulus.to) },
      ];
    case 'tcp':
      return stimulus.interjection === undefined
        ? [
            { ...stimulus, ttl: otherTtl(stimulus.ttl) },
            { ...stimulus, to: otherAddress(topology, stimulus.from, stimulus.to) },
          ]
        : [];
    case 'calls':
      return [{ ...stimulus, ttl: otherTtl(stimulus.ttl) }];
    case 'probe':
    case 'sctp':
      return [{ ...stimulus, to: otherAddress(topology, stimulus.from, stimulus.to) }];
    case 'open':
    case 'talk':
    case 'dhcp':
    case 'announcement':
      return [];
    case 'arp':
      return [{ ...stimulus, target: otherAddress(topology, stimulus.from, stimulus.target) }];
    case 'frame':
      return otherFrames(topology, stimulus.from, stimulus.frame).map((frame) => ({
        ...stimulus,
        frame,
      }));
  }
}

function otherFrames(topology: Topology, from: string, frame: FrameSpec): readonly FrameSpec[] {
  const payloads = otherPayloads(topology, from, frame.payload).map((payload) => ({
    ...frame,
    payload,
  }));
  return [
    ...payloads,
    { ...frame, src: frame.src === strangerMac ? macOf(topology, from) : strangerMac },
  ];
}

function otherPayloads(
  topology: Topology,
  from: string,
  payload: PayloadSpec,
): readonly PayloadSpec[] {
  switch (payload.kind) {
    case 'udp':
    case 'tcp':
    case 'echo-request':
      return [
        { ...payload, ttl: otherTtl(payload.ttl) },
        { ...payload, src: otherAddress(topology, '', payload.src) },
        { ...payload, dst: otherAddress(topology, from, payload.dst) },
      ];
    case 'arp':
      return [
        { ...payload, tpa: otherAddress(topology, from, payload.tpa) },
        { ...payload, spa: otherAddress(topology, '', payload.spa) },
      ];
    case 'neighbour-advertisement':
      return [{ ...payload, mac: strangerMac }];
    case 'other':
      return [{ ...payload, etherType: payload.etherType + 1 }];
  }
}

const usualTtl = 64;

/** One router more than it would take, or one less than usual. */
function otherTtl(ttl = usualTtl): number {
  return ttl < usualTtl ? ttl + 1 : ttl - 1;
}

/**
 * The address that comes after `address` among those of all hosts, other than the host's called
 * `from`; the first where nobody holds it.
 */
function otherAddress(topology: Topology, from: string, address: string): string {
  const held = hostsOf(topology)
    .filter(({ name }) => name !== from)
    .map(({ ip }) => ip);
  return held[(held.indexOf(address) + 1) % held.length] ?? address;
}

function macOf(topology: Topology, name: string): string {
  return hostsOf(topology).find((host) => host.name === name)?.mac ?? strangerMac;
}

function hostsOf(
  topology: Topology,
): readonly { readonly name: string; readonly ip: string; readonly mac: string }[] {
  return [
    ...topology.nodes.map(({ name, gateway }) => ({ name, ...gateway })),
    ...podsOf(topology).map(({ pod }) => pod),
    ...(topology.externalHosts ?? []),
  ];
}
