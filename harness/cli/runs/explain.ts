/** `flowbed explain RUN VECTOR`: one packet, model beside switch, to the first difference. */
import { renderExplanation } from '../../../reports/render-explanation.js';
import { unknownName } from '../../base/errors/errors.js';
import { readRunFolder, withRecorded } from '../../run/records/read-run-folder.js';
import type { RunRecord } from '../../run/records/run-record.js';
import { viewOf } from '../../explain/run-view.js';
import { exitCodes, type Context } from '../context.js';

/**
 * Prints the vector as it went in every scenario point of the run that has it. @throws InputError
 * for an unknown run or vector.
 */
export async function explain(context: Context, run: string, vector: string): Promise<number> {
  const { report, scenarios } = await readRunFolder(context.root, run);
  const ids = [...new Set(report.scenarios.flatMap(({ vectors }) => vectors.map(({ id }) => id)))];
  if (!ids.includes(vector)) throw unknownName('vector', vector, ids);
  for (const [index, record] of scenarios.entries()) {
    const scenarioReport = report.scenarios[index];
    const position = scenarioReport?.vectors.findIndex(({ id }) => id === vector) ?? -1;
    if (scenarioReport === undefined || position === -1) continue;
    // Only this vector is predicted again, and of a timeline those before it.
    const first = record.timeline === undefined ? position : 0;
    const part: RunRecord = {
      report: {
        ...report,
        scenarios: [
          { ...scenarioReport, vectors: scenarioReport.vectors.slice(first, position + 1) },
        ],
      },
      scenarios: [{ ...record, vectors: record.vectors.slice(first, position + 1) }],
    };
    const view = await withRecorded({ root: context.root, run }, index, () =>
      viewOf(part, 'of all'),
    );
    const explained = view.scenarios[0]?.vectors.at(-1);
    if (explained !== undefined) context.print(renderExplanation(explained));
  }
  return exitCodes.conforms;
}
