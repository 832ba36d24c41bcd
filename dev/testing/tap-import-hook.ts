/** A hook of Node's loader (`module.register`): whoever imports tap gets `begin-file.ts`. */
import type { ResolveHook } from 'node:module';

export const resolve: ResolveHook = (specifier, context, next) =>
  specifier === 'tap'
    ? { url: new URL('./begin-file.js', import.meta.url).href, shortCircuit: true }
    : next(specifier, context);
