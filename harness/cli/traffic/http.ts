/** `flowbed http`: HTTP between real stacks, by k6. */
import { openImage } from '../../../images/images.js';
import { openK6 } from '../../../images/k6.js';
import { InputError, unknownName } from '../../base/errors/errors.js';
import { k6Script } from '../../throughput/traffic/k6-script.js';
import { printHttp } from '../../http/print-http.js';
import { httpFaults, runHttp, type HttpFault, type PathResult } from '../../http/run-http.js';
import { backendNamed } from '../../testbeds/registry.js';
import { openRealCluster } from '../../throughput/cluster/real-cluster.js';
import {
  measuredPaths,
  measuredPlan,
  podMtuOf,
  type MeasuredPath,
} from '../../throughput/measured-paths.js';
import { exitCodes, type Context } from '../context.js';

export interface HttpCommand {
  readonly backend: string;
  readonly image: string;
  readonly clients: string;
  readonly seconds: string;
  readonly script?: boolean;
  readonly plant?: string;
  readonly json?: boolean;
}

/** @returns the exit code. */
export async function http(
  context: Context,
  names: readonly string[],
  options: HttpCommand,
): Promise<number> {
  const paths = names.length === 0 ? measuredPaths : names.map(pathNamed);
  const load = {
    clients: count('clients', options.clients, 1000),
    seconds: count('seconds', options.seconds, 600),
    ...(options.plant === undefined ? {} : { fault: faultNamed(options.plant) }),
  };
  if (options.script === true) {
    for (const { ip, port = 7, server: answers } of paths)
      context.print(
        k6Script({ url: `http://${ip}:${port}/`, answers, ...load, connections: 'kept' }),
      );
    return exitCodes.conforms;
  }
  const backend = backendNamed(options.backend);
  if (backend.places === undefined)
    throw new InputError(`backend ${backend.name} has no real hosts: choose netns or docker`);
  const k6 = await openK6();
  const image = await openImage(options.image, context.say);
  const places = await backend.places(image);
  const results: PathResult[] = [];
  for (const mode of new Set(paths.map((path) => path.mode))) {
    const { teardown } = context;
    const settings = { places, teardown, podMtu: podMtuOf(mode) };
    const cluster = await openRealCluster(measuredPlan(mode, 0), image, settings);
    try {
      for (const path of paths.filter((one) => one.mode === mode))
        for (const connections of ['kept', 'one a request'] as const) {
          const result = await runHttp(cluster, path, connections, { k6, ...load });
          results.push(result);
          if (options.json !== true) for (const line of printHttp(result)) context.print(line);
        }
    } finally {
      await cluster.close();
    }
  }
  const isGood = results.every(({ differences }) => differences.length === 0);
  const verdict = isGood ? 'conforms' : 'diverges';
  if (options.json === true)
    context.print(
      JSON.stringify({ schema: 1, backend: backend.name, image: image.name, results, verdict }),
    );
  else context.print(`verdict   ${verdict}`);
  return exitCodes[verdict];
}

function pathNamed(name: string): MeasuredPath {
  const found = measuredPaths.find((one) => one.name === name);
  if (found === undefined)
    throw unknownName(
      'path',
      name,
      measuredPaths.map((one) => one.name),
    );
  return found;
}

function faultNamed(name: string): HttpFault {
  const names = Object.keys(httpFaults) as HttpFault[];
  const found = names.find((one) => one === name);
  if (found === undefined) throw unknownName('fault', name, names);
  return found;
}

function count(option: string, text: string, most: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > most)
    throw new InputError(`--${option} takes a number from 1 to ${most}, got "${text}"`);
  return value;
}
