/** A process that plays shards for another, as that one starts it (worker-pool.ts). */
import { optimizeLater } from '../processes/optimize-later.js';
import { startProgram } from '../processes/start-program.js';

optimizeLater();
await startProgram(() => import('./serve-shards.js'));
