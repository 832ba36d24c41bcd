/** Stimuli, promises and what hosts noted, in words. */
import { describeLease } from '../compare/broken-promise.js';
import type { Lease } from '../domain/observation.js';
import type { Intent } from '../domain/intent.js';
import type { SwitchState } from '../domain/switch-state.js';
import type { VectorReport } from '../run/judging/vector-report.js';
import { partyAt, type Party } from './party.js';

/** The address that a stimulus is for; undefined where it has none. */
export function targetOf(stimulus: VectorReport['stimulus']): string | undefined {
  const payload = valueOf(valueOf(stimulus, 'frame'), 'payload');
  const found = [
    valueOf(stimulus, 'to'),
    valueOf(stimulus, 'target'),
    valueOf(payload, 'dst'),
    valueOf(payload, 'tpa'),
  ].find((value) => value !== undefined);
  return typeof found === 'string' ? found : undefined;
}

/** `p1 pings 10.10.2.2 (p4) with TTL 2`. */
export function describeStimulus(
  stimulus: VectorReport['stimulus'],
  parties: readonly Party[],
): string {
  const { kind, from } = stimulus;
  const address = targetOf(stimulus);
  const holder = partyAt(parties, address);
  const target =
    address === undefined
      ? 'no host in particular'
      : holder === undefined
        ? address
        : `${address} (${holder.name})`;
  const ttl = valueOf(stimulus, 'ttl');
  const suffix = typeof ttl === 'number' ? ` with TTL ${ttl}` : '';
  switch (kind) {
    case 'ping':
      return valueOf(stimulus, 'waited') === true
        ? `the ping of ${from} to ${target} has waited`
        : `${from} pings ${target}${suffix}`;
    case 'udp':
      return `${from} sends UDP to ${target}, port ${String(valueOf(stimulus, 'port'))}${suffix}`;
    case 'tcp':
      return (
        `${from} opens a TCP connection to ${target}, port ` +
        `${String(valueOf(stimulus, 'port'))}${suffix}`
      );
    case 'probe':
      return `${from} probes TCP of ${target}, port ${String(valueOf(stimulus, 'port'))}`;
    case 'calls':
      return (
        `${from} calls ${target}, ${String(valueOf(stimulus, 'protocol'))} port ` +
        `${String(valueOf(stimulus, 'port'))}, ${String(valueOf(stimulus, 'count'))} times, ` +
        `every ${String(valueOf(stimulus, 'everyMs'))} ms${suffix}`
      );
    case 'sctp':
      return (
        `${from} opens an SCTP association with ${target}, port ` +
        String(valueOf(stimulus, 'port'))
      );
    case 'open':
      return (
        `${from} opens connection ${String(valueOf(stimulus, 'connection'))} to ${target}, ` +
        `port ${String(valueOf(stimulus, 'port'))}`
      );
    case 'talk':
      return `${from} talks by connection ${String(valueOf(stimulus, 'connection'))} to ${target}`;
    case 'arp':
      return `${from} asks by ARP who has ${target}`;
    case 'announcement': {
      const one = valueOf(stimulus, 'address');
      const what = typeof one === 'string' ? one : 'what is at its gateway';
      return `ovn-controller of ${from} announces ${what}, time ${String(valueOf(stimulus, 'copy'))}`;
    }
    case 'dhcp':
      return `${from} asks for an address by DHCP`;
    case 'frame':
      return `${from} sends a frame: ${String(valueOf(stimulus, 'what'))}`;
    default:
      return `${from} sends ${kind} to ${target}${suffix}`;
  }
}

/** `p4 gets it from 10.10.1.2, and the answer comes back`. */
export function describePromise(intent: VectorReport['intent']): string {
  const text = (name: string): string => String(valueOf(intent, name));
  switch (intent.kind) {
    case 'round-trip':
      return `${text('to')} gets it from ${text('source')}, and the answer comes back`;
    case 'refused':
      return (
        `${text('to')} gets it from ${text('source')} and refuses it, and the reset comes ` +
        `back: ${text('why')}`
      );
    case 'balanced':
      return describeBalanced(intent);
    case 'abandoned':
      return `it ends at ${text('by')}, and no endpoint gets any of it: ${text('why')}`;
    case 'rejected':
      return (
        `no host gets it, and the sender gets ` +
        `${valueOf(intent, 'by') === undefined ? 'an ICMP error' : text('by')}: ${text('why')}`
      );
    case 'delivered':
      return `${text('to')} gets it from ${text('source')}, and nothing comes back: ${text('why')}`;
    case 'resolves':
      return `the answer is that ${text('ip')} is at ${text('mac')}`;
    case 'leases':
      return `DHCP gives ${describeLease(valueOf(intent, 'lease') as Lease)}`;
    case 'announced':
      return `${text('port')} has once each, and no more: ${text('what')}`;
    case 'denied':
      return `no host gets it: ${text('why')}`;
    case 'blocked':
      return `no frame comes out anywhere: ${text('why')}`;
    case 'either':
      return `one of these: ${outcomesOf(intent).map(describePromise).join('; or ')}`;
    case 'contradicted':
      return (
        `${describePromise(nestedIntent(intent, 'promise'))}; known to diverge ` +
        `(${text('by')}, ` +
        `${text('cause')}): ${describePromise(nestedIntent(intent, 'instead'))}`
      );
    default:
      return `nothing is promised: ${text('why')}`;
  }
}

function outcomesOf(intent: VectorReport['intent']): readonly VectorReport['intent'][] {
  return valueOf(intent, 'outcomes') as readonly VectorReport['intent'][];
}

function nestedIntent(
  intent: VectorReport['intent'],
  name: 'promise' | 'instead',
): VectorReport['intent'] {
  return valueOf(intent, name) as VectorReport['intent'];
}

/**
 * `web1 (which sees 10.10.1.2) or web3 (which sees 10.10.1.2) gets it, and the answer comes back:
 * Service default/web, TCP port 80`.
 */
function describeBalanced(intent: VectorReport['intent']): string {
  const answerers = (
    intent as unknown as Extract<Intent, { readonly kind: 'balanced' }>
  ).answerers.map(
    ({ to, sources, unanswered }) =>
      `${to} (which sees ` +
      `${sources.join(' or ')}${unanswered === undefined ? '' : `, and whose answer does not come back: ${unanswered}`})`,
  );
  const lost = valueOf(intent, 'lost');
  const spread =
    {
      any: '',
      'the same': ', each time the same one',
      'every one': ', and each of them at least once',
    }[String(valueOf(intent, 'spread'))] ?? '';
  return (
    `${answerers.join(' or ')} gets it${spread}, and the answer comes back: ` +
    `${String(valueOf(intent, 'why'))}${typeof lost === 'string' ? `; or it gets lost: ${lost}` : ''}`
  );
}

/**
 * A line an entry: `n1, zone 65520: tcp src=…, reply src=…, mark 0x20, …, 120 s left`, and `n1,
 * br-int: 0a:00:0a:0a:01:02 is at p1-f64551`.
 */
export function describeState({ connections, macs }: SwitchState): readonly string[] {
  return [
    ...connections.map(
      ({
        node,
        zone,
        protocol,
        original,
        reply,
        mark,
        label,
        progress,
        helper,
        parent,
        timeoutS,
      }) =>
        [
          `${node}, zone ${zone}: ${protocol} ${original}`,
          `reply ${reply}`,
          `mark 0x${mark.toString(16)}`,
          ...(label === undefined ? [] : [`label ${label}`]),
          ...(progress === '' ? [] : [progress]),
          ...(helper === undefined ? [] : [`helper ${helper}`]),
          ...(parent === undefined ? [] : [`expected by ${parent}`]),
          `${timeoutS} s left`,
        ].join(', '),
    ),
    ...macs.map(
      ({ node, bridge, port, vlan, mac }) =>
        `${node}, ${bridge}: ${mac}${vlan === 0 ? '' : ` in VLAN ${vlan}`} is at ${port}`,
    ),
  ];
}

/** A property of a value whose shape is only partly known. */
function valueOf(holder: unknown, name: string): unknown {
  return typeof holder === 'object' && holder !== null
    ? (holder as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
