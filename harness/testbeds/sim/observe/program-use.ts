/**
 * `brought back`: a reset makes flows and groups what they were, whatever packets, time and changes
 * have done to them. `replaced`: whoever plays replaces them before each reset, so that nothing is
 * kept of them, and does without what is cached: where flows remember, it is thrown away.
 */

export type ProgramUse = 'brought back' | 'replaced';
