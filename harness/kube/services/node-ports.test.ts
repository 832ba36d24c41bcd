// Goal: nodes have the ports that Services ask for, or else ones of their own; what the API server
// would refuse is refused with its place. Method: manifests, read as a cluster.
import t from 'tap';
import { readCluster } from '../../../topologies/kubernetes.js';
import { clusterIpsOf } from './service-endpoints.js';

const node = 'apiVersion: v1\nkind: Node\nmetadata: { name: n1 }\n';
const service = (name: string, spec: string, status = '') =>
  `---\napiVersion: v1\nkind: Service\nmetadata: { name: ${name} }\nspec: { ${spec} }\n${status}`;
const read = (...services: readonly string[]) =>
  readCluster([{ file: 'services.yaml', text: [node, ...services].join('') }], {
    name: 'services',
  });
const ports = (...services: readonly string[]) =>
  clusterIpsOf(read(...services)).map(({ nodePort }) => nodePort);

void t.test('ports', async (t) => {
  t.same(
    ports(
      service(
        'a',
        'type: NodePort, ports: [{ port: 1, name: a }, { port: 2, name: b, protocol: UDP }]',
      ),
      service('b', 'type: NodePort, ports: [{ port: 1, nodePort: 30000 }]'),
      service('c', 'type: LoadBalancer, ports: [{ port: 1 }]'),
    ),
    [30_001, 30_000, 30_000, 30_002],
  );
  t.same(
    ports(
      service('a', 'ports: [{ port: 1 }]'),
      service(
        'b',
        'type: LoadBalancer, allocateLoadBalancerNodePorts: false, ports: [{ port: 1 }]',
      ),
    ),
    [undefined, undefined],
  );
});

void t.test('addresses from outside', async (t) => {
  const status =
    'status: { loadBalancer: { ingress: [{ ip: 192.0.2.1 }, { hostname: example.org }] } }\n';
  t.match(
    clusterIpsOf(
      read(
        service(
          'a',
          'type: LoadBalancer, externalTrafficPolicy: Local, ports: [{ port: 1 }], ' +
            'externalIPs: [192.0.2.9]',
          status,
        ),
      ),
    ),
    [{ loadBalancerIps: ['192.0.2.1'], externalIps: ['192.0.2.9'], externalTraffic: 'Local' }],
  );
  t.match(
    clusterIpsOf(read(service('a', 'type: NodePort, ports: [{ port: 1 }]', status))),
    [{ loadBalancerIps: [], externalIps: [], externalTraffic: 'Cluster' }],
    'a load balancer is for its own type alone',
  );
});

void t.test('mistakes', async (t) => {
  const mistakes: readonly (readonly [message: RegExp, ...services: readonly string[]])[] = [
    [
      /services\.yaml:8:\d+: spec\.ports\[0\]\.nodePort: nodes have no port for a Service of type ClusterIP: make it NodePort or LoadBalancer/,
      service('a', 'ports: [{ port: 1, nodePort: 30000 }]'),
    ],
    [
      /services\.yaml:8:\d+: spec\.ports\[0\]\.nodePort: expected a port from 30000 to 32767, got 80/,
      service('a', 'type: NodePort, ports: [{ port: 1, nodePort: 80 }]'),
    ],
    [
      /services\.yaml:13:\d+: spec\.ports\[0\]\.nodePort: TCP port 30000 of nodes is already taken by Service default\/a/,
      service('a', 'type: NodePort, ports: [{ port: 1, nodePort: 30000 }]'),
      service('b', 'type: NodePort, ports: [{ port: 1, nodePort: 30000 }]'),
    ],
    [
      /services\.yaml:8:\d+: spec\.externalTrafficPolicy: nothing comes from outside to a Service of type ClusterIP/,
      service('a', 'externalTrafficPolicy: Local, ports: [{ port: 1 }]'),
    ],
    [
      /services\.yaml:8:\d+: spec\.externalTrafficPolicy: expected Cluster or Local, got "local"/,
      service('a', 'type: NodePort, externalTrafficPolicy: local, ports: [{ port: 1 }]'),
    ],
    [
      /services\.yaml:8:\d+: spec\.internalTrafficPolicy: expected Cluster or Local, got "local"/,
      service('a', 'internalTrafficPolicy: local, ports: [{ port: 1 }]'),
    ],
    [
      /services\.yaml:8:\d+: spec\.loadBalancerSourceRanges: no ranges are served here/,
      service(
        'a',
        'type: LoadBalancer, loadBalancerSourceRanges: [10.0.0.0/8], ports: [{ port: 1 }]',
      ),
    ],
    [
      /services\.yaml:8:\d+: spec\.externalIPs\[0\]: .*192\.0\.2/,
      service('a', 'externalIPs: [192.0.2], ports: [{ port: 1 }]'),
    ],
    [
      /services\.yaml:8:\d+: spec\.externalIPs\[0\]: 10\.96\.0\.77 is in the cluster's own 10\.96\.0\.0\/12: expected an address from outside of it/,
      service('a', 'externalIPs: [10.96.0.77], ports: [{ port: 1 }]'),
    ],
    [
      /services\.yaml:9:\d+: status\.loadBalancer\.ingress\[0\]\.ip: 10\.10\.1\.9 is in the cluster's own 10\.10\.1\.0\/24: expected an address from outside of it/,
      service(
        'a',
        'type: LoadBalancer, ports: [{ port: 1 }]',
        'status: { loadBalancer: { ingress: [{ ip: 10.10.1.9 }] } }\n',
      ),
    ],
    [
      /services\.yaml:9:\d+: status\.loadBalancer\.ingress\[0\]\.ipMode: only VIP is served here, got "Proxy"/,
      service(
        'a',
        'type: LoadBalancer, ports: [{ port: 1 }]',
        'status: { loadBalancer: { ingress: [{ ip: 192.0.2.1, ipMode: Proxy }] } }\n',
      ),
    ],
  ];
  for (const [message, ...services] of mistakes)
    t.throws(() => read(...services), { name: 'InputError', message });
});
