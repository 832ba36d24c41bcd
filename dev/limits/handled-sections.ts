/** How fields of Kubernetes are handled, from the table of harness/kube/handled. */
import {
  controlPlanes,
  handlingWhere,
  type Everywhere,
  type Handling,
} from '../../harness/kube/handled/handling.js';
import { marks } from '../../harness/kube/handled/marks.js';
import { handledFields } from '../../harness/kube/handled/table.js';

interface Section {
  readonly title: string;
  readonly lead: string;
  readonly items: readonly string[];
}

export function handledSections(): readonly Section[] {
  return [
    {
      title: 'What control planes refuse of Kubernetes',
      lead: 'Before switches come up, with file and line: L0 would promise it all the same.',
      items: byReason((everywhere) => {
        const where = controlPlanes.filter(
          (name) => handlingWhere(everywhere, name).kind === 'refused',
        );
        const [first] = where;
        if (first === undefined || where.length === controlPlanes.length) return undefined;
        const handling = handlingWhere(everywhere, first);
        return handling.kind === 'refused' ? `${where.join(', ')}: ${handling.why}` : undefined;
      }),
    },
    {
      title: 'Fields of manifests that a network is played without',
      lead: 'A note says so where one has a value. The same holds for annotations and labels:',
      items: [
        ...byReason(textOf('noted')),
        ...marks.flatMap(({ where, key, handling }) =>
          'kind' in handling && handling.kind === 'noted'
            ? [`${where} \`${key.source.replaceAll('\\', '')}\`: ${handling.why}`]
            : [],
        ),
      ],
    },
    {
      title: 'Fields of manifests that change nothing',
      lead: 'No packet depends on them here, because:',
      items: byReason((everywhere) => {
        const reasons = controlPlanes.flatMap((name) => {
          const handling = handlingWhere(everywhere, name);
          return handling.kind === 'nothing' ? [{ name, because: handling.because }] : [];
        });
        const [first] = reasons;
        if (first === undefined) return undefined;
        return reasons.length === controlPlanes.length
          ? first.because
          : `${reasons.map(({ name }) => name).join(', ')}: ${first.because}`;
      }),
    },
  ];
}

function textOf(kind: Handling['kind']): (everywhere: Everywhere) => string | undefined {
  return (everywhere) =>
    'kind' in everywhere && everywhere.kind === kind && 'why' in everywhere
      ? everywhere.why
      : undefined;
}

/** Each reason once, with the fields that it is of: `it is …: Pod \`spec.os\``. */
function byReason(reasonOf: (everywhere: Everywhere) => string | undefined): readonly string[] {
  const found = new Map<string, Map<string, string[]>>();
  for (const [kind, table] of Object.entries(handledFields))
    for (const [path, everywhere] of Object.entries(table)) {
      const reason = reasonOf(everywhere);
      if (reason === undefined) continue;
      const kinds = found.get(reason) ?? new Map<string, string[]>();
      found.set(reason, kinds);
      kinds.set(kind, [...(kinds.get(kind) ?? []), ...(path === '' ? [] : [`\`${path}\``])]);
    }
  return [...found].map(([reason, kinds]) => {
    const same = new Map<string, string[]>();
    for (const [kind, paths] of kinds)
      same.set(paths.join(', '), [...(same.get(paths.join(', ')) ?? []), kind]);
    const fields = [...same].map(([paths, names]) =>
      [names.join(', '), ...(paths === '' ? [] : [paths])].join(' '),
    );
    return `${reason}: ${fields.join('; ')}`;
  });
}
