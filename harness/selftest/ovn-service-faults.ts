/** Faults for ovn-kubernetes/services in one zone: in the rows of load balancers and routers. */
import type { Fault } from './fault.js';

type RowFault = Extract<Fault, { kind: 'northbound' }>;

const web = ({ id }: { readonly id: string }) =>
  id === 'load balancer Service_default/web_TCP_cluster';

const faults: readonly Pick<RowFault, 'name' | 'row' | 'change'>[] = [
  {
    name: 'an endpoint that a load balancer leaves out',
    row: web,
    change: (row) => withVips(row, '10.10.1.3:8080'),
  },
  {
    name: 'an endpoint with the port of another one',
    row: web,
    change: (row) => withVips(row, '10.10.1.3:8080,10.10.2.3:8080'),
  },
  {
    name: 'a gateway router that leaves clients their address',
    row: ({ id }) => id === 'router GR_n1',
    change: (row) => {
      const options = row.columns['options'];
      if (typeof options !== 'object' || !('map' in options)) return row;
      const { lb_force_snat_ip: _, ...others } = options.map;
      return { ...row, columns: { ...row.columns, options: { map: others } } };
    },
  },
];

function withVips(row: Parameters<RowFault['change']>[0], endpoints: string): typeof row {
  return { ...row, columns: { ...row.columns, vips: { map: { '10.96.0.10:80': endpoints } } } };
}

export const ovnServiceFaults: readonly RowFault[] = faults.map((fault) => ({
  ...fault,
  kind: 'northbound',
  aspect: 'intent',
}));
