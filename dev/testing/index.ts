/**
 * Running the project's own tests. Needs the development dependencies: load it only for `flowbed
 * test`.
 */
export {
  workerFileCheck as playedFileCheck,
  programCheck,
  testFileCheck,
  type Check,
} from './checks.js';
export { inParallel } from './in-parallel.js';
export { openTestWorkers as openPlayers, type TestWorkers as Players } from './test-workers.js';
export type { Tally } from './read-tap.js';
export { progressLine, summary, totalsLine, type Checked } from './test-summary.js';
