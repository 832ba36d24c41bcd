/** Survivors that may survive, and why; the self-test reports an entry that none needs any more. */
import type { Justification } from './justification.js';

export const justifications: readonly Justification[] = [];
