// Goal: what does not come true, and what a database refuses, is inconclusive with the last lines
// of the logs of those it is about, and of nobody else. Method: daemons that have logs alone, and
// each kind of failure.
import t from 'tap';
import { InputError, Unavailable } from '../base/errors/errors.js';
import { refusedBy, withLogs } from './with-logs.js';

const logged = (node: string) => ({
  node,
  name: `ovn-controller of node ${node}`,
  logTail: () => Promise.resolve([`${node} claims nothing`]),
});
const northd = { ...logged(''), name: 'ovn-northd', logTail: () => Promise.resolve(['idle']) };
const failed = (error: Error) =>
  withLogs(Promise.reject(error), northd, [logged('n1'), logged('n12')]);

void t.test('a condition that does not come true', async (t) => {
  await t.rejects(failed(new Unavailable('gave up; p3 is bound at no chassis, not at n12')), {
    message: 'gave up; p3 is bound at no chassis, not at n12',
    evidence: ['ovn-northd:', 'idle', 'ovn-controller of node n12:', 'n12 claims nothing'],
  });
});

void t.test('what says more already stays as it is', async (t) => {
  const dead = new Unavailable('northd was ended by SIGKILL', [], ['its last line']);
  await t.rejects(failed(dead), dead);
  const old = new Unavailable('unsupported by OVN 1: it', ['take another']);
  await t.rejects(failed(old), old);
  const wrong = new InputError('two rows');
  await t.rejects(failed(wrong), wrong);
  t.equal(await withLogs(Promise.resolve(1), northd, []), 1);
});

void t.test('a database that refuses', async (t) => {
  await t.rejects(refusedBy(Promise.reject(new InputError('refuses it')), northd), {
    name: 'Unavailable',
    message: 'refuses it',
    evidence: ['ovn-northd:', 'idle'],
  });
  const gone = new Unavailable('gone');
  await t.rejects(refusedBy(Promise.reject(gone), northd), gone);
});
