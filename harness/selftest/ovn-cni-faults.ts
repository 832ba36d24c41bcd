/**
 * Faults for ovn-cni: what the plugin or its watcher could do wrong. Programs get other input than
 * planned, or one more writes what they would have written; OVN compiles it, model and switch
 * agree, and only intent knows better.
 */
import {
  addressKey,
  dropGroup,
  keys,
  owner,
  priorities,
  released,
} from '../control/ovn-cni/names.js';
import type { ProgramCall } from '../domain/plan/northbound-plan.js';
import { map, set } from '../ovs/ovsdb/ovsdb-value.js';
import type { Operation, Value } from '../ovs/ovsdb/ovsdb.js';
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

/** For ovn-cni/races, where a pod is deleted behind a policy that lets it in. */
export const ovnCniDeletionFaults: readonly Fault[] = [
  {
    kind: 'programs',
    name: 'a port that stays after DEL has given its address away',
    aspect: 'intent',
    change: (calls) =>
      calls.flatMap((call): readonly ProgramCall[] => {
        if (call.what === 'ADD of old.shop' && call.undo !== undefined)
          return [{ ...call, undo: dying(call.undo) }];
        return call.what === 'ADD of thief.shop' ? [givesAway('n1', '10.10.1.3'), call] : [call];
      }),
  },
];

/** DEL that has taken the port from the bridge, and no more. */
function dying(call: Omit<ProgramCall, 'undo'>): Omit<ProgramCall, 'undo'> {
  return { ...call, env: { ...call.env, OVN_CNI_DIES_AFTER: 'unplugged' }, dies: true };
}

/** The address of a node's switch is free again, and that is all. */
function givesAway(node: string, ip: string): ProgramCall {
  const change = (mutator: 'delete' | 'insert', value: Value): Operation => ({
    op: 'mutate',
    table: 'Logical_Switch',
    where: [['name', '==', node]],
    mutations: [['external_ids', mutator, value]],
  });
  return transaction(node, [
    change('delete', set([addressKey(ip)])),
    change('insert', map({ [addressKey(ip)]: released })),
  ]);
}

type Change = Extract<Fault, { readonly kind: 'programs' }>['change'];

/** One more program runs, behind all others. */
function written(operation: Operation): Change {
  return (calls) => [...calls, transaction(calls[0]?.node ?? '', [operation])];
}

function transaction(node: string, operations: readonly Operation[]): ProgramCall {
  return {
    what: 'the fault',
    node,
    program: 'ovsdb-transact',
    args: ['{northbound}', 'OVN_Northbound'],
    env: {},
    stdin: JSON.stringify(operations),
  };
}

/** The watcher reads other objects than there are. */
function watching(change: (text: string) => string): Change {
  return (calls) =>
    calls.map(
      (call): ProgramCall =>
        call.program === 'ovn-watcher' ? { ...call, stdin: change(call.stdin) } : call,
    );
}
