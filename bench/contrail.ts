/**
 * Until a container is up: with Contrail's plugin, and with Docker's own bridge driver, in turn on
 * one engine. Both networks have a name, so that the engine does the same for both beside the
 * driver. Prints Markdown. `node dist/bench/contrail.js [ROUNDS]`, as root.
 */
import { openEngine } from '../images/engines.js';
import { openImage } from '../images/images.js';
import { ofProcesses } from './cost.js';
import {
  creating,
  inRealWorld,
  running,
} from '../harness/programs/contrail-cnm/testkit/real-world.js';
import { describeMachine, median, table } from './describe-machine.js';

interface Measured {
  readonly wallS: number;
  readonly processorS: number;
}

const rounds = Number(process.argv[2] ?? 25);
const engine = await openEngine('trixie', (line) => console.error(line));
const image = await openImage('trixie', (line) => console.error(line));
const drivers = ['bridge', 'contrail'] as const;
const measured: Record<(typeof drivers)[number], Measured[]> = { bridge: [], contrail: [] };

await inRealWorld({ engine, image, hypervisors: 1 }, async ({ hypervisors: [h1] }) => {
  if (h1 === undefined) throw new Error('there is a hypervisor');
  await h1.docker('network', 'create', '--driver', 'bridge', '--subnet', '10.2.0.0/24', 'bridge0');
  await h1.docker(...creating('contrail0', 'blue', 'front', '10.1.1.0/24'));
  // The first round finds nothing in any cache, and is not counted.
  for (let round = 0; round <= rounds; round++)
    for (const driver of round % 2 === 0 ? drivers : drivers.toReversed()) {
      const before = { wallMs: performance.now(), processorS: ofProcesses() };
      await h1.docker(...running(`${driver}0`, driver));
      const wallS = (performance.now() - before.wallMs) / 1000;
      const processorS = ofProcesses() - before.processorS;
      await h1.docker('rm', '--force', driver);
      if (round > 0) measured[driver].push({ wallS, processorS });
    }
});

console.log(
  `Measured on ${describeMachine()}, Docker ${engine.version}; ${rounds} each in turn.\n`,
);
const middle = (driver: (typeof drivers)[number], by: keyof Measured) =>
  median(measured[driver].map((one) => one[by]));
const ratios = (by: keyof Measured) =>
  measured.contrail.map((one, round) => one[by] / (measured.bridge[round]?.[by] ?? Number.NaN));
console.log(
  table(
    ['driver', 'wall', 'ratio', 'of processors', 'ratio'],
    drivers.map((driver) => [
      driver,
      `${middle(driver, 'wallS').toFixed(3)} s`,
      driver === 'bridge' ? '1.00' : median(ratios('wallS')).toFixed(2),
      `${middle(driver, 'processorS').toFixed(3)} s`,
      driver === 'bridge' ? '1.00' : median(ratios('processorS')).toFixed(2),
    ]),
  ),
);
process.exit();
