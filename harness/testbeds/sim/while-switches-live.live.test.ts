/**
 * Goal: a switch that ends while OVN comes up is named at once, with its last words and what to do.
 * Method: ovs-vswitchd of one node is killed as soon as ovn-northd has its log; the run ends long
 * before OVN gives up waiting.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import t from 'tap';
import { openImage } from '../../../images/images.js';
import first from '../../../scenarios/ovn/first.js';
import { Unavailable } from '../../base/errors/errors.js';
import { openSim } from './sim.js';

const temporary = await mkdtemp('/tmp/ended-');
process.env['TMPDIR'] = temporary;
t.teardown(() => rm(temporary, { recursive: true, force: true }));
const image = await openImage('trixie', (line) => t.comment(line));

function isNorthdThere(folder: string): boolean {
  return readdirSync(folder, { recursive: true }).some((file) =>
    String(file).endsWith('ovn-northd.log'),
  );
}

function pidOfVswitchd(): number | undefined {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => {
      const file = `/proc/${pid}/cmdline`;
      const words = existsSync(file) ? readFileSync(file, 'utf8') : '';
      return words.includes(temporary) && words.includes('ovs-vswitchd.ctl');
    });
}

void t.test('ovs-vswitchd is killed while OVN comes up', { timeout: 110_000 }, async (t) => {
  const opening = openSim(first.controlPlane.plan(first.topology({ nodes: '2' })), image);
  let isOver = false;
  const ended = opening.then(
    () => undefined,
    (error: unknown) => error,
  );
  void ended.then(() => (isOver = true));
  while (!isOver && !isNorthdThere(temporary)) await new Promise((turn) => setImmediate(turn));
  const pid = pidOfVswitchd();
  t.ok(pid !== undefined && !isOver, 'it runs while OVN comes up');
  if (pid !== undefined) process.kill(pid, 'SIGKILL');
  const error = await ended;
  t.ok(error instanceof Unavailable, 'no verdict');
  t.match(error, {
    message: /^ovs-vswitchd of node n\d was ended by SIGKILL/,
    remedies: [/dmesg/],
  });
});
