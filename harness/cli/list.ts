import { defaultImage, imageFolder, knownImages, openImage } from '../../images/images.js';
import { InputError } from '../base/errors/errors.js';
import { colors } from '../base/text/colors.js';
import type { Scenario } from '../domain/scenario.js';
import { renderLab } from './scenarios/lab-topology.js';
import { exitCodes, type Context } from './context.js';
import {
  scenarioFamilies,
  scenariosCalled,
  type ScenarioFamily,
} from './scenarios/scenario-families.js';
import { loadOwnScenario, loadScenario, matrix, scenarioNames } from './scenarios/scenarios.js';

export interface ListOptions {
  /** `containerlab` or `clabernetes`. */
  readonly lab?: string;
}

/**
 * Without a name: a line a family, and images with what each holds. With one: the scenarios of a
 * family, or one scenario, with their axes (default values in bold).
 */
export async function list(
  { print, root, say }: Context,
  name: string | undefined,
  { lab }: ListOptions = {},
): Promise<number> {
  const names = await scenarioNames(root);
  const families = scenarioFamilies(names);
  if (lab !== undefined) {
    if (name === undefined)
      throw new InputError('--lab prints the network of one scenario: name it');
    const image = await openImage(defaultImage, say);
    print(renderLab(await loadScenario(root, name), image, lab));
    return exitCodes.conforms;
  }
  if (name !== undefined) {
    for (const scenario of scenariosCalled(name, names))
      print(renderScenario(await loadScenario(root, scenario)));
    return exitCodes.conforms;
  }
  print('Scenarios');
  const width = Math.max(...families.map((family) => family.name.length));
  for (const family of families) print(await renderFamily(root, family, width));
  print('  ./flowbed list NAME prints the scenarios of a family with their axes');
  print('\nImages');
  for (const image of knownImages) {
    const state = (await imageFolder(image.name))?.built === false ? ' (made when first used)' : '';
    const usual = image.name === defaultImage ? `${image.name}*` : image.name;
    print(`  ${colors.bold(usual)}  ${image.holds}${state}`);
  }
  print('\n* default');
  return exitCodes.conforms;
}

/** `antrea/windows-*  10 scenarios, 12 of 30 points by default` */
async function renderFamily(
  root: string,
  { name, scenarios }: ScenarioFamily,
  width: number,
): Promise<string> {
  let [usual, all] = [0, 0];
  for (const scenario of scenarios) {
    const loaded = await loadOwnScenario(root, scenario);
    usual += matrix(loaded, new Map()).length;
    all += Object.values(loaded.axes).reduce((product, { values }) => product * values.length, 1);
  }
  return (
    `  ${colors.bold(name)}${' '.repeat(width - name.length)}  ` +
    `${scenarios.length} scenarios, ${usual} of ${all} points by default`
  );
}

function renderScenario({ name, title, axes }: Scenario): string {
  return [
    `${colors.bold(name)}  ${title}`,
    ...Object.entries(axes).map(
      ([axis, { values, default: usual }]) =>
        `    ${axis} = ` +
        values
          .map((value) => (usual.includes(value) ? colors.bold(`${value}*`) : value))
          .join(' | '),
    ),
  ].join('\n');
}
