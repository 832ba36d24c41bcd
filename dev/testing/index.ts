/**
 * Running the project's own tests. Needs the development dependencies: load it only for `flowbed
 * test`.
 */
export { programCheck, testFileCheck, workerFileCheck, type Check } from './checks.js';
export { openTestWorkers, type TestWorkers } from './test-workers.js';
export type { Tally } from './read-tap.js';
export { progressLine, summary, totalsLine, type Checked } from './test-summary.js';
