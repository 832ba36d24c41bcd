/** What people read of a migration of real guests. */
import type { MigrationRecord } from './migration-record.js';
import { momentNames } from './migration-record.js';
import type { MigrationReport } from './judge/judge-migration.js';
import type { PingAccount } from './judge/pings.js';

const shownDifferences = 10;

export function printMigration(
  { moments }: MigrationRecord,
  { verdict, pings, connection, onTarget, model, differences }: MigrationReport,
): readonly string[] {
  const stoppedMs = moments['the guest stops on the source'];
  const { sentBytes, echoedBytes, again, longestSilenceMs } = connection;
  return [
    `${verdict === 'conforms' ? '✔' : '✖'} a guest of QEMU migrates from n1 to n2`,
    ...momentNames.map(
      (name) => `    ${String(Math.round(moments[name] - stoppedMs)).padStart(7)} ms  ${name}`,
    ),
    `    pings         ${pings.sent} sent, ${pings.answered} answered; none for ` +
      `${Math.round(pings.silenceMs)} ms; lost: ${whereLost(pings.lost)}`,
    `    connection    ${sentBytes} bytes sent, ${echoedBytes} came back; ${again} segments sent ` +
      `again, silent for ${Math.round(longestSilenceMs)} ms`,
    `    on the target ${onTarget.map(({ kind, frames }) => `${frames} × ${kind}`).join(', ')}`,
    `    the fabric's guest answers ${model.alike} frames alike`,
    ...differences.slice(0, shownDifferences).map((difference) => `    ${difference}`),
    ...(differences.length > shownDifferences
      ? [`    and ${differences.length - shownDifferences} differences more`]
      : []),
  ];
}

function whereLost(lost: readonly PingAccount[]): string {
  if (lost.length === 0) return 'none';
  const places = lost.map(({ atSource, atTarget }) =>
    atTarget > 0 ? 'behind the target' : atSource > 0 ? 'behind the source' : 'on the way',
  );
  return [...new Set(places)]
    .map((place) => `${places.filter((one) => one === place).length} ${place}`)
    .join(', ');
}
