/** `flowbed guests`: real guests, one of which migrates. */
import { openGuestImage } from '../../../images/guest/guest-image.js';
import { openImage } from '../../../images/images.js';
import { unknownName } from '../../base/errors/errors.js';
import { judgeMigration } from '../../guests/judge/judge-migration.js';
import { migrateGuest } from '../../guests/migrate-guest.js';
import { guestFaults, type GuestFault } from '../../guests/planted-faults.js';
import { printMigration } from '../../guests/print-migration.js';
import { exitCodes, type Context } from '../context.js';

export interface GuestsOptions {
  readonly image: string;
  readonly plant?: string;
  readonly json?: boolean;
}

/** @returns the exit code. */
export async function guests(context: Context, options: GuestsOptions): Promise<number> {
  const { say, teardown } = context;
  const fault = options.plant === undefined ? undefined : faultNamed(options.plant);
  const image = await openImage(options.image, say);
  const guestImage = await openGuestImage(say);
  const { record, versions } = await migrateGuest({
    ...{ image, guestImage, teardown, say },
    ...(fault === undefined ? {} : { fault }),
  });
  const report = judgeMigration(record);
  const { verdict } = report;
  if (options.json === true) {
    const { moments } = record;
    context.print(JSON.stringify({ schema: 1, image: image.name, versions, moments, ...report }));
  } else {
    for (const line of printMigration(record, report)) context.print(line);
    context.print(`verdict   ${verdict}`);
  }
  return exitCodes[verdict];
}

function faultNamed(name: string): GuestFault {
  const names = Object.keys(guestFaults) as GuestFault[];
  const found = names.find((one) => one === name);
  if (found === undefined) throw unknownName('fault', name, names);
  return found;
}
