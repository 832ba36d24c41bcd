/** Faults for ovn-kubernetes/network-policy: in the ACL that lets the front in to the database. */
import type { NorthboundRow } from '../domain/plan/northbound-plan.js';
import type { Fault } from './fault.js';

type RowFault = Extract<Fault, { kind: 'northbound' }>;

const changed = (name: string, columns: NorthboundRow['columns']): RowFault => ({
  kind: 'northbound',
  name,
  aspect: 'intent',
  row: ({ id }) => id === 'ACL shop/db-takes-front Ingress 0',
  change: (row) => ({ ...row, columns: { ...row.columns, ...columns } }),
});

export const aclFaults: readonly RowFault[] = [
  changed('an ACL of the wrong direction', { direction: 'from-lport' }),
  changed('an ACL that drops what it should let in', { action: 'drop' }),
];
