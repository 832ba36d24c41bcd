/**
 * The flows of a bridge, as the agent wants them: all of them at first, then what is other than
 * before, in messages of this process. ovs-ofctl encodes one flow of each shape for them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Unavailable } from '../../../base/errors/errors.js';
import { knownFlowReader } from '../../../openflow/flows/known-texts.js';
import { noNames } from '../../../openflow/syntax/form.js';
import { bundleEncoderOf, type BundleLine } from '../../../ovs/openflow/bundle-encoder.js';
import { connectForBundles, type BundleConnection } from '../../../ovs/openflow/recorded-bundle.js';
import { runProgram } from '../../../ovs/process/run-program.js';

export interface BridgeFlows {
  /** All or none. @throws Unavailable with the words of who refuses them. */
  replace(flows: readonly string[]): Promise<void>;
  close(): void;
}

export interface BridgeFlowsSpec {
  /** The words that ovs-ofctl is called by. */
  readonly ofctl: readonly [program: string, ...args: string[]];
  /** The bridge's management socket: `/var/run/openvswitch/BRIDGE.mgmt`. */
  readonly management: string;
}

/** Bundles need 1.4; ovs-ofctl gives up by itself. */
const options = ['-OOpenFlow15', '--timeout=20'];

export function bridgeFlowsOf({ ofctl, management }: BridgeFlowsSpec): BridgeFlows {
  const image = { name: ofctl.join(' '), digest: '', command: () => ofctl };
  const encoder = bundleEncoderOf(image, options);
  const name = `the switch at ${management}`;
  const whyEnded = () => Promise.resolve(new Unavailable(`${name} has hung up`));
  const folder = mkdtempSync(join(tmpdir(), 'vrouter-agent-'));
  /** What the switch has while the connection lasts, if nobody else programs it: it is counted. */
  let held:
    | { readonly connection: BundleConnection; readonly flows: readonly string[] }
    | undefined;
  const change = async (flows: readonly string[]): Promise<boolean> => {
    if (held === undefined) return false;
    const bundles = await encoder.encode(changes(held.flows, flows), folder);
    // Several are not taken as one.
    if (bundles === undefined || bundles.count > 1) return false;
    const count = await held.connection.send(bundles).catch(() => undefined);
    return count === new Set(flows.map(matchOf)).size;
  };
  let isClosed = false;
  const close = () => {
    held?.connection.close();
    held = undefined;
  };
  return {
    replace: async (flows) => {
      if (await change(flows)) {
        held = held && { ...held, flows };
        return;
      }
      close();
      const connection = await connectForBundles(management, { name, whyEnded });
      const args = [...options, '--bundle', 'replace-flows', `unix:${management}`, '-'];
      const { failure } = await runProgram(image, 'ovs-ofctl', args, `${flows.join('\n')}\n`);
      if (failure === undefined && !isClosed) held = { connection, flows };
      else connection.close();
      if (failure !== undefined) throw new Unavailable(`ovs-ofctl replace-flows: ${failure}`);
    },
    close: () => {
      isClosed = true;
      close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const read = knownFlowReader(noNames);

/** Lines of a bundle: what nothing takes the place of goes; a flow replaces one with its match. */
function changes(before: readonly string[], after: readonly string[]): readonly BundleLine[] {
  const [there, wanted] = [new Set(before), new Set(after)];
  const kept = new Set(after.map(matchOf));
  return [
    ...before
      .filter((flow) => !kept.has(matchOf(flow)))
      .map((flow) => `flow delete_strict ${matchOf(flow)}`),
    ...[...wanted]
      .filter((flow) => !there.has(flow))
      .map((flow) => ({ add: read(flow, { file: 'the flows of the agent', line: 1 }) })),
  ];
}

function matchOf(flow: string): string {
  return flow.replace(/ actions=.*/, '');
}
