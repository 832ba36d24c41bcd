// Goal: Services have the addresses that they ask for, or else one of their own; what the API
// server would refuse is refused with its place. Method: manifests, read as a cluster.
import t from 'tap';
import { readCluster } from '../../../topologies/kubernetes.js';

const node = 'apiVersion: v1\nkind: Node\nmetadata: { name: n1 }\n';
const service = (name: string, spec: string) =>
  `---\napiVersion: v1\nkind: Service\nmetadata: { name: ${name} }\nspec: { ${spec} }\n`;
const read = (...services: readonly string[]) =>
  readCluster([{ file: 'services.yaml', text: [node, ...services].join('') }], {
    name: 'services',
  });
const addresses = (...services: readonly string[]) =>
  read(...services).objects.services.map(({ spec }) => spec.clusterIP);

void t.test('addresses', async (t) => {
  t.same(
    addresses(
      service('a', 'ports: [{ port: 1 }]'),
      service('b', 'clusterIP: 10.96.0.3'),
      service('c', ''),
      service('d', 'clusterIP: ""'),
    ),
    ['10.96.0.2', '10.96.0.3', '10.96.0.4', '10.96.0.5'],
  );
  t.same(
    addresses(
      service('a', 'clusterIP: None'),
      service('b', 'type: ExternalName'),
      service('c', 'type: NodePort'),
    ),
    ['None', undefined, '10.96.0.2'],
  );
});

void t.test('mistakes', async (t) => {
  const mistakes: readonly (readonly [message: RegExp, ...services: readonly string[]])[] = [
    [
      /services\.yaml:8:20: spec\.clusterIP: 10\.10\.0\.3 is no address of Services: these are in 10\.96\.0\.0\/12/,
      service('a', 'clusterIP: 10.10.0.3'),
    ],
    [
      /services\.yaml:13:20: spec\.clusterIP: 10\.96\.0\.3 is already taken by Service default\/a/,
      service('a', 'clusterIP: 10.96.0.3'),
      service('b', 'clusterIP: 10.96.0.3'),
    ],
    [
      /services\.yaml:8:\d+: spec\.ports\[1\]: one of several ports needs a name/,
      service('a', 'ports: [{ port: 1, name: x }, { port: 2 }]'),
    ],
    [
      /services\.yaml:8:\d+: spec\.ports\[1\]\.name: another port is called "x"/,
      service('a', 'ports: [{ port: 1, name: x }, { port: 2, name: x }]'),
    ],
    [
      /services\.yaml:8:\d+: spec\.ports\[1\]\.port: TCP port 1 is there already/,
      service('a', 'ports: [{ port: 1, name: x }, { port: 1, name: y }]'),
    ],
  ];
  for (const [message, ...services] of mistakes)
    t.throws(() => read(...services), { name: 'InputError', message });
  t.doesNotThrow(() =>
    read(service('a', 'ports: [{ port: 1, name: x }, { port: 1, name: y, protocol: UDP }]')),
  );
});
