/**
 * L0 over IPv6: hosts with addresses of both families reach each other by each of them alike
 * (Kubernetes, "IPv4/IPv6 dual-stack"), and what they see are the addresses of the one asked by.
 */
import type { Intent } from '../domain/intent.js';
import type { Topology } from '../domain/topology.js';

/** `intent`, which is promised over IPv4, with the addresses that stand beside. */
export function promisedOverIpv6(network: Topology, intent: Intent): Intent {
  const beside = (ip: string) => network.ipv6?.[ip] ?? ip;
  switch (intent.kind) {
    case 'round-trip':
    case 'refused':
    case 'delivered':
      return { ...intent, source: beside(intent.source) };
    case 'balanced':
      return {
        ...intent,
        answerers: intent.answerers.map((one) => ({ ...one, sources: one.sources.map(beside) })),
      };
    case 'resolves':
      return { ...intent, ip: beside(intent.ip) };
    case 'either':
      return {
        ...intent,
        outcomes: intent.outcomes.map((outcome) => promisedOverIpv6(network, outcome)),
      };
    case 'contradicted':
      return {
        ...intent,
        promise: promisedOverIpv6(network, intent.promise),
        instead: promisedOverIpv6(network, intent.instead),
        ...(intent.insteadOnLinux === undefined
          ? {}
          : { insteadOnLinux: promisedOverIpv6(network, intent.insteadOnLinux) }),
      };
    case 'rejected':
    case 'denied':
    case 'blocked':
      return intent.unheld === undefined ? intent : { ...intent, unheld: beside(intent.unheld) };
    case 'abandoned':
    case 'leases':
    case 'announced':
      return intent;
  }
}
