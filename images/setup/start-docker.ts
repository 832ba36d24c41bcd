/**
 * Starts a Docker engine of Debian's by hand, in the foreground, until Ctrl-C. Nothing is
 * installed: its root folder is in the cache, and what it writes is in FOLDER. Needs root.
 *
 *     node dist/images/setup/start-docker.js FOLDER [--suite bookworm] [-- OPTION OF DOCKERD…]
 *
 * Tests start theirs in the same way (`startEngine`).
 */
import { once } from 'node:events';
import { $, argv, echo, path } from 'zx';
import { thisPlace } from '../../harness/docker-engine/namespaces.js';
import { isolated, startEngine } from '../../harness/docker-engine/start-engine.js';
import { engines, openEngine } from '../engines.js';

const [given, ...options] = argv._;
if (given === undefined) throw new Error('name the folder for its data: start-docker.js FOLDER');
const folder = path.resolve(given);
const suite = engines.find(({ name }) => name === (argv['suite'] ?? engines[0].name));
if (suite === undefined) throw new Error(`no suite ${argv['suite']}: trixie, or bookworm`);
if ((await $`id -u`.quiet()).stdout.trim() !== '0') throw new Error('a Docker engine needs root');

// 1. Debian's packages, unpacked into a root folder of their own: 26 seconds, once.
const image = await openEngine(suite.name, echo);

// 2. dockerd in that root, which it sees as /; without a bridge and rules, unless asked for.
const temporary = path.join(folder, 't');
await $`mkdir -p ${temporary}`;
const engine = await startEngine({
  image,
  folder,
  namespaces: thisPlace,
  options: options.length > 0 ? options : isolated,
});

// 3. It answers. Of this machine's folders it sees that one alone: what its containers share with
// who starts them has to be there.
$.env = { ...$.env, DOCKER_HOST: `unix://${engine.socket}` };
await $`${image.client} version --format ${'Docker {{.Server.Version}} is up'}`.pipe(
  process.stdout,
);
echo(`export TMPDIR=${temporary}`);
echo(`export DOCKER_HOST=unix://${engine.socket}`);

// 4. Its containers end before it does.
process.stdin.resume();
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
await engine.close();
process.exit();
