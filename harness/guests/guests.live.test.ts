// Goal: a real guest keeps its address and its connection where it migrates, and what is done wrong
// is found. Method: two guests of QEMU on switches of the sim with OVN's own daemons; once as it is
// promised, and once with every frame for the target handed to the source as well.
import t from 'tap';
import { openGuestImage } from '../../images/guest/guest-image.js';
import { openImage } from '../../images/images.js';
import { createTeardown } from '../base/concurrency/teardown.js';
import { judgeMigration } from './judge/judge-migration.js';
import { migrateGuest } from './migrate-guest.js';
import type { GuestFault } from './planted-faults.js';

const limitMs = 15 * 60_000;

async function migrated(fault?: GuestFault) {
  const teardown = createTeardown();
  const options = { image: await openImage('trixie', t.comment), teardown, say: t.comment };
  const { record, versions } = await migrateGuest({
    ...options,
    guestImage: await openGuestImage(t.comment),
    ...(fault === undefined ? {} : { fault }),
  });
  await teardown.run();
  return { ...judgeMigration(record), versions };
}

void t.test('as it is promised', { timeout: limitMs }, async (t) => {
  const { verdict, differences, pings, onTarget, connection, versions } = await migrated();
  t.same(differences, []);
  t.equal(verdict, 'conforms');
  t.match(versions, { 'ovn-controller': /./, qemu: /./, linux: /cloud/ });
  t.ok(pings.silenceMs > 0 && pings.answered > 60);
  t.ok(connection.echoedBytes > 0);
  const kinds = onTarget.map(({ kind }) => kind);
  t.ok(kinds.includes('RARP of 0a:58:0a:0a:01:09'), 'QEMU announces it');
  t.ok(kinds.includes('ARP: an announcement of 10.10.1.9'), 'and so does the guest');
});

void t.test('what the target gets the source gets as well', { timeout: limitMs }, async (t) => {
  const { verdict, differences } = await migrated('delivered-twice');
  t.equal(verdict, 'diverges');
  t.match(differences.join('\n'), /came to the source 1 times, to the target 1 times/);
});
