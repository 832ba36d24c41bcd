// Goal: the Windows design's walkthroughs of ClusterIPs, every arrow with its addresses, for each
// place that an endpoint may be in. Method: L0's word against the design's own pictures, written
// out.
import t from 'tap';
import { windowsServices } from '../../../../topologies/antrea/windows-services.js';
import type { Crossing } from '../../../domain/intent.js';
import { antreaIntent } from '../antrea-intent.js';

function pathOf(mode: 'encap' | 'noEncap', from: string, to: string): readonly string[] {
  const intent = antreaIntent(windowsServices(mode, 'linux'), { kind: 'tcp', from, to, port: 80 });
  if (intent.kind !== 'round-trip') return [intent.kind];
  const arrow = ({ direction, port, src, dst }: Crossing) => `${direction} ${port} ${src}>${dst}`;
  return [
    `${intent.to} from ${intent.source}`,
    ...(intent.path ?? []).flatMap(({ crossings }) => crossings.map(arrow)),
  ];
}

void t.test(
  'host -> antrea-gw0 -> OVS pipeline -> antrea-gw0 -> host NetNat -> br-int -> OVS pipeline ' +
    '-> peer node, and back',
  async (t) => {
    for (const [service, endpoint, name] of [
      ['10.96.0.13', '172.30.0.2', 'n2'],
      ['10.96.0.14', '172.30.255.1', 'x1'],
    ] as const) {
      t.same(pathOf('encap', 'n1', service), [
        `${name} from 172.30.0.1`,
        `in antrea-gw0 10.10.1.1>${service}`,
        `out antrea-gw0 169.254.0.253>${endpoint}`,
        `in br-int 172.30.0.1>${endpoint}`,
        `out Ethernet0 172.30.0.1>${endpoint}`,
        `in Ethernet0 ${endpoint}>172.30.0.1`,
        `out br-int ${endpoint}>172.30.0.1`,
        `in antrea-gw0 ${endpoint}>169.254.0.253`,
        `out antrea-gw0 ${service}>10.10.1.1`,
      ]);
      t.same(pathOf('encap', 'client', service), [
        `${name} from 172.30.0.1`,
        `out antrea-gw0 10.10.1.2>${endpoint}`,
        `in br-int 172.30.0.1>${endpoint}`,
        `out Ethernet0 172.30.0.1>${endpoint}`,
        `in Ethernet0 ${endpoint}>172.30.0.1`,
        `out br-int ${endpoint}>172.30.0.1`,
        `in antrea-gw0 ${endpoint}>10.10.1.2`,
      ]);
    }
  },
);

void t.test('endpoints in the cluster CIDR: inside the pipeline', async (t) => {
  t.same(pathOf('encap', 'client', '10.96.0.11'), ['web1 from 10.10.1.2']);
  t.same(pathOf('encap', 'n1', '10.96.0.11'), [
    'web1 from 10.10.1.1',
    'in antrea-gw0 10.10.1.1>10.96.0.11',
    'out antrea-gw0 10.96.0.11>10.10.1.1',
  ]);
  t.same(pathOf('encap', 'client', '10.96.0.12'), [
    'web2 from 10.10.1.2',
    'out Ethernet0 172.30.0.1>172.30.0.2',
    'in Ethernet0 172.30.0.2>172.30.0.1',
  ]);
  t.same(pathOf('noEncap', 'n1', '10.96.0.12'), [
    'web2 from 10.10.1.1',
    'in antrea-gw0 10.10.1.1>10.96.0.12',
    'out Ethernet0 10.10.1.1>10.10.2.2',
    'in Ethernet0 10.10.2.2>10.10.1.1',
    'out antrea-gw0 10.96.0.12>10.10.1.1',
  ]);
});
