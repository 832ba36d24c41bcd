/** Services of generated histories, and pods that can be endpoints of them. */
import type { Random } from '../harness/base/random.js';
import { addressIn, podSubnet } from './antrea-cluster.js';
import type { Manifest } from './changing-cluster.js';
import { pod, type GeneratedSize } from './generated-policies.js';

/** Fewer than pods have otherwise, so that most Services have endpoints now and then. */
const namespaces = ['default', 'shop'] as const;
const selectors = [{ app: 'web' }, { tier: 'front' }, { tier: 'back' }] as const;
/** Ports that Services have, and are asked for. */
const ports = [80, 80, 80, 8080] as const;

/** Of pods of a namespace with a label or of all of it, on the port that every host answers on; of every other one clients keep their endpoint. Its address is its own alone. */
export function service(random: Random, number: number): Manifest {
  return { kind: 'Service', apiVersion: 'v1', metadata: { name: `svc${number}`, namespace: pick(random, namespaces) }, spec: { clusterIP: `10.96.1.${number}`, ...servicePart(random) } } as Manifest;
}

/** The same Service, asked for by another port, behind which others are. */
export function serviceChanged(random: Random, manifest: Manifest): Manifest {
  const { clusterIP } = manifest.spec as { readonly clusterIP: string };
  return { ...manifest, spec: { clusterIP, ...servicePart(random) } };
}

function servicePart(random: Random): object {
  const affinity = random.integer(1, 2) === 1 ? { sessionAffinity: 'ClientIP' } : {};
  return { selector: pick(random, selectors), ports: [{ port: pick(random, ports), targetPort: 7 }], ...affinity };
}

/** How a Service is called by who asks for it (`Sending`). */
export function serviceName({ metadata: { name, namespace = 'default' } }: Manifest): string {
  return `Service ${namespace === 'default' ? '' : `${namespace}/`}${name}`;
}

export function somePort(random: Random): number {
  return pick(random, ports);
}

/** One on a network of its own, with an address that no pod had before: of a connection to a Service nothing is promised whose endpoint is somebody else by now. */
export function endpointPod(random: Random, number: number, size: GeneratedSize, nodeName?: string): Manifest {
  const { spec, metadata, ...rest } = pod(random, number, size) as Manifest & { readonly spec: { readonly nodeName: string; readonly hostNetwork?: boolean } };
  const { hostNetwork: _, ...own } = spec;
  const node = nodeName ?? spec.nodeName;
  return { ...rest, metadata: { ...metadata, namespace: pick(random, namespaces) }, spec: { ...own, nodeName: node }, status: { podIP: addressIn(podSubnet(Number(node.slice(1))), firstAddress + number) } };
}

/** Behind those that pods get without asking. */
const firstAddress = 50;

function pick<T>(random: Random, all: readonly T[]): T {
  return all[random.integer(0, all.length - 1)] as T;
}
