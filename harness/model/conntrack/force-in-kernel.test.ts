// Goal: in the kernel a packet turns a connection round by force only where it was tracked in this
// zone, or in none. Method: the same packet with each of what may have been said of it before;
// frozen cases of the fuzzer hold it to a kernel.
import t from 'tap';
import { ctStateBits } from '../../openflow/match/fields.js';
import { behaviourOf } from '../behaviour.js';
import { withHeededForce } from './force-in-kernel.js';
import type { TrackedPacket } from './protocols/tracked-packet.js';
import type { CtRequest, Tracked } from './tracked.js';

const asked = { zone: 1, commits: 'by force' } as unknown as CtRequest;
const [other, error] = ['other', 'error'].map((kind) => ({ kind }) as unknown as TrackedPacket);
const said = (zone: number, state: number): Tracked => ({ zone, state, isReply: false });
const { trk, est, inv } = ctStateBits;

void t.test('by force', (t) => {
  for (const [name, packet, before, commits] of [
    ['untracked', other, undefined, 'by force'],
    ['tracked here', other, said(1, trk | est), 'by force'],
    ['tracked in another zone', other, said(2, trk | est), 'new connections'],
    ['invalid', other, said(1, trk | inv), 'new connections'],
    ['an error', error, undefined, 'new connections'],
    ['an error that was tracked', error, said(1, trk | est), 'new connections'],
  ] as const) {
    const heeded = (version: Parameters<typeof behaviourOf>[0]) =>
      withHeededForce(asked, packet as TrackedPacket, before, behaviourOf(version)).commits;
    t.equal(heeded([3, 5, 'in the kernel']), commits, name);
    t.equal(heeded([3, 5]), 'by force', `${name}, in ovs-vswitchd`);
  }
  t.end();
});
