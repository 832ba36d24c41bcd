/**
 * Faults in the source of Contrail's plugin, which the scenarios of contrail run. Packets meet what
 * the plugin has left, and what it has left is compared at the four places that know of it.
 */
import type { Fault } from './fault.js';

const plugin = (module: string, from: string, to: string) =>
  ({
    kind: 'program source',
    aspect: 'intent',
    mutation: { module: `/contrail-cnm/plugin/${module}.js`, from, to },
  }) as const;

/** The three parts of a removal: port, endpoint, what the controller has. */
const partsOfRemoval = 'allOf\\((\\[[\\s\\S]*?\\n {4}\\])\\)';

/** For contrail/containers, where a removal holds once the port is deleted. */
export const contrailRemovalFaults: readonly Fault[] = [
  {
    name: 'the plugin deletes the endpoint before its port',
    ...plugin(
      'endpoint',
      partsOfRemoval,
      'allOf((([port, endpoint, others]) => [endpoint, port, others])($1))',
    ),
    found: /behind "port deleted" of new: HNS has no more of it$/,
  },
  {
    name: 'the plugin deletes what the controller has before all else',
    ...plugin(
      'endpoint',
      partsOfRemoval,
      'allOf((([port, endpoint, others]) => [others, port, endpoint])($1))',
    ),
    found: /behind "port deleted" of new: the controller has no more of it$/,
  },
  {
    name: 'the plugin deletes the virtual-machine-interface before its instance-ip is unbound',
    ...plugin(
      'endpoint',
      "for \\(const address of bound\\)\\s+await controller\\.bind\\('DELETE'[^;]+;",
      '',
    ),
    found: /left over|instance-ip/,
  },
];

/** For contrail/missed-calls. */
export const contrailMissedFaults: readonly Fault[] = [
  {
    name: 'the plugin does not compare with the engine',
    ...plugin('call', 'await compareWithEngine\\(context\\);', ''),
    found: /is left over|instance-ips/,
  },
  {
    name: 'the plugin does not add missing ports again',
    ...plugin('recover', '\\(\\) => addMissingPorts\\(context, living\\),', ''),
    found: /the agent on h2: .* is missing$/,
  },
  {
    name: 'the address of what the engine has forgotten stays',
    ...plugin('recover', 'for \\(const \\{ uuid \\} of held\\)\\s+await [^;]+;', ''),
    found: /instance-ips at the controller/,
  },
];

/** For contrail/crashes. */
export const contrailCrashFaults: readonly Fault[] = [
  {
    name: 'the journal does not say what has begun',
    ...plugin('journal', 'append\\(\\{ begin: id, call \\}\\);', ''),
    found: /left over|instance-ips/,
  },
  {
    name: 'the plugin does not recover when it starts',
    ...plugin('serve-plugin', 'await plugin\\.recover\\(\\)[^;]*;', ''),
    found: /left over|instance-ips/,
  },
];
