/** What differs between two reports of conformance: results of features, and what each ran on. */
import type { ConformanceReport } from './conformance-report.js';

/** A line each; none where all results are the same. */
export function compareReports(
  before: ConformanceReport,
  now: ConformanceReport,
): readonly string[] {
  const [old, current] = [resultsOf(before), resultsOf(now)];
  const names = [...new Set([...old.keys(), ...current.keys()])];
  return names.flatMap((name) => {
    const [was, is] = [old.get(name) ?? 'not tested', current.get(name) ?? 'not tested'];
    return was === is ? [] : [`${name}: ${was} → ${is}`];
  });
}

/** `passed, 36 of 36`, by `antrea/encap nodes=2 tunnel=geneve: ping`. */
function resultsOf({ profiles }: ConformanceReport): ReadonlyMap<string, string> {
  return new Map(
    profiles.flatMap(({ scenarios }) =>
      scenarios.flatMap(({ name, axes, features }) => {
        const point = [name, ...Object.entries(axes).map(([axis, value]) => `${axis}=${value}`)];
        return features.map((feature) => {
          const { passed, failed, inconclusive, known } = feature.vectors;
          const all = passed + failed + inconclusive + known;
          return [
            `${point.join(' ')}: ${feature.name}`,
            `${feature.result}, ${passed} of ${all}`,
          ] as const;
        });
      }),
    ),
  );
}

/** Programs and digests that differ: what may explain it. */
export function compareImplementations(
  { implementation: before }: ConformanceReport,
  { implementation: now }: ConformanceReport,
): readonly string[] {
  const programs = [...new Set([...Object.keys(before.versions), ...Object.keys(now.versions)])];
  return [
    ...programs.flatMap((name) => {
      const [was, is] = [before.versions[name] ?? 'none', now.versions[name] ?? 'none'];
      return was === is ? [] : [`${name}: ${was} → ${is}`];
    }),
    ...(before.imageDigest === now.imageDigest ? [] : [`image: ${before.image} → ${now.image}`]),
  ];
}
