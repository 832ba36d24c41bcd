import { defaultImage, imageFolder, knownImages } from '../../images/images.js';
import { colors } from '../base/text/colors.js';
import { exitCodes, type Context } from './context.js';
import { loadScenario, scenarioNames } from './scenarios.js';

/** Scenarios with their axes (default values in bold), and images with what each holds. */
export async function list({ print, root }: Context): Promise<number> {
  print('Scenarios');
  for (const name of await scenarioNames(root)) {
    const scenario = await loadScenario(root, name);
    print(`  ${colors.bold(scenario.name)}  ${scenario.title}`);
    for (const [axis, { values, default: usual }] of Object.entries(scenario.axes)) {
      print(
        `      ${axis} = ` +
          values
            .map((value) => (usual.includes(value) ? colors.bold(`${value}*`) : value))
            .join(' | '),
      );
    }
  }
  print('\nImages');
  for (const { name, holds } of knownImages) {
    const state = (await imageFolder(name))?.built === false ? ' (made when first used)' : '';
    print(`  ${colors.bold(name === defaultImage ? `${name}*` : name)}  ${holds}${state}`);
  }
  print('\n* default');
  return exitCodes.conforms;
}
