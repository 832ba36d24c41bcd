/** The points of a night, in the order of its matrix. */
import { InputError, unknownName } from '../base/errors/errors.js';
import type { NightlyFile, NightMatrix, Selector } from './nightly-file.js';

export interface NightPoint {
  readonly scenario: string;
  /** What else the scenario is called: by its own name, and by paths of its file. */
  readonly aliases?: readonly string[];
  readonly axes: Readonly<Record<string, string>>;
  readonly image: string;
  readonly backend: string;
  readonly seed: number;
}

/** A scenario, as far as a matrix is about it. */
export interface MatrixScenario {
  /** As it is named in the file: its name, or its path. */
  readonly name: string;
  /** It is no scenario of the project's: nobody means it by naming none. */
  readonly isFile?: boolean;
  readonly aliases?: readonly string[];
  readonly axes: Readonly<
    Record<string, { readonly values: readonly string[]; readonly default: readonly string[] }>
  >;
}

/** One line a point, the same in every night. */
export function formatNightPoint({ scenario, axes, image, backend, seed }: NightPoint): string {
  const values = Object.entries(axes).map(([axis, value]) => ` ${axis}=${value}`);
  return `${scenario}${values.join('')}, ${backend}:${image}, seed ${seed}`;
}

/**
 * @param scenarios those that the file names, in order.
 * @throws InputError for an axis, or a value, that none of them has, for what `exclude` and `gate`
 *   select no point by, and where no point is left.
 */
export function pointsOfNight(
  file: NightlyFile,
  scenarios: readonly MatrixScenario[],
  defaultBackend: string,
): readonly NightPoint[] {
  const matrices = matricesOf(file);
  for (const one of matrices) checkAxes(one, scenariosOf(one, scenarios));
  const points = matrices.flatMap((one) =>
    pointsOf(one, scenariosOf(one, scenarios), defaultBackend),
  );
  const kept = points.filter((point) => !file.exclude.some((one) => selects(one, point)));
  const included = file.include.map((one): NightPoint => {
    const scenario = scenarios.find(({ name }) => name === one.scenario);
    return {
      backend: defaultBackend,
      ...one,
      ...aliasesOf(scenario),
      axes: { ...firstValues(scenario), ...one.axes },
    };
  });
  const all = new Map([...kept, ...included].map((point) => [formatNightPoint(point), point]));
  refuseIdle(file, points, [...all.values()]);
  if (all.size === 0) throw new InputError('exclude leaves no point of the matrix');
  return [...all.values()];
}

function aliasesOf(scenario: MatrixScenario | undefined): Pick<NightPoint, 'aliases'> {
  return scenario?.aliases === undefined ? {} : { aliases: scenario.aliases };
}

/** @throws InputError that names each selector which selects nothing, and why. */
function refuseIdle(
  { exclude, gate = [] }: NightlyFile,
  matrix: readonly NightPoint[],
  all: readonly NightPoint[],
): void {
  const complaints = [
    ...exclude.map((one, index) => whyIdle(one, matrix, `exclude[${index}]`)),
    ...gate.map((one, index) => whyIdle(one, all, `gate[${index}]`)),
  ].filter((why) => why !== undefined);
  if (complaints.length > 0) throw new InputError(complaints);
}

/** Why a selector selects none of the points; undefined where it selects one. */
function whyIdle(
  selector: Selector,
  points: readonly NightPoint[],
  place: string,
): string | undefined {
  if (points.some((point) => selects(selector, point))) return undefined;
  const { scenario, axes = {}, image, backend, seed } = selector;
  const parts: readonly (readonly [string, Selector, string, (point: NightPoint) => string])[] = [
    ...(scenario === undefined
      ? []
      : [['scenario', { scenario }, scenario, (one: NightPoint) => one.scenario] as const]),
    ...(image === undefined
      ? []
      : [['image', { image }, image, (one: NightPoint) => one.image] as const]),
    ...(backend === undefined
      ? []
      : [['backend', { backend }, backend, (one: NightPoint) => one.backend] as const]),
    ...(seed === undefined
      ? []
      : [['seed', { seed }, String(seed), (one: NightPoint) => String(one.seed)] as const]),
    ...Object.entries(axes).map(
      ([axis, value]) =>
        [
          `value of axis ${axis}`,
          { axes: { [axis]: value } },
          value,
          (one: NightPoint) => one.axes[axis] ?? 'none',
        ] as const,
    ),
  ];
  const wrong = parts.find(([, part]) => !points.some((point) => selects(part, point)));
  if (wrong === undefined) return `${place} selects nothing: no point of the night has all of it`;
  const [what, , value, valueOf] = wrong;
  const { message } = unknownName(what, value, [...new Set(points.map(valueOf))]);
  return `${place} selects nothing: ${message}`;
}

/** Of the file itself, and those beside it. */
export function matricesOf(file: NightlyFile): readonly NightMatrix[] {
  return [file, ...file.beside];
}

/** The scenarios that a matrix names, in their order; all of the project's where it names none. */
function scenariosOf(
  { scenarios: wanted }: NightMatrix,
  known: readonly MatrixScenario[],
): readonly MatrixScenario[] {
  return known.filter(({ name, isFile }) =>
    wanted === undefined ? isFile !== true : wanted.some((one) => matchesName(one, name)),
  );
}

function pointsOf(
  { backends, images, seeds, set }: NightMatrix,
  scenarios: readonly MatrixScenario[],
  defaultBackend: string,
): readonly NightPoint[] {
  return (backends ?? [defaultBackend]).flatMap((backend) =>
    images.flatMap((image) =>
      seeds.flatMap((seed) =>
        scenarios.flatMap((scenario) =>
          axesOf(scenario, set).map((axes) => ({
            scenario: scenario.name,
            ...aliasesOf(scenario),
            axes,
            image,
            backend,
            seed,
          })),
        ),
      ),
    ),
  );
}

function firstValues(scenario: MatrixScenario | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(scenario?.axes ?? {}).flatMap(
      ([
        axis,
        {
          default: [first],
        },
      ]) => (first === undefined ? [] : [[axis, first]]),
    ),
  );
}

export function selects(selector: Selector, point: NightPoint): boolean {
  const { scenario, axes = {}, image, backend, seed } = selector;
  return (
    (scenario === undefined ||
      [point.scenario, ...(point.aliases ?? [])].some((name) => matchesName(scenario, name))) &&
    (image === undefined || image === point.image) &&
    (backend === undefined || backend === point.backend) &&
    (seed === undefined || seed === point.seed) &&
    Object.entries(axes).every(([axis, value]) => point.axes[axis] === value)
  );
}

/** @param pattern a name in which `*` stands for any characters. */
export function matchesName(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(name);
}

/** Whether the point decides about the exit code. */
export function gatesNight({ gate }: NightlyFile, point: NightPoint): boolean {
  return gate === undefined || gate.some((one) => selects(one, point));
}

function axesOf(
  { axes }: MatrixScenario,
  set: NightMatrix['set'],
): readonly Readonly<Record<string, string>>[] {
  return Object.entries(axes).reduce<readonly Readonly<Record<string, string>>[]>(
    (points, [axis, { values, default: usual }]) => {
      const wanted = set[axis] === undefined ? usual : valuesOf(set[axis]);
      const known = wanted.filter((value) => values.includes(value));
      return points.flatMap((point) => known.map((value) => ({ ...point, [axis]: value })));
    },
    [{}],
  );
}

function valuesOf(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value;
}

function checkAxes({ set }: NightMatrix, scenarios: readonly MatrixScenario[]): void {
  const known = [...new Set(scenarios.flatMap(({ axes }) => Object.keys(axes)))];
  for (const [axis, wanted] of Object.entries(set)) {
    if (!known.includes(axis)) throw unknownName('axis', axis, known);
    const values = [...new Set(scenarios.flatMap(({ axes }) => axes[axis]?.values ?? []))];
    for (const value of valuesOf(wanted))
      if (!values.includes(value)) throw unknownName(`value of axis ${axis}`, value, values);
  }
}
