/**
 * Goal: what real programs write of a database is read, in every form and of every version, and
 * reports the bridges as they were planned. Method: a switch with patch ports, VLANs and a mirror;
 * ovsdb-client's dumps and backup, and conf.db itself.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { openImage } from '../../../images/images.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import { runProgram } from '../../ovs/process/run-program.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { bridgesOf } from './database-bridges.js';
import { readDatabase } from './read-database.js';

const mirrors = [
  {
    name: 'span',
    select: { sources: ['web-0'], destinations: [] },
    vlans: [5],
    output: { kind: 'port' as const, port: 'tr' },
  },
];
const multicastSnooping = {
  ageingS: 20,
  size: 30,
  unregistered: 'to routers' as const,
  flood: ['tr'],
  floodReports: ['web-0'],
};
const plan: NodePlan = {
  node: 'n1',
  hosts: [],
  bridges: [
    {
      name: 'br-int',
      mac: '02:00:00:00:00:01',
      flows: [],
      failMode: 'standalone',
      multicastSnooping,
      mirrors,
      ports: [
        {
          kind: 'endpoint',
          name: 'web-0',
          ofport: 3,
          vlan: { tag: 5, trunks: [], mode: 'access' },
        },
        { kind: 'endpoint', name: 'tr', ofport: 4, vlan: { trunks: [5, 6] } },
        { kind: 'patch', name: 'up', ofport: 7, peer: { bridge: 'br1', port: 'down' } },
      ],
    },
    {
      name: 'br1',
      mac: '02:00:00:00:00:02',
      flows: [],
      ports: [{ kind: 'patch', name: 'down', ofport: 9, peer: { bridge: 'br-int', port: 'up' } }],
    },
  ],
};

for (const suite of ['bookworm', 'trixie', 'sid']) {
  void t.test(`of ${suite}`, async (t) => {
    const image = await openImage(suite, (line) => t.comment(line));
    const sim = await openSim({ nodes: [plan] }, image);
    t.teardown(() => sim.close());
    const server = `unix:${join(sim.dir, 'n1/db.sock')}`;
    const written = await Promise.all(
      [
        ['dump', server],
        ['dump', '-f', 'json', server],
        ['backup', server],
      ].map(async (args) => (await runProgram(image, 'ovsdb-client', args)).stdout),
    );
    for (const [index, text] of [
      ...written,
      await readFile(join(sim.dir, 'n1/conf.db'), 'utf8'),
    ].entries()) {
      const bridges = bridgesOf(readDatabase({ text, file: 'db' }));
      const form = ['dump', 'dump -f json', 'backup', 'conf.db'][index] ?? '';
      t.match(
        [...(bridges.get('br-int')?.ports ?? [])].sort((a, b) => a.ofport - b.ofport),
        [
          { name: 'web-0', settings: { vlan: { tag: 5, trunks: [], mode: 'access' } } },
          { name: 'tr', settings: { vlan: { trunks: [5, 6] } } },
          { name: 'up', ofport: 7, peer: { bridge: 'br1', port: 'down' } },
        ],
        form,
      );
      t.match(
        bridges.get('br-int'),
        {
          mac: '02:00:00:00:00:01',
          settings: { failMode: 'standalone', multicastSnooping, mirrors },
          unknown: [],
        },
        form,
      );
      t.match(
        bridges.get('br1'),
        {
          mac: '02:00:00:00:00:02',
          settings: { failMode: 'secure', mirrors: [] },
          ports: [{ name: 'down', ofport: 9 }],
        },
        form,
      );
    }
  });
}
