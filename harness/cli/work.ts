/** The process that does what was asked, as it is started. */
import { optimizeLater } from './processes/optimize-later.js';
import { startProgram } from './processes/start-program.js';

optimizeLater();
await startProgram(async () => {
  const { doWork } = await import('./do-work.js');
  await doWork();
});
