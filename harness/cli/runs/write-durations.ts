/**
 * A program, `npm run durations REPORT.JSON…`: writes scenarios/durations.json again by the reports
 * of runs. Points that are in none of them keep what they had; those of scenarios that are gone go.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { scenarioNames } from '../scenarios/scenarios.js';
import { labelOf, readPointDurations, usualDurations } from './durations.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const file = usualDurations(root);
const names = await scenarioNames(root);
const points = new Map(
  (await Promise.all([file, ...process.argv.slice(2)].map(readPointDurations)))
    .flat()
    .filter(({ name }) => names.includes(name))
    .map(({ name, axes, durationMs }) => [labelOf({ name, axes }), { name, axes, durationMs }]),
);
const lines = [...points.entries()]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([, point]) => `  ${JSON.stringify(point)}`);
await writeFile(file, `{"scenarios": [\n${lines.join(',\n')}\n]}\n`);
