/** One change under a connection, from the cluster to the verdict. */
import { assert } from '../base/errors/errors.js';
import type { Teardown } from '../base/concurrency/teardown.js';
import type { Image } from '../ovs/process/image.js';
import type { CapturedFrame } from '../streams/captured.js';
import type { Places } from '../testbeds/backend.js';
import { openRealCluster, type RealCluster } from '../throughput/cluster/real-cluster.js';
import { podMtuOf } from '../throughput/measured-paths.js';
import { accountForConnection, type WayAccount } from './account-connection.js';
import { applyChange } from './apply-change.js';
import { betweenNodes } from './capture.js';
import type { LiveChange } from './changes.js';
import { judgeChange } from './judge-change.js';
import type { ChangeFault } from './planted-faults.js';
import { playChange, roundBytes, type PlayedChange } from './play-change.js';
import { segmentsOf } from './segments.js';

export interface ChangeResult extends Omit<PlayedChange, 'frames' | 'clientPort'> {
  readonly verdict: 'conforms' | 'diverges';
  readonly versions: Readonly<Record<string, string>>;
  readonly switching: 'in the kernel' | 'in ovs-vswitchd';
  readonly account: readonly WayAccount[];
  readonly differences: readonly string[];
}

export interface ChangeOptions {
  readonly places: Places;
  readonly image: Image;
  readonly teardown: Teardown;
  readonly fault?: ChangeFault;
}

/** The least that Linux takes for a socket's buffer (socket(7), SO_RCVBUF). */
const tooSmallBytes = 1;

/** @throws Unavailable when something does not come up, or ends, or a capture has lost frames. */
export async function runChange(
  change: LiveChange,
  { places, image, teardown, fault }: ChangeOptions,
): Promise<ChangeResult> {
  const podMtu = podMtuOf(change.before.northbound === undefined ? 'encap' : 'ovn');
  const cluster = await openRealCluster(change.before, image, { places, teardown, podMtu });
  const stops: (() => Promise<void>)[] = [];
  try {
    const { frames, clientPort, ...played } = await playChange(
      cluster,
      change,
      async () => {
        if (fault === 'flows-gone') await loseFlows(cluster);
        await applyChange(cluster, change, fault, (stop) => void stops.push(stop));
      },
      async () => {
        if (fault === 'connections-forgotten')
          for (const { vswitchd } of cluster.vswitches.values())
            await vswitchd.unixctl.call('dpctl/flush-conntrack');
      },
      fault === 'captures-too-small' ? tooSmallBytes : undefined,
    );
    const seen = (where: string): readonly CapturedFrame[] => {
      const found = frames.get(where);
      assert(found !== undefined, `${where} is captured`);
      return found;
    };
    const client = { ip: change.client.ip, port: clientPort };
    const account = accountForConnection(
      {
        atClient: segmentsOf(seen(change.client.pod), client),
        between: segmentsOf(seen(betweenNodes), client),
        atServer: segmentsOf(seen(change.server), client),
      },
      roundBytes,
    );
    const differences = judgeChange(change, played, account);
    return {
      verdict: differences.length === 0 ? 'conforms' : 'diverges',
      versions: cluster.versions,
      switching: cluster.datapath === 'system' ? 'in the kernel' : 'in ovs-vswitchd',
      ...played,
      account,
      differences,
    };
  } finally {
    for (const stop of stops) await stop();
    await cluster.close();
  }
}

/** A fault: an agent that deletes what it is about to install. */
async function loseFlows({ plan, ofctl, vswitches }: RealCluster): Promise<void> {
  for (const { node, bridges } of plan.nodes)
    for (const bridge of bridges) {
      const lines = bridge.flows.filter((flow) => !/^\s*(#|$)/.test(flow));
      const [switches, vswitch] = [ofctl.get(node), vswitches.get(node)];
      assert(switches !== undefined && vswitch !== undefined, `node ${node} runs`);
      await switches.run(bridge.name, 'del-flows');
      await switches.bundle(
        bridge.name,
        lines.map((flow) => `flow add ${flow}`),
      );
    }
}
