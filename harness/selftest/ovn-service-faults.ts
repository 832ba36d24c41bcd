/** Faults for ovn-kubernetes/services in one zone: in the rows of load balancers and routers. */
import type { Fault } from './fault.js';

type RowFault = Extract<Fault, { kind: 'northbound' }>;

const web = ({ id }: { readonly id: string }) =>
  id === 'load balancer Service_default/web_TCP_cluster';

/** No endpoint of the Service is on n1, and its externalTrafficPolicy is Local. */
const nearFromOutside = ({ id }: { readonly id: string }) =>
  id === 'load balancer Service_default/near_TCP_node_router_n1';

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
  {
    name: 'a gateway router that forgets externalTrafficPolicy: Local',
    row: nearFromOutside,
    change: (row) => withVips(row, '10.10.2.3:80', '172.30.0.1:30081'),
  },
  {
    name: 'a gateway router that rejects what it drops',
    row: nearFromOutside,
    change: (row) => {
      const options = row.columns['options'];
      if (typeof options !== 'object' || !('map' in options)) return row;
      const map = { ...options.map, reject: 'true' };
      return { ...row, columns: { ...row.columns, options: { map } } };
    },
  },
];

function withVips(
  row: Parameters<RowFault['change']>[0],
  endpoints: string,
  vip = '10.96.0.10:80',
): typeof row {
  return { ...row, columns: { ...row.columns, vips: { map: { [vip]: endpoints } } } };
}

export const ovnServiceFaults: readonly RowFault[] = faults.map((fault) => ({
  ...fault,
  kind: 'northbound',
  aspect: 'intent',
}));
