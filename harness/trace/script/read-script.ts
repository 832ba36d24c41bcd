/**
 * Scripts as people write them: a command a line, most of them called as those of ovs-ofctl,
 * ovs-appctl and ovs-dpctl are.
 */
import { part, span } from '../../openflow/syntax/text.js';
import type { TextSource } from '../../dumps/text-source.js';
import { bridgeCalled } from '../packet-stimulus.js';
import type { DumpedSwitch } from '../../dumps/dumped-switch.js';
import { portsIn } from '../../dumps/ports-in.js';
import { withPorts, type PortPlace } from '../../dumps/find-port.js';
import { readConnections, readMacs } from '../../dumps/initial-state.js';
import type { InitialState, Script, ScriptStep } from './script.js';
import { readCommands } from './read-commands.js';

export interface InitialStateSources {
  /** `dpctl/dump-conntrack`, and `fdb/show` of one bridge each. */
  readonly connections?: TextSource;
  readonly macs: readonly { readonly bridge: string; readonly source: TextSource }[];
}

/**
 * Reads a script for the switch `into`, and what that remembers when it begins.
 * @throws InputError with file, line and column for what is no command, or no flow, group, port,
 *   time, zone.
 */
export function readScript(
  { text, file }: TextSource,
  target: DumpedSwitch,
  initialState: InitialStateSources = { macs: [] },
): Script {
  const steps = text.split('\n').flatMap((line, index): readonly ScriptStep[] => {
    const at = part(span(line.replace(/(^|\s)#.*/, ''), { file, line: index + 1 }), 0);
    return at.text === ''
      ? []
      : readCommands(at, target).map(({ name, command }) => ({
          file,
          line: index + 1,
          text: name === '' ? at.text : `${at.text} (${name})`,
          command,
        }));
  });
  const named = withPorts(
    target,
    steps.flatMap((step) => portsOf(step, target)),
  );
  return { steps, target: named, initialState: readInitialState(initialState, named) };
}

/** @throws InputError with file and line. */
export function readInitialState(
  { connections, macs }: InitialStateSources,
  { plan }: DumpedSwitch,
): InitialState {
  return {
    connections: connections === undefined ? [] : readConnections(connections),
    macs: macs.flatMap(({ bridge, source }) => readMacs(source, bridgeCalled(plan, bridge))),
  };
}

/** The ports that a step is about; a flow or group may send where no other has sent before. */
function portsOf(
  { command }: ScriptStep,
  { plan, unlisted }: DumpedSwitch,
): readonly { readonly bridge: string; readonly ofport: number }[] {
  if (command.kind === 'inject') return [command.stimulus];
  if (command.kind === 'segment') return [command.connection.opener, command.connection.answerer];
  if (command.kind === 'dump') return [];
  const { call: made } = command;
  if (made.kind === 'change')
    return unlisted.has(made.bridge)
      ? portsIn(made.lines).map((ofport) => ({ bridge: made.bridge, ofport }))
      : [];
  if (made.kind !== 'link' || !/^\d+$/.test(made.port)) return [];
  const [bridge]: readonly PortPlace['bridge'][] = plan.bridges;
  return bridge === undefined || !unlisted.has(bridge.name)
    ? []
    : [{ bridge: bridge.name, ofport: Number(made.port) }];
}
