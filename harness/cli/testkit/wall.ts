/** The scenario of docs/scenarios.md as files, for tests of commands. */
export const wallFiles = {
  'network.yaml': `name: one-node
nodes:
  - name: n1
    pods: [p1, p2, { name: p3, ip: 10.10.1.4 }]
`,
  'wall.flows': `priority=100,ip,nw_src=10.10.1.4 actions=drop
priority=100,ip,nw_dst=10.10.1.4 actions=drop
priority=0 actions=NORMAL
`,
  'wall.ts': `import { readFileSync } from 'node:fs';
import { antrea, defineScenario, intentOf, staticFlows, vectors } from 'flowbed';
import { readAntreaTopology } from 'flowbed/topologies/antrea/yaml';

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');

export default defineScenario({
  name: 'mine/wall',
  title: 'A learning switch that lets no packet of p3 through',
  axes: {},
  topology: () => readAntreaTopology(read('network.yaml'), 'network.yaml'),
  controlPlane: staticFlows(antrea('0.8'), [
    { bridge: 'br-int', text: read('wall.flows'), file: 'wall.flows' },
  ]),
  vectors: (topology) => vectors.podToPod(topology).slice(0, 4),
  intent: (topology, stimulus, promises) =>
    stimulus.from === 'p3' || ('to' in stimulus && stimulus.to === '10.10.1.4')
      ? { kind: 'denied', why: 'p3 is behind a wall' }
      : intentOf(topology, stimulus, promises),
});
`,
} as const;

/** It keeps p1 from p2: a promise is broken. */
export const flowTooMany = 'priority=200,ip,nw_src=10.10.1.2,nw_dst=10.10.1.3 actions=drop\n';

/** It lets through what was let through before: only counters change. */
export const flowBeside = 'priority=200,ip,nw_src=10.10.1.2,nw_dst=10.10.1.3 actions=NORMAL\n';

/** The scenario with p1 to p2 alone, by ping and by a connection that may come late. */
export const patientWall = wallFiles['wall.ts']
  .replace(
    'vectors.podToPod(topology).slice(0, 4)',
    '[...vectors.podToPod(topology), ...vectors.podToPodTcp(topology)].filter(({ id }) => ' +
      "id.endsWith('/p1/p2'))",
  )
  .replace(
    ': intentOf(topology, stimulus, promises)',
    ": { ...intentOf(topology, stimulus, promises), transmission: 'any' }",
  );
