/** A program: writes docs/run.schema.json anew. `node dist/harness/run/write-schema.js` after the report's schema has changed. */
import { writeFile } from 'node:fs/promises';
import { runReportSchema } from './report.js';

await writeFile(new URL('../../../docs/run.schema.json', import.meta.url), runReportSchema());
