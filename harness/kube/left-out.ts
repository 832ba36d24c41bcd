import type { Place } from '../base/errors/errors.js';
import type { YamlDocument } from '../base/text/yaml.js';
import type { KubeObjects } from './objects.js';
import { serviceNameLabel } from './services/service-endpoints.js';

/** Something that was written, and is no part of the network. */
export interface LeftOut {
  readonly kind: 'left out';
  /** Its kind, `pending pod`, or `Pod of IPv6 alone`. */
  readonly what: string;
  readonly document: YamlDocument;
}

/** One line about kinds, with how many there were of each, and one about pods without a node. */
export function whatIsLeftOut(leftOut: readonly LeftOut[]): readonly string[] {
  const pending = leftOut.filter(({ what }) => what === 'pending pod');
  const ofIpv6 = leftOut.filter(({ what }) => what.endsWith('of IPv6 alone'));
  const counts = new Map<string, number>();
  for (const one of leftOut)
    if (!pending.includes(one) && !ofIpv6.includes(one))
      counts.set(one.what, (counts.get(one.what) ?? 0) + 1);
  const kinds = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([what, count]) => `${what}${count === 1 ? '' : ` (${count})`}`);
  return [
    ...(kinds.length === 0 ? [] : [`skipped, as no packet depends on them: ${kinds.join(', ')}`]),
    ...(pending.length === 0
      ? []
      : [
          'pending, on no node, and left out: ' +
            pending.map(({ document }) => nameOf(document)).join(', '),
        ]),
    ...(ofIpv6.length === 0
      ? []
      : [
          'of IPv6 alone, and left out: ' +
            ofIpv6
              .map(({ what, document }) => `${what.split(' ')[0]} ${nameOf(document)}`)
              .join(', '),
        ]),
  ];
}

/**
 * Endpoints say what EndpointSlices say; where nobody else does, they are not skipped (Kubernetes,
 * "Services without selectors").
 */
export function endpointsProblems(
  leftOut: readonly LeftOut[],
  { services, endpointSlices }: KubeObjects,
): readonly { readonly place: Place; readonly message: string }[] {
  const alone = new Set(
    services
      .filter(
        ({ metadata, spec }) =>
          Object.keys(spec.selector ?? {}).length === 0 &&
          !endpointSlices.some(
            (slice) =>
              slice.metadata.namespace === metadata.namespace &&
              slice.metadata.labels[serviceNameLabel] === metadata.name,
          ),
      )
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
  );
  return leftOut
    .filter(({ what, document }) => what === 'Endpoints' && alone.has(nameOf(document)))
    .map(({ document }) => ({
      place: document.placeOf({ path: ['kind'] }),
      message:
        `Endpoints ${nameOf(document)}, of a Service without a selector, are not read: give its ` +
        'EndpointSlices',
    }));
}

function nameOf({ value }: YamlDocument): string {
  const { metadata } = value as { readonly metadata?: { name?: unknown; namespace?: unknown } };
  const { name, namespace = 'default' } = metadata ?? {};
  return `${String(namespace)}/${String(name)}`;
}
