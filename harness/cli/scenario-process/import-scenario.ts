/** A scenario's module, in the process that runs its code. */
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { InputError } from '../../base/errors/errors.js';
import type { Scenario } from '../../domain/scenario.js';
import { checkScenario } from '../../run/shapes/check-scenario.js';
import { describeThrown } from '../processes/guard-exit.js';
import { placeInScenario } from '../scenarios/scenario-code.js';

/** Lets a file from anywhere import `flowbed` and be written in TypeScript. */
export function registerImportHooks(): void {
  process.setSourceMapsEnabled(true); // places are reported as they were written
  register(new URL('import-hooks.js', import.meta.url), {
    data: { root: new URL('../../../../package.json', import.meta.url).href },
  });
}

/** @throws InputError where the module throws, or its default export is no scenario. */
export async function importScenario(file: string, name: string): Promise<Scenario> {
  const module = (await loadModule(file, name)) as { readonly default?: unknown };
  const wrong = shapeErrorOf(module.default, name);
  if (wrong !== undefined)
    throw new InputError(
      [
        `${name} has no scenario as its default export; expected: export default ` +
          'defineScenario({ name, title, axes, topology, controlPlane, vectors, intent })',
        ...wrong.split('\n'),
      ],
      { file },
    );
  return module.default as Scenario;
}

/** @throws InputError where it cannot even be read. */
function shapeErrorOf(exported: unknown, name: string): string | undefined {
  try {
    return checkScenario(exported);
  } catch (thrown) {
    throw new InputError(
      `scenario ${name}: reading its default export threw ${describeThrown(thrown)}`,
      thrown instanceof Error ? placeInScenario(thrown.stack) : undefined,
    );
  }
}

async function loadModule(file: string, name: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(file).href);
  } catch (thrown) {
    if (thrown instanceof InputError) throw thrown;
    throw new InputError(
      `scenario ${name} cannot be loaded: its module threw ${describeThrown(thrown)}`,
      (thrown instanceof Error ? placeInScenario(thrown.stack) : undefined) ?? { file },
    );
  }
}
