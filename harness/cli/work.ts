/** The process that does what was asked, as it is started. */
import { startProgram } from './processes/start-program.js';

await startProgram(async () => {
  const { doWork } = await import('./do-work.js');
  await doWork();
});
