/**
 * ovs-ofctl(8) on a bridge's management socket: the program people trust for what a switch holds.
 */
import { InputError, Unavailable } from '../../base/errors/errors.js';
import { remediesFor } from '../../base/errors/machine-refusal.js';
import type { Image } from '../process/image.js';
import type { Peer } from '../ovsdb/json-rpc.js';
import type { Version } from './openflow-messages.js';
import { bundleEncoderOf, textOfLine, type BundleLine } from './bundle-encoder.js';
import { dumpTexts, type DumpPlace } from './dump-texts.js';
import { sendOpenflow } from './openflow-request.js';
import { sendBundles } from './recorded-bundle.js';
import { runProgram } from '../process/run-program.js';
import { managementSocket } from '../workspace/socket-path.js';

/**
 * Of one bridge, one a line, with ports as numbers: its flows, without statistics, its groups and
 * its meters.
 */
export interface BridgeDump {
  readonly flows: readonly string[];
  readonly groups: readonly string[];
  readonly meters: readonly string[];
}

export interface Ofctl {
  /**
   * Applies flow changes as one OpenFlow bundle: all or none. Each line is `flow add …` or `flow
   * delete_strict …` with ports as numbers. @throws InputError with ovs-ofctl's words and the line
   * it means.
   */
  bundle(bridge: string, lines: readonly string[]): Promise<void>;
  /**
   * Gives a bridge that is new its groups and flows, by messages of this process, which ovs-ofctl
   * has encoded for this switch or another. What it or the switch `peer` refuses is refused by
   * `bundle`.
   * @returns how many flows the bridge holds then.
   */
  install(bridge: string, peer: Peer, lines: readonly BundleLine[]): Promise<number>;
  /**
   * Adds flows that only OpenFlow 1.0 takes, which has no bundles. @throws InputError with
   * ovs-ofctl's words and the line it means.
   */
  addOpenflow10(bridge: string, lines: readonly string[]): Promise<void>;
  /** What each of these bridges holds. @throws Unavailable when nobody answers. */
  dump(bridges: readonly string[]): Promise<readonly BridgeDump[]>;
  /** What `ovs-ofctl dump-tlv-map` prints. @throws Unavailable when nobody answers. */
  dumpTlvMap(bridge: string): Promise<string>;
  /**
   * `ovs-ofctl COMMAND BRIDGE ARGS…`; its output. @throws InputError with ovs-ofctl's words,
   * Unavailable when nobody answers.
   */
  run(bridge: string, command: string, ...args: readonly string[]): Promise<string>;
  /**
   * Sends messages of OpenFlow as they are to the switch `peer`. @throws InputError with the
   * switch's errors, Unavailable when nobody answers.
   */
  send(
    bridge: string,
    peer: Peer,
    version: Version,
    messages: readonly Uint8Array[],
  ): Promise<void>;
}

/**
 * OpenFlow 1.5: bundles need 1.4, and every field that is set comes out as `set_field`. It gives up
 * by itself, on SIGALRM: later where it has more to print.
 */
function options(lines: number): readonly string[] {
  return ['-O', 'OpenFlow15', `--timeout=${60 + Math.ceil(lines / 1000)}`];
}

/** ovs-ofctl for the bridges whose management sockets lie in `runDir`. */
export function openOfctl(image: Image, runDir: string): Ofctl {
  const execute = async (bridge: string, args: readonly string[], input: readonly string[]) => {
    const { stdout, failure } = await runProgram(
      image,
      'ovs-ofctl',
      [...options(input.length), ...args],
      input.map((line) => `${line}\n`).join(''),
    );
    if (failure !== undefined) throw explain(bridge, failure, input);
    return stdout;
  };
  const target = (bridge: string) => targetOf(runDir, bridge);
  const bundle: Ofctl['bundle'] = async (bridge, lines) => {
    if (lines.length > 0) await execute(bridge, ['bundle', target(bridge), '-'], lines);
  };
  const encoder = bundleEncoderOf(image, options(10_000));
  return {
    bundle,
    install: async (bridge, peer, lines) => {
      const path = managementSocket(runDir, bridge);
      const bundles = await encoder.encode(lines, runDir);
      const held = bundles === undefined ? undefined : await sendBundles(path, peer, bundles);
      if (held !== undefined) return held;
      // Some of the bundles may have been taken, with their groups.
      const before = (bundles?.count ?? 0) > 1 ? ['group delete'] : [];
      await bundle(bridge, [...before, ...lines.map(textOfLine)]);
      return (await sendBundles(path, peer, { messages: Buffer.alloc(0), count: 0 })) ?? 0;
    },
    addOpenflow10: async (bridge, lines) => {
      const command = ['add-flows', target(bridge), '-', '-O', 'OpenFlow10'];
      if (lines.length > 0) await execute(bridge, command, lines);
    },
    dump: (bridges) =>
      dumpBridges(
        image,
        bridges.map((bridge) => ({ runDir, bridge })),
      ),
    dumpTlvMap: async (bridge) => {
      const place = [{ runDir, bridge }];
      const { texts, failure } = await dumpTexts(image, options(0), place, ['tlv-map']);
      if (failure !== undefined) throw explain(bridge, failure, []);
      return texts[0]?.[0] ?? '';
    },
    send: (bridge, ...rest) => sendOpenflow(image, runDir, bridge, ...rest),
    run: async (bridge, command, ...args) =>
      await execute(bridge, [command, target(bridge), ...args], []),
  };
}

/**
 * What bridges hold, each with its management socket in a folder of its own, in their order.
 * @throws Unavailable when nobody answers.
 */
export async function dumpBridges(
  image: Image,
  bridges: readonly DumpPlace[],
): Promise<readonly BridgeDump[]> {
  const { texts, failure } = await dumpTexts(image, options(0), bridges, kinds);
  if (failure !== undefined)
    throw explain(bridges.map(({ bridge }) => bridge).join(', '), failure, []);
  return texts.map((ofBridge) => {
    const [flows = [], groups = [], meters = []] = ofBridge.map(linesOf);
    return {
      flows: flows.filter((line) => line !== ''),
      groups: groups.filter((line) => line.startsWith('group_id=')),
      meters: metersIn(meters),
    };
  });
}

const kinds = ['flows', 'groups', 'meters'] as const;

function linesOf(text: string): readonly string[] {
  return text.split('\n').map((line) => line.trim());
}

function targetOf(runDir: string, bridge: string): string {
  return `unix:${managementSocket(runDir, bridge)}`;
}

/** Bands stand on lines of their own behind the meter that they are of. */
function metersIn(lines: readonly string[]): readonly string[] {
  const meters: string[] = [];
  for (const line of lines) {
    if (line.startsWith('meter=')) meters.push(line);
    else if (line.startsWith('type=')) meters.push(`${meters.pop() ?? ''} ${line}`);
  }
  return meters;
}

/**
 * The failure that ovs-ofctl's last words report: `ovs-ofctl: -:LINE: why` where a line of the
 * bundle is wrong.
 */
function explain(
  bridge: string,
  failure: string,
  input: readonly string[],
): InputError | Unavailable {
  const lines = failure.split('\n');
  const [, number, why] =
    lines.map((line) => /^ovs-ofctl: -:(\d+): (.*)$/.exec(line)).find((match) => match !== null) ??
    [];
  if (number !== undefined && why !== undefined)
    return new InputError(
      `ovs-ofctl refuses "${input[Number(number) - 1] ?? ''}" on ${bridge}: ${why}`,
    );
  if (noAnswer.test(failure))
    return new Unavailable(`ovs-ofctl got no answer from ${bridge}`, [], lines.slice(-10));
  const remedies = remediesFor(failure);
  return remedies.length > 0
    ? new Unavailable(`the machine refused what ovs-ofctl needs for ${bridge}`, remedies, lines)
    : new InputError(`ovs-ofctl fails on ${bridge}: ${lines.join('; ')}`);
}

const noAnswer =
  /connecting to|End of file|Connection reset|Broken pipe|Alarm clock|Command failed|ENOENT/;
