/**
 * Goal: where a thousand others are starting, a daemon that takes more than ten seconds to begin is
 * waited for, and so is ovs-ofctl. Method: programs that begin after eleven seconds; a frame
 * through the switch that has come up so.
 */
import t from 'tap';
import { openImage } from '../../../images/images.js';
import type { Image, Program } from '../../ovs/process/image.js';
import { openSim } from './sim.js';

const image = await openImage('trixie', (line) => t.comment(line));

const lateOnes = new Set<Program>(['ovs-vswitchd', 'ovs-ofctl']);
const late: Image = {
  ...image,
  command: (program) =>
    lateOnes.has(program)
      ? ['sh', '-c', 'sleep 11; exec "$@"', program, ...image.command(program)]
      : image.command(program),
};

void t.test('programs that begin after eleven seconds', async (t) => {
  const ports = ['p1', 'p2'].map(
    (name, index) => ({ kind: 'endpoint', name, ofport: index + 1 }) as const,
  );
  const flows = ['in_port=p1 actions=output:p2'];
  const bridge = { name: 'br0', mac: '02:00:00:00:00:fe', ports, flows };
  const plan = { nodes: [{ node: 'n1', bridges: [bridge], hosts: [] }] };
  const sim = await openSim(plan, late);
  t.teardown(() => sim.close());
  const frames = [Uint8Array.from({ length: 64 }, (_, index) => index)];
  const [step] = await sim.call([{ kind: 'receive', node: 'n1', port: 'p1', frames }]);
  t.strictSame(step?.outputs, [{ port: 'p2', frame: frames[0] }]);
});
