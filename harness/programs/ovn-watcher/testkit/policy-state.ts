/** What the northbound database holds of policies, by names that people know. */
import { dropOutGroup, keys, passGroup } from '../../../control/ovn-cni/names.js';
import type { Row } from '../../../ovs/ovsdb/ovsdb.js';
import type { Replica } from '../../../ovs/ovsdb/replica.js';
import { mapIn, setIn } from '../../ovn-cni/databases.js';

export interface PolicyState {
  /** Pods that take in everything. */
  readonly pass: readonly string[];
  /** Pods that send nothing but what is allowed; missing where Egress is not enforced. */
  readonly dropOut?: readonly string[];
  /** By policy, its pods and then its ACLs, with addresses in place of sets. */
  readonly policies: Readonly<Record<string, readonly string[]>>;
}

export const columns = {
  Logical_Switch_Port: ['external_ids'],
  Port_Group: ['name', 'ports', 'acls', 'external_ids'],
  ACL: ['match', 'direction'],
  Address_Set: ['name', 'addresses'],
};

export function policyState(replica: Replica): PolicyState {
  const groups = [...replica.rows('Port_Group').values()];
  const out = groups.find(({ name }) => name === dropOutGroup);
  const own = groups.flatMap((row) => {
    const policy = mapIn(row, 'external_ids').get(keys.policy);
    return policy === undefined ? [] : [[policy, described(row, replica)] as const];
  });
  return {
    pass: podsOf(
      groups.find(({ name }) => name === passGroup),
      replica,
    ),
    ...(out === undefined ? {} : { dropOut: podsOf(out, replica) }),
    policies: Object.fromEntries(own.sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}

/** Waits until it is as wanted: that is a matter of conditions, never of time. */
export async function untilPolicies(replica: Replica, wanted: PolicyState): Promise<void> {
  await replica.until('the policies to be as wanted', 60_000, (held) => {
    const seen = JSON.stringify(policyState(held));
    return seen === JSON.stringify(wanted) ? [] : [`seen ${seen}, not ${JSON.stringify(wanted)}`];
  });
}

function podsOf(group: Row | undefined, replica: Replica): readonly string[] {
  const ports = replica.rows('Logical_Switch_Port');
  return setIn(group, 'ports')
    .map((one) => mapIn(ports.get(uuidText(one)), 'external_ids').get(keys.pod) ?? '?')
    .sort();
}

function described(group: Row, replica: Replica): readonly string[] {
  const acls = setIn(group, 'acls').map((one) => {
    const row = replica.rows('ACL').get(uuidText(one));
    return `${String(row?.['direction'])} ${withAddresses(String(row?.['match']), replica)}`;
  });
  const name = String(group['name']);
  return [
    podsOf(group, replica).join(' '),
    ...acls.map((one) => one.replaceAll(`@${name}`, '@own')).sort(),
  ];
}

function withAddresses(match: string, replica: Replica): string {
  const sets = [...replica.rows('Address_Set').values()];
  return match.replaceAll(/\$(\w+)/g, (_, name: string) => {
    const row = sets.find((one) => one['name'] === name);
    return `{${setIn(row, 'addresses').map(String).sort().join(' ')}}`;
  });
}

function uuidText(value: unknown): string {
  return Array.isArray(value) ? String(value[1]) : '';
}
