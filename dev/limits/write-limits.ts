/** A program, `npm run limits`: writes docs/limits.md again after refusals have changed. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { readSources } from '../tidiness/sources.js';
import { renderLimits } from './render-limits.js';

const page = fileURLToPath(new URL('../../../docs/limits.md', import.meta.url));
await writeFile(page, renderLimits(await readFile(page, 'utf8'), await readSources()));
