/** Which endpoints of a Service an external client reaches, and from which source address. */
import { end } from '../policy/intent-under-policies.js';
import type { Cluster } from '../../../kube/objects.js';
import { ingressVerdict, egressVerdict, type PolicyVerdict } from '../policy/policy-verdict.js';
import type { Conversation, End } from '../policy/rule-matches.js';
import type { ServiceClient } from './external-port.js';
import { type ExternalPort, isLocal } from './external-port.js';
import { hostWithAddress, senderNamed } from '../cluster-hosts.js';
import type { ControlPlanePromises } from '../../../domain/promises.js';
import { Unsupported } from '../../../base/errors/errors.js';
import type { Backend } from './backends.js';
import {
  type ServiceStimulus,
  type Reach,
  listenerAt,
  protocolOf,
  shutPort,
} from './service-reach.js';

export const allowed: PolicyVerdict = { kind: 'allowed' };

/** Of verdicts one of which counts. */
export function refusal(
  verdicts: readonly PolicyVerdict[],
): { readonly always: boolean; readonly why: string } | undefined {
  const refusals = verdicts.flatMap((verdict) => (verdict.kind === 'allowed' ? [] : [verdict]));
  const [first] = refusals;
  if (first === undefined) return undefined;
  return { always: verdicts.every(({ kind }) => kind === 'denied'), why: first.why };
}

/**
 * Whom policies of the endpoint may take the sender for: a pod for itself, as well as for whom it
 * is seen as. Who is no pod is only seen.
 */
export function clientIdentities(
  { objects }: Cluster,
  { ip }: ServiceClient,
  sources: readonly string[],
): readonly End[] {
  const self = end(objects, ip);
  const seen = sources.map((source) => end(objects, source));
  return self.pod === undefined ? seen : [self, ...seen.filter((other) => other.ip !== ip)];
}

/**
 * The seed, "IngressRuleTable": "traffic from the local gateway cannot be dropped because of
 * Network Policies".
 */
export function gatewayOf(cluster: Cluster, ip: string): string | undefined {
  const party = hostWithAddress(cluster, ip);
  return party?.kind === 'pod' ? party.node.gateway.ip : undefined;
}

/**
 * "Using Source IP": with `externalTrafficPolicy: Cluster` the node that is asked puts its own
 * address in the sender's place, by which it reaches the endpoint; with `Local` it does not. What
 * ends at that node itself leaves it by no address. Pods that ask their own node for a Service with
 * `Local`, and by a load balancer's address, may get it as by the ClusterIP.
 */
export function sourcesAt(
  cluster: Cluster,
  asker: ServiceClient,
  { service, node, by }: ExternalPort,
  ip: string,
  promises: ControlPlanePromises,
): readonly string[] {
  const { party } = asker;
  const arriving =
    party === undefined
      ? asker.ip
      : party.node === node
        ? party.kind === 'pod'
          ? party.ip
          : node.underlay.ip
        : party.kind === 'pod' && promises.atNodePorts !== undefined
          ? promises.atNodePorts.comesAs(cluster, party)
          : party.node.underlay.ip;
  const hidden =
    ip === node.underlay.ip
      ? [arriving]
      : promises.sourcesAtEndpoint(cluster, senderNamed(cluster, node.name), ip);
  if (party === undefined || party.node !== node) return isLocal(service) ? [arriving] : hidden;
  if (party.kind === 'node') return hidden;
  const asByClusterIp = promises.sourcesAtEndpoint(cluster, party, ip);
  if (isLocal(service) || promises.atNodePorts?.ownPods === 'as by the ClusterIP')
    return asByClusterIp;
  return by === 'an address' ? [...new Set([...hidden, ...asByClusterIp])] : hidden;
}

export function reachOf(
  cluster: Cluster,
  asker: ServiceClient,
  stimulus: ServiceStimulus,
  exposure: ExternalPort,
  { ip, port }: Backend,
  promises: ControlPlanePromises,
): Reach {
  const target = listenerAt(cluster, exposure.port, { ip, port });
  if (asker.party?.kind === 'node' && target.name === asker.name)
    throw new Unsupported(`nothing is promised about what ${asker.name} sends to itself`);
  const sources = sourcesAt(cluster, asker, exposure, ip, promises);
  const answerer = { to: target.name, sources };
  const { objects } = cluster;
  const protocol = protocolOf(stimulus);
  const conversation = (from: End): Conversation => ({
    protocol,
    port,
    from,
    to: end(objects, ip),
  });
  const self = end(objects, asker.ip);
  const isItself = target.name === asker.name;
  // "The source or destination IP address may be rewritten … not defined whether this happens
  // before or after NetworkPolicy processing" (Kubernetes, "Network Policies").
  const egress =
    self.pod === undefined
      ? []
      : [
          egressVerdict(objects, {
            protocol,
            port: stimulus.port,
            from: self,
            to: { ip: stimulus.to },
          }),
          ...(isItself ? [] : [egressVerdict(objects, conversation(self))]),
        ];
  const inward = isItself
    ? []
    : clientIdentities(cluster, asker, sources).map((from) =>
        from.ip === gatewayOf(cluster, ip) ? allowed : ingressVerdict(objects, conversation(from)),
      );
  const refusals = [refusal(egress), refusal(inward)];
  const definite =
    refusals.find((found) => found?.always === true) ??
    refusals.find((found) => found !== undefined);
  if (definite === undefined) return { answerer, policies: 'let it through' };
  return {
    answerer,
    policies: definite.always ? 'keep it back' : 'may keep it back',
    why: shutPort(target, exposure.port, port, definite.why),
  };
}
