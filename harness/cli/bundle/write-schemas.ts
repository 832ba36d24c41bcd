/**
 * A program, `npm run schema`: writes the schemas in docs/ and
 * topologies/antrea/topology.schema.json again, after what they follow from has changed.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { antreaJsonSchema } from '../../../topologies/antrea/yaml.js';
import { conformanceSchema } from '../../conformance/conformance-report.js';
import { historyRowSchema } from '../../history/history-row.js';
import { nightlySchema } from '../../nightly/nightly-file.js';
import { runReportSchema } from '../../run/records/run-report.js';
import { throughputSchema } from '../../throughput/throughput-report.js';
import { checkSchema } from '../../trace/check-report.js';
import { traceSchema } from '../../trace/trace-report.js';

const root = new URL('../../../../', import.meta.url);
const schemas = {
  'docs/run.schema.json': runReportSchema(),
  'docs/trace.schema.json': traceSchema(),
  'docs/check.schema.json': checkSchema(),
  'docs/conformance.schema.json': conformanceSchema(),
  'docs/history.schema.json': historyRowSchema(),
  'docs/nightly.schema.json': nightlySchema(),
  'docs/throughput.schema.json': throughputSchema(),
  'topologies/antrea/topology.schema.json': antreaJsonSchema(),
};
for (const [file, schema] of Object.entries(schemas))
  await writeFile(fileURLToPath(new URL(file, root)), schema);
