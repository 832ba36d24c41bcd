import { cidrContains, ipv4Number, parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import type { ClusterHost } from '../../domain/cluster-host.js';
import type { Intent } from '../../domain/intent.js';
import type { FrameSpec } from '../../domain/test-vector.js';
import type { Network } from '../../kube/objects.js';
import { clusterHosts, subnetNode } from '../kubernetes/cluster-hosts.js';
import { end, serviceOf } from '../kubernetes/policy/intent-under-policies.js';
import {
  combinedVerdict,
  egressVerdict,
  ingressVerdict,
} from '../kubernetes/policy/policy-verdict.js';
import { type Conversation } from '../kubernetes/policy/rule-matches.js';

/**
 * A truthful sender that gives the packet another pod's MAC than the address belongs to. The seed,
 * "IngressRuleTable": egress policies go by the address, ingress policies by the port, so that
 * neither is bypassed; a pod takes nothing that is not for its address.
 */
export function misdirectedIntent(
  { objects, ...cluster }: Network,
  from: ClusterHost,
  { src, dst, payload }: FrameSpec,
): Intent | undefined {
  if (
    objects === undefined ||
    !('ttl' in payload) ||
    from.kind !== 'pod' ||
    src.toLowerCase() !== from.mac ||
    payload.src !== from.ip
  )
    return undefined;
  if (
    payload.kind === 'tcp' &&
    !(payload.checksum === 'right' && payload.flags.join(' ') === 'SYN')
  )
    return undefined;
  const reached = clusterHosts(cluster).find(
    ({ kind, mac, node }) => kind === 'pod' && node === from.node && mac === dst.toLowerCase(),
  );
  const elsewhere =
    (subnetNode(cluster, payload.dst) ?? from.node) !== from.node ||
    cidrContains(parseCidr(cluster.serviceCidr), ipv4Number(payload.dst));
  if (reached === undefined || reached.ip === payload.dst || elsewhere) return undefined;
  const service = serviceOf(payload);
  const asked = (ip: string): Conversation => ({
    ...service,
    from: end(objects, from.ip),
    to: end(objects, ip),
  });
  const verdict = combinedVerdict([
    egressVerdict(objects, asked(payload.dst)),
    ingressVerdict(objects, asked(reached.ip)),
  ]);
  return verdict.kind === 'denied'
    ? { kind: 'blocked', why: verdict.why }
    : {
        kind: 'denied',
        why: `${reached.name} does not hold ${payload.dst}`,
        ignoredBy: [reached.name],
      };
}
