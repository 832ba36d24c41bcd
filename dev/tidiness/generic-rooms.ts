import type { Import } from './imports.js';

/** Systems, each of which has a folder of its own in scenarios, topologies, control and intent. */
const systems = ['antrea', 'contrail'] as const;

/** What serves every system; tests of it may use one. */
const generic =
  /^(harness\/(domain|run|lockstep|compare|testbeds|intent\/over-time)\/.*|harness\/intent\/[^/]+|topologies\/[^/]+)\.ts$/;

/** It serves every system as well, and may cite where a rule of one has come from. */
const kubernetes = /^harness\/(intent\/kubernetes|control\/windows|kube)\/.*\.ts$/;

/** Where a generic room imports from a system's folder, or names a system. One line each. */
export function genericRoomViolations(
  sources: readonly { readonly path: string; readonly text: string }[],
  imports: readonly Import[],
): readonly string[] {
  const isGeneric = (path: string) => !path.endsWith('.test.ts') && generic.test(path);
  const isShared = (path: string) => !path.endsWith('.test.ts') && kubernetes.test(path);
  return [
    ...imports
      .filter(({ from, to }) => (isGeneric(from) || isShared(from)) && systemOf(to) !== undefined)
      .map(({ place, to }) => `${place}: serves every system, and imports ${to}`),
    ...sources
      .filter(({ path }) => isGeneric(path))
      .flatMap(({ path, text }) =>
        text
          .split('\n')
          .flatMap((line, index) =>
            systems.some((system) => line.toLowerCase().includes(system))
              ? [`${path}:${index + 1}: serves every system, and names one: ${line.trim()}`]
              : [],
          ),
      ),
  ];
}

function systemOf(path: string): string | undefined {
  return systems.find((system) => path.split('/').includes(system));
}
