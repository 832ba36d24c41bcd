/**
 * Where the project's own scenarios are loaded from: by a process of the bundle from there, for
 * with scenarios come the modules of the program that they import.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isBundle } from '../unsupervised.js';

/** The names of those that were built into `dist`: their files' places in scenarios/. */
export async function scenariosIn(dist: string): Promise<readonly string[]> {
  const files = await readdir(join(dist, 'scenarios'), { recursive: true });
  return files
    .filter((file) => file.endsWith('.js') && !file.endsWith('.test.js'))
    .map((file) => file.replace(/\.js$/, ''))
    .sort();
}

/** @param root the project's folder. @param name a scenario's place in scenarios/. */
export function scenarioFile(root: string, name: string): string {
  return isBundle
    ? join(root, 'dist/bundle', `${bundledScenario(name)}.js`)
    : join(root, 'dist/scenarios', `${name}.js`);
}

/** The bundle is one folder, so that each of its files finds others in the same place. */
export function bundledScenario(name: string): string {
  return `scenario+${name.replaceAll('/', '+')}`;
}
