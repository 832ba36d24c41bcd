/** Faults for contrail/isolation, in what is compiled for the first hypervisor. */
import { matches, withValue } from './fault-changes.js';
import type { Fault } from './fault.js';

export const contrailFaults: readonly Fault[] = [
  {
    kind: 'compiler',
    name: 'two tenants bridged: what a container of red sends counts as blue',
    aspect: 'intent',
    flow: (flow) =>
      flow.table === 0 &&
      matches(flow, 'nw_src') &&
      flow.actions.some((action) => action.kind === 'set' && action.value === 201n),
    change: (flow) => withValue(flow, 'reg0', () => 101n),
  },
  {
    kind: 'compiler',
    name: 'an extension that opens too early: what comes from an adapter that waits gets on',
    aspect: 'intent',
    flow: (flow) => flow.table === 0 && flow.priority === 0,
    change: (flow) => ({ ...flow, actions: [{ kind: 'output', port: firstContainer }] }),
  },
];

/** The port of the first container of each hypervisor. */
const firstContainer = 10;
