/** ovs-ofctl(8) on a bridge's management socket: the witness people trust for what a switch holds. */
import { join } from 'node:path';
import { InputError, Unavailable } from '../base/errors.js';
import type { Image } from './image.js';

export interface Ofctl {
  /**
   * Applies flow changes as one OpenFlow bundle: all or none. Each line is `flow add …` or `flow delete_strict …`
   * with ports as numbers. @throws InputError with ovs-ofctl's words and the line it means.
   */
  bundle(bridge: string, lines: readonly string[]): Promise<void>;
  /** The flows that the bridge holds, one a line, without statistics. */
  dumpFlows(bridge: string): Promise<readonly string[]>;
  /** `ovs-ofctl COMMAND BRIDGE ARGS…`; its output. @throws InputError with ovs-ofctl's words, Unavailable when nobody answers. */
  run(bridge: string, command: string, ...args: readonly string[]): Promise<string>;
}

/** OpenFlow 1.5: bundles need 1.4, and field names and `set_field` come out the same for every field. */
const protocol = ['-O', 'OpenFlow15'];

/** ovs-ofctl for the bridges whose management sockets lie in `runDir`. */
export function openOfctl(image: Image, runDir: string): Ofctl {
  const execute = async (bridge: string, args: readonly string[], input: readonly string[]) => {
    const { execa } = await import('execa');
    const [file, ...first] = image.command('ovs-ofctl');
    const result = await execa(file, [...first, ...protocol, ...args], { input: input.map((line) => `${line}\n`).join(''), reject: false, env: { OVS_RUNDIR: runDir, LC_ALL: 'C' } });
    if (result.failed) throw explain(bridge, result.stderr || result.message || '', input);
    return result.stdout;
  };
  const target = (bridge: string) => `unix:${join(runDir, bridge)}.mgmt`;
  return {
    bundle: async (bridge, lines) => {
      if (lines.length > 0) await execute(bridge, ['bundle', target(bridge), '-'], lines);
    },
    dumpFlows: async (bridge) => {
      const text = await execute(bridge, ['--no-stats', '--no-names', 'dump-flows', target(bridge)], []);
      return text.split('\n').map((line) => line.trim()).filter((line) => line !== '');
    },
    run: async (bridge, command, ...args) => await execute(bridge, [command, target(bridge), ...args], []),
  };
}

/** The failure that ovs-ofctl's stderr tells of: `ovs-ofctl: -:LINE: why` where a line of the bundle is wrong. */
function explain(bridge: string, stderr: string, input: readonly string[]): InputError | Unavailable {
  const lines = stderr.trim().split('\n');
  const [, number, why] = lines.map((line) => /^ovs-ofctl: -:(\d+): (.*)$/.exec(line)).find((match) => match !== null) ?? [];
  if (number !== undefined && why !== undefined) return new InputError(`ovs-ofctl refuses "${input[Number(number) - 1] ?? ''}" on ${bridge}: ${why}`);
  if (/connecting to|failed to connect|connection (closed|reset)|broken pipe|end of file|ENOENT/i.test(stderr)) {
    return new Unavailable(`ovs-ofctl got no answer from ${bridge}`, [], lines.slice(-10));
  }
  return new InputError(`ovs-ofctl fails on ${bridge}: ${lines.join('; ')}`);
}
