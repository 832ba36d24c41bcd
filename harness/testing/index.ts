/**
 * Running the project's own tests. Needs the development dependencies: load it only for `flowbed
 * test`.
 */
export { playedFileCheck, programCheck, testFileCheck, type Check } from './checks.js';
export { inParallel } from './in-parallel.js';
export { openPlayers, type Players } from './players.js';
export type { Tally } from './read-tap.js';
export { progressLine, summary, totalsLine, type Checked } from './report.js';
