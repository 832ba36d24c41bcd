/**
 * Commands that start nothing, leave nothing, and run nobody else's code: they do their work in the
 * process that was started, out of the bundle.
 */
export const unsupervised: readonly string[] = ['trace', 'list', 'history'];

/** `list NAME` may load a scenario from outside the project. */
export function isUnsupervised([command = '', ...words]: readonly string[]): boolean {
  return unsupervised.includes(command) && (command !== 'list' || words.length === 0);
}

/**
 * Commands whose work is in the bundle: all of the above, and those that are supervised out of it.
 */
export const bundled: readonly string[] = [...unsupervised, 'run'];

/** A scenario from outside the project imports modules that are not in the bundle. */
export function isBundled([command = '', ...words]: readonly string[]): boolean {
  return bundled.includes(command) && !words.some((word) => /\.(ts|js|mjs)$/.test(word));
}

/** esbuild defines it in the bundle (write-bundle.ts). */
declare const IS_BUNDLE: true | undefined;

/** Whether this process runs out of the bundle. */
export const isBundle = typeof IS_BUNDLE !== 'undefined';
