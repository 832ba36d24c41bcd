#!/usr/bin/env node
/** `flowbed`, as it is started: it supervises the process that does the work. */
import { fileURLToPath } from 'node:url';
import { supervise } from './supervise.js';

await supervise(
  fileURLToPath(new URL('../../..', import.meta.url)),
  fileURLToPath(new URL('work.js', import.meta.url)),
  process.argv.slice(2),
);
