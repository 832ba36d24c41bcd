/**
 * Goal: whom tunnels do not know is asked for by the step that leads to it, and never by a later
 * one: when what is known changes, the switch looks its cache through and asks again. Method: real
 * switches, and the same steps again and again: what comes out of each is the same each time.
 * SUITE=trixie for one version.
 */
import t from 'tap';
import { openImage } from '../../../../images/images.js';
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import { arpOperations, encodeArp } from '../../../packet/protocols/link/arp.js';
import { encodeEthernet, etherTypes } from '../../../packet/protocols/link/ethernet.js';
import { openSim } from '../sim.js';

const own = { ip: '172.30.0.1', mac: '02:00:00:00:01:01' };
const known = { ip: '172.30.0.2', mac: '02:00:00:00:02:01' };
const asked = { ip: '172.30.0.9', mac: '02:00:00:00:09:01' };
const never = { ip: '172.30.0.8' };

const node: NodePlan = {
  node: 'n1',
  hosts: [],
  bridges: [
    {
      name: 'br-int',
      mac: '02:00:00:00:01:fe',
      ports: [
        { kind: 'endpoint', name: 'p1', ofport: 1 },
        { kind: 'endpoint', name: 'p2', ofport: 2 },
        {
          kind: 'tunnel',
          name: 'tun',
          ofport: 3,
          tunnel: 'geneve',
          options: { remote_ip: 'flow', key: 'flow' },
        },
      ],
      flows: [
        `in_port=1 actions=set_field:${asked.ip}->tun_dst,output:3`,
        `in_port=2 actions=set_field:${never.ip}->tun_dst,output:3`,
      ],
    },
    {
      name: 'br-phys',
      mac: own.mac,
      ports: [{ kind: 'uplink', name: 'up', ofport: 1, mac: own.mac }],
      flows: ['in_port=1 actions=output:LOCAL', 'in_port=LOCAL actions=output:1'],
      underlay: { ip: own.ip, prefixLength: 24, neighbours: [known] },
    },
  ],
};

const frame = encodeEthernet(
  { src: '0a:00:00:00:00:01', dst: '0a:00:00:00:00:02', etherType: etherTypes.ipv4 },
  new Uint8Array(46),
);
const answer = encodeEthernet(
  { src: asked.mac, dst: own.mac, etherType: etherTypes.arp },
  encodeArp({ op: arpOperations.reply, sha: asked.mac, spa: asked.ip, tha: own.mac, tpa: own.ip }),
);

/**
 * Who never answers is asked for once more when another is; the newest version does so at the
 * earliest a second later.
 */
const again = {
  at: ['up', 'up', 'br-phys,up', 'up', ''],
  later: ['up', 'up', 'br-phys', 'up', 'up'],
};

for (const suite of (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',')) {
  void t.test(`${suite} asks when it is to`, async (t) => {
    const sim = await openSim({ nodes: [node] }, await openImage(suite, (line) => t.comment(line)));
    t.teardown(() => sim.close());
    const outOf = async (
      call:
        | {
            readonly kind: 'receive';
            readonly port: string;
            readonly frames: readonly Uint8Array[];
          }
        | { readonly kind: 'advance'; readonly ms: number },
    ) => {
      const [step] = await sim.call([{ ...call, node: 'n1' }]);
      return step?.outputs.map(({ port }) => port).join();
    };
    const into = (port: string, sent: Uint8Array) =>
      outOf({ kind: 'receive', port, frames: [sent] });
    for (let round = 1; round <= 25; round++) {
      await sim.reset();
      const outputs = [
        await into('p2', frame),
        await into('p1', frame),
        await into('up', answer),
        await into('p1', frame),
        await outOf({ kind: 'advance', ms: 3000 }),
      ];
      await sim.counts();
      t.strictSame(outputs, suite === 'sid' ? again.later : again.at, `round ${round}`);
    }
  });
}
