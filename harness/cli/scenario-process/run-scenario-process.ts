/** The process that runs scenarios' code, as it is started (scenario-link.ts). */
import { optimizeLater } from '../processes/optimize-later.js';
import { startProgram } from '../processes/start-program.js';

optimizeLater();
await startProgram(() => import('./serve-scenarios.js'));
