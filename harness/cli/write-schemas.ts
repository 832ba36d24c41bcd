/** A program, `npm run schema`: writes docs/run.schema.json and topologies/topology.schema.json anew, after what they follow from has changed. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { topologyJsonSchema } from '../../topologies/schema.js';
import { runReportSchema } from '../run/report.js';

const root = new URL('../../../', import.meta.url);
const schemas = { 'docs/run.schema.json': runReportSchema(), 'topologies/topology.schema.json': topologyJsonSchema() };
for (const [file, schema] of Object.entries(schemas)) await writeFile(fileURLToPath(new URL(file, root)), schema);
