/** What a node's switches remember, from the answers of ovs-vswitchd. */
import { Unavailable } from '../../../base/errors/errors.js';
import type { BridgePlan } from '../../../domain/plan/bridge-plan.js';
import type { LearnedMac, MulticastPort, TrackedConnection } from '../../../domain/switch-state.js';

/** Reads `dpctl/dump-conntrack -m -s`. @throws Unavailable for a line that is none of its. */
export function parseConnections(node: string, text: string): readonly TrackedConnection[] {
  return linesOf(text).map((line) => {
    const [, protocol, original, reply, rest] =
      /^(\w+),orig=\(([^)]*)\),reply=\(([^)]*)\),(.*)$/.exec(line) ?? [];
    const timeout = /(?:^|,)timeout=(\d+)/.exec(rest ?? '')?.[1];
    if (
      protocol === undefined ||
      original === undefined ||
      reply === undefined ||
      rest === undefined ||
      timeout === undefined
    ) {
      throw new Unavailable(
        `ovs-vswitchd of node ${node} prints a connection in an unknown form: "${line}"`,
      );
    }
    const number = (name: string) =>
      Number(new RegExp(`(?:^|,)${name}=(\\d+)`).exec(rest)?.[1] ?? 0);
    const progress = /protoinfo=\(([^)]*)\)/.exec(rest)?.[1] ?? '';
    const helper = /(?:^|,)helper=(\w+)/.exec(rest)?.[1];
    const parent = /(?:^|,)parent=\(([^)]*)\)/.exec(rest)?.[1];
    const label = /(?:^|,)labels=(0x[\da-f]+)/.exec(rest)?.[1];
    return {
      node,
      zone: number('zone'),
      protocol,
      original,
      reply,
      mark: number('mark'),
      ...(label === undefined ? {} : { label }),
      progress,
      ...(helper === undefined ? {} : { helper }),
      ...(parent === undefined ? {} : { parent }),
      timeoutS: Number(timeout),
    };
  });
}

/** Reads `fdb/show BRIDGE`. @throws Unavailable for a line that is none of its. */
export function parseMacs(node: string, bridge: BridgePlan, text: string): readonly LearnedMac[] {
  return linesOf(text)
    .slice(1)
    .map((line) => {
      const [, port, vlan, mac] = /^\s*(\S+)\s+(\d+)\s+([0-9a-f:]{17})\s/.exec(`${line} `) ?? [];
      if (port === undefined || mac === undefined)
        throw new Unavailable(
          `ovs-vswitchd of node ${node} prints a learned address in a form that is not ` +
            `known: "${line}"`,
        );
      return { node, bridge: bridge.name, port: nameOf(bridge, port), vlan: Number(vlan), mac };
    });
}

/**
 * Reads `mdb/show BRIDGE`; the protocol, which versions from 3.2 on print, is left out. @throws
 * Unavailable for a line that is none of its.
 */
export function parseMulticast(
  node: string,
  bridge: BridgePlan,
  text: string,
): readonly MulticastPort[] {
  return linesOf(text)
    .slice(1)
    .map((line) => {
      const [, port, vlan, group, age] =
        /^\s*(\S+)\s+(\d+)\s+(?:\S+\s+)??(querier|[0-9a-f:.]+)\s+(\d+)\s*$/.exec(line) ?? [];
      if (port === undefined || group === undefined)
        throw new Unavailable(
          `ovs-vswitchd of node ${node} prints a multicast group in a form that is ` +
            `not known: "${line}"`,
        );
      return {
        node,
        bridge: bridge.name,
        port: nameOf(bridge, port),
        vlan: Number(vlan),
        group,
        ageS: Number(age),
      };
    });
}

/** Of a port that is printed as its OpenFlow number. */
function nameOf(bridge: BridgePlan, port: string): string {
  return port === 'LOCAL'
    ? bridge.name
    : (bridge.ports.find(({ ofport }) => String(ofport) === port)?.name ?? port);
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}
