/** Writes `dist/packages`. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeContainerlabClient } from './containerlab-client.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = join(root, 'dist/packages/containerlab-client');
await writeContainerlabClient(root, folder);
console.log(`${folder}: npm pack there packs it, npm publish publishes it`);
