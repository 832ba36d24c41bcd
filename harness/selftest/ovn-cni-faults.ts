/**
 * Faults for ovn-cni: what the plugin or its watcher could do wrong. Programs get other input than
 * planned, or one more writes what they would have written; OVN compiles it, model and switch
 * agree, and only intent knows better.
 */
import { dropGroup, keys, owner, priorities } from '../control/ovn-cni/names.js';
import type { ProgramCall } from '../domain/plan/northbound-plan.js';
import { map, set } from '../ovs/ovsdb/ovsdb-value.js';
import type { Operation } from '../ovs/ovsdb/ovsdb.js';
import type { Fault } from './fault.js';

/** For ovn-cni/lifecycle, where nothing is let in. */
export const ovnCniPortFaults: readonly Fault[] = [
  {
    kind: 'programs',
    name: 'a port that is up before it is under the drop ACL',
    aspect: 'intent',
    change: written({
      op: 'update',
      table: 'Port_Group',
      where: [['name', '==', dropGroup]],
      row: { ports: set([]) },
    }),
  },
];

/** For ovn-cni/policies. */
export const ovnCniPolicyFaults: readonly Fault[] = [
  {
    kind: 'programs',
    name: "a policy's ACLs have the direction of what is sent",
    aspect: 'intent',
    change: written({
      op: 'update',
      table: 'ACL',
      where: [['priority', '==', priorities.policy]],
      row: { direction: 'from-lport' },
    }),
  },
  {
    kind: 'programs',
    name: 'an address is given to another while policies let in who had it',
    aspect: 'intent',
    change: written({
      op: 'mutate',
      table: 'Address_Set',
      where: [['external_ids', 'includes', map({ [keys.owner]: owner })]],
      mutations: [['addresses', 'insert', set(['10.10.2.4'])]],
    }),
  },
  {
    kind: 'programs',
    name: 'a selector of pods ignores the namespace of its policy',
    aspect: 'intent',
    change: watching((text) =>
      text.replaceAll('{"podSelector":{"matchLabels":{"tier":"front"}}}', (peer) =>
        peer.replace('{', '{"namespaceSelector":{},'),
      ),
    ),
  },
  {
    kind: 'programs',
    name: 'the watcher has missed that a policy was created',
    aspect: 'intent',
    change: watching((text) => {
      const { items, ...list } = JSON.parse(text) as {
        readonly items: readonly { readonly metadata: { readonly name: string } }[];
      };
      const seen = items.filter(({ metadata }) => metadata.name !== 'front-is-public');
      return JSON.stringify({ ...list, items: seen });
    }),
  },
];

type Change = Extract<Fault, { readonly kind: 'programs' }>['change'];

/** One more program runs, behind all others. */
function written(operation: Operation): Change {
  return (calls) => [
    ...calls,
    {
      what: 'the fault',
      node: calls[0]?.node ?? '',
      program: 'ovsdb-transact',
      args: ['{northbound}', 'OVN_Northbound'],
      env: {},
      stdin: JSON.stringify([operation]),
    },
  ];
}

/** The watcher reads other objects than there are. */
function watching(change: (text: string) => string): Change {
  return (calls) =>
    calls.map(
      (call): ProgramCall =>
        call.program === 'ovn-watcher' ? { ...call, stdin: change(call.stdin) } : call,
    );
}
