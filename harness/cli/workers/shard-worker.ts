/** A process that plays shards for another, as that one starts it (worker-pool.ts). */
import { startProgram } from '../processes/start-program.js';

await startProgram(() => import('./serve-shards.js'));
