/**
 * How each control plane handles each field of Kubernetes. Every field of every kind that is read
 * stands in the table, and nothing else does: `every-field.test.ts` walks the schemas.
 */

/** Those that L0 has promises of. */
export const controlPlanes = ['antrea', 'ovn-kubernetes', 'ovn-cni', 'ovn', 'contrail'] as const;
export type ControlPlaneName = (typeof controlPlanes)[number];

export type Handling =
  /** The control plane programs it, or hosts do it, and L0 promises it. */
  | { readonly kind: 'played' }
  /** A network that has it is refused by name before switches come up. */
  | { readonly kind: 'refused'; readonly why: string }
  /** A network that has it is played without it, and a note says so where it is read. */
  | { readonly kind: 'noted'; readonly why: string }
  /** No packet here depends on it. */
  | { readonly kind: 'nothing'; readonly because: string };

/** A field that is handled alike wherever it is, or by control plane. */
export type Everywhere =
  | Handling
  | Readonly<Record<ControlPlaneName, Exclude<Handling, { readonly kind: 'noted' }>>>;

/**
 * By path, lists without their indices: `spec.ports.nodePort`. What is said of a path is said of
 * what is in it, unless that has a line of its own; the path '' is the kind itself.
 */
export type FieldTable = Readonly<Record<string, Everywhere>>;

export const played = { kind: 'played' } as const;
export const refused = (why: string) => ({ kind: 'refused', why }) as const;
export const noted = (why: string) => ({ kind: 'noted', why }) as const;
export const nothing = (because: string) => ({ kind: 'nothing', because }) as const;

/** Played by those, and elsewhere handled as `other`. */
export function playedBy(
  names: readonly ControlPlaneName[],
  other: Exclude<Handling, { readonly kind: 'noted' }>,
): Everywhere {
  const by = (name: ControlPlaneName) => (names.includes(name) ? played : other);
  return {
    antrea: by('antrea'),
    'ovn-kubernetes': by('ovn-kubernetes'),
    'ovn-cni': by('ovn-cni'),
    ovn: by('ovn'),
    contrail: by('contrail'),
  };
}

export function handlingWhere(everywhere: Everywhere, controlPlane: ControlPlaneName): Handling {
  return 'kind' in everywhere ? everywhere : everywhere[controlPlane];
}

/** Several fields of one handling. */
export function each(paths: readonly string[], handling: Everywhere): FieldTable {
  return Object.fromEntries(paths.map((path) => [path, handling]));
}
