import type { Import } from './imports.js';

const belowRun = [
  'harness/base',
  'harness/domain',
  'harness/packet',
  'harness/openflow',
  'harness/model',
  'harness/fabric',
  'harness/kube',
  'harness/intent',
  'harness/control',
  'harness/compare',
  'harness/ovs',
  'harness/testbeds',
];

/**
 * Which rooms each room may import from, itself aside; `types of` a room: its types alone. A folder
 * without a row is a complaint, so that a new one is given its place here. Arrows point one way: no
 * room may import, through others, from itself.
 */
export const layers: Readonly<Record<string, readonly string[]>> = {
  'harness/base': [],
  'harness/domain': ['harness/base'],
  'harness/packet': ['harness/base', 'harness/domain'],
  'harness/openflow': ['harness/base', 'harness/domain', 'harness/packet'],
  'harness/model': ['harness/base', 'harness/domain', 'harness/packet', 'harness/openflow'],
  'harness/fabric': ['harness/base', 'harness/domain', 'harness/packet'],
  'harness/kube': ['harness/base', 'harness/domain'],
  'harness/intent': [
    'harness/base',
    'harness/domain',
    'types of harness/kube',
    'types of topologies',
  ],
  'harness/control': [
    'harness/base',
    'harness/domain',
    'harness/kube',
    'harness/openflow',
    'harness/intent',
    'topologies',
  ],
  'harness/vectors': ['harness/base', 'harness/domain'],
  'harness/compare': [
    'harness/base',
    'harness/domain',
    'harness/packet',
    'harness/openflow',
    'harness/model',
  ],
  'harness/ovs': ['harness/base', 'harness/domain', 'harness/openflow'],
  'harness/ovn': ['harness/base', 'harness/domain', 'harness/openflow', 'harness/ovs'],
  'harness/programs': ['harness/base', 'harness/ovs', 'harness/kube', 'harness/control'],
  'harness/testbeds': [
    'harness/base',
    'harness/domain',
    'harness/packet',
    'harness/openflow',
    'harness/model',
    'harness/fabric',
    'harness/ovs',
    'harness/ovn',
  ],
  'harness/containerlab': ['harness/base'],
  'harness/dumps': ['harness/base', 'harness/domain', 'harness/openflow'],
  'harness/lockstep': [
    'harness/base',
    'harness/domain',
    'harness/packet',
    'harness/openflow',
    'harness/model',
    'harness/fabric',
    'harness/compare',
    'harness/testbeds',
  ],
  'harness/run': [...belowRun, 'harness/lockstep', 'harness/vectors'],
  'harness/trace': [
    'harness/base',
    'harness/domain',
    'harness/packet',
    'harness/openflow',
    'harness/model',
    'harness/compare',
    'harness/testbeds',
    'harness/dumps',
    'harness/lockstep',
    'harness/run',
  ],
  'harness/fuzz': [
    'harness/base',
    'harness/domain',
    'harness/packet',
    'harness/openflow',
    'harness/model',
    'harness/compare',
    'harness/ovs',
    'harness/testbeds',
    'harness/lockstep',
    'harness/run',
    'harness/search',
    'harness/dumps',
    'harness/trace',
  ],
  'harness/openflow-conformance': [
    'harness/base',
    'harness/domain',
    'harness/packet',
    'harness/openflow',
    'harness/compare',
    'harness/ovs',
    'harness/testbeds',
    'harness/lockstep',
  ],
  'harness/explain': [
    'harness/base',
    'harness/domain',
    'harness/packet',
    'harness/model',
    'harness/compare',
    'harness/testbeds',
    'harness/lockstep',
    'harness/run',
  ],
  'harness/conformance': ['harness/base', 'harness/domain', 'harness/run'],
  'harness/history': ['harness/base', 'harness/domain', 'harness/ovs', 'harness/run'],
  'harness/nightly': ['harness/base'],
  'harness/search': ['harness/base', 'harness/domain', 'types of harness/kube'],
  'harness/selftest': [
    ...belowRun,
    'harness/vectors',
    'harness/run',
    'harness/dumps',
    'harness/trace',
  ],
  'dev/testing': ['harness/base'],
  'dev/tidiness': [],
  'dev/limits': ['dev/tidiness', 'harness/trace'],
  // What scenarios may use.
  'harness/index.ts': [
    'harness/domain',
    'harness/kube',
    'harness/intent',
    'harness/control',
    'harness/vectors',
  ],
  topologies: ['harness/base', 'harness/domain', 'harness/kube'],
  scenarios: ['harness/index.ts', 'topologies'],
  reports: [
    'harness/base',
    'harness/domain',
    'harness/packet',
    'harness/compare',
    'harness/explain',
    'types of harness/run',
    'types of harness/trace',
    'types of harness/openflow-conformance',
    'harness/fuzz',
    'harness/history',
    'types of harness/conformance',
  ],
  images: ['harness/base', 'harness/ovs'],
  bench: [
    ...belowRun,
    'harness/dumps',
    'harness/trace',
    'harness/run',
    'topologies',
    'scenarios',
    'images',
  ],
  'harness/cli': [
    'harness/base',
    'harness/domain',
    'harness/kube',
    'harness/packet',
    'harness/ovs',
    'harness/testbeds',
    'harness/run',
    'harness/explain',
    'harness/dumps',
    'harness/trace',
    'harness/openflow-conformance',
    'harness/fuzz',
    'harness/control',
    'harness/selftest',
    'harness/history',
    'harness/conformance',
    'harness/nightly',
    'harness/search',
    'dev/testing',
    'dev/tidiness',
    'topologies',
    'scenarios',
    'reports',
    'images',
  ],
};

/**
 * What tests may import beside what their room may: scenarios and networks to test on, and a real
 * Open vSwitch.
 */
const forTests = ['harness/base', 'scenarios', 'topologies', 'images'];

/** What `*.live.test.ts` may import beside that: the switches that they hold their room to. */
const forLiveTests = [...forTests, 'harness/ovs', 'harness/testbeds'];

/**
 * A folder, or a file that stands between folders: `harness/model`, `topologies`,
 * `harness/index.ts`.
 */
export function roomOf(path: string): string {
  return /^(harness|dev)\//.test(path)
    ? path.split('/', 2).join('/')
    : (path.split('/')[0] ?? path);
}

/** The imports that `layers` does not allow, one line each. */
export function importViolations(imports: readonly Import[]): readonly string[] {
  return imports.flatMap(({ place, from, to, kind }) => {
    const [room, target] = [roomOf(from), roomOf(to)];
    const allowed = layers[room];
    if (allowed === undefined)
      return [`${place}: the folder ${room} has no row in dev/tidiness/layers.ts`];
    const fine =
      room === target ||
      allowed.includes(target) ||
      (kind === 'type' && allowed.includes(`types of ${target}`)) ||
      testsMayImport(from).includes(target);
    return fine
      ? []
      : [
          `${place}: ${room} must not import ${to}; it may import ` +
            (allowed.join(', ') || 'nothing'),
        ];
  });
}

function testsMayImport(from: string): readonly string[] {
  if (from.endsWith('.live.test.ts')) return forLiveTests;
  return from.endsWith('.test.ts') ? forTests : [];
}
