/** Faults for ovn-kubernetes/snat in a zone a node: in rows of the first one, n1's. */
import type { Fault } from './fault.js';

type RowFault = Extract<Fault, { kind: 'northbound' }>;

const faults: readonly Pick<RowFault, 'name' | 'row' | 'change'>[] = [
  {
    name: 'a policy in the wrong zone: that of a pod of the other one stands in its place',
    row: ({ id }) => id === 'policy EgressIP elsewhere of p1',
    change: (row) => ({ ...row, columns: { ...row.columns, match: 'ip4.src == 10.10.2.3' } }),
  },
  {
    name: 'a policy that leads to the gateway of its own node',
    row: ({ id }) => id === 'policy EgressIP elsewhere of p1',
    change: (row) => ({ ...row, columns: { ...row.columns, nexthops: { set: ['100.64.0.2'] } } }),
  },
  {
    name: 'a gateway router whose default route is forgotten',
    row: ({ id }) => id === 'router GR_n1',
    change: (row) => {
      const routes = row.columns['static_routes'];
      if (typeof routes !== 'object' || !('set' in routes)) return row;
      const others = routes.set.filter(
        (one) => typeof one !== 'object' || one.row !== 'default route of n1',
      );
      return { ...row, columns: { ...row.columns, static_routes: { set: others } } };
    },
  },
  {
    name: 'a default route to an address that nobody holds',
    row: ({ id }) => id === 'default route of n1',
    change: (row) => ({ ...row, columns: { ...row.columns, nexthop: '172.30.255.253' } }),
  },
];

export const egressIpFaults: readonly RowFault[] = faults.map((fault) => ({
  ...fault,
  kind: 'northbound',
  aspect: 'intent',
}));
