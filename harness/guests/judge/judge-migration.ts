/** A migration of real guests, held to what is promised: L0 alone, for time is real. */
import type { Lease } from '../../domain/observation.js';
import type { MigrationRecord } from '../migration-record.js';
import type { PortAt, SeenFrame } from '../live-network.js';
import { compareWithModel, kindsFrom, type Kind, type ModelComparison } from './announcements.js';
import { accountForConnection, type ConnectionAccount } from './connection.js';
import { echoIn, segmentIn } from './packets.js';
import { accountForPings, echoedSince, type PingAccount } from './pings.js';

export interface MigrationReport {
  readonly verdict: 'conforms' | 'diverges';
  readonly pings: {
    readonly sent: number;
    readonly answered: number;
    /** Those without an answer, in the order in which they were sent. */
    readonly lost: readonly PingAccount[];
    /** From the last answer before the first of them to the first one behind, in milliseconds. */
    readonly silenceMs: number;
  };
  readonly connection: ConnectionAccount;
  /** What the guest has sent on the target since it runs there. */
  readonly onTarget: readonly Kind[];
  readonly model: ModelComparison;
  readonly differences: readonly string[];
}

export function judgeMigration(record: MigrationRecord): MigrationReport {
  const { seen, clientPort, machine, source, target, moments } = record;
  const ip = addressOf(record.machine.interfaces);
  const pings = accountForPings(seen, clientPort, ip, source, target);
  const connection = accountForConnection(seen, clientPort, ip);
  const model = compareWithModel(seen, machine, [
    { place: source, fromMs: -Infinity, untilMs: moments['the migration is asked for'] },
    {
      place: target,
      fromMs: moments['the guest runs on the target'],
      untilMs: moments['the source is gone'],
    },
  ]);
  const differences = [
    ...leaseDifferences(record.promisedLease, record.lease),
    ...pingDifferences(record, pings),
    ...connectionDifferences(connection),
    ...(echoedSince(seen, clientPort, ip, moments['KubeVirt says so, and OVN has programmed it'])
      ? []
      : ['no data came back by the connection since KubeVirt has said so']),
    ...framesElsewhere(record),
    ...model.differences,
    ...(model.alike > 0 ? [] : ["the fabric's guest was held to no answer"]),
  ];
  return {
    verdict: differences.length === 0 ? 'conforms' : 'diverges',
    pings: {
      sent: pings.length,
      answered: pings.filter(({ answeredMs }) => answeredMs !== undefined).length,
      lost: pings.filter(({ answeredMs }) => answeredMs === undefined),
      silenceMs: silenceOf(pings),
    },
    connection,
    onTarget: kindsFrom(seen, target, moments['the guest runs on the target']),
    model,
    differences,
  };
}

const addressOf = ([first]: MigrationRecord['machine']['interfaces']) => first?.ip ?? '';

/** The last requests may still be under way when it is over. */
const underWay = 3;

/**
 * What is sent while L0 promises an answer is answered, once. The last that went out before the
 * guest stopped may have come to it too late.
 */
function pingDifferences(
  { promises, moments }: MigrationRecord,
  pings: readonly PingAccount[],
): readonly string[] {
  const stoppedMs = moments['the guest stops on the source'];
  const askedMs = moments['the migration is asked for'];
  const lastBefore = pings.findLast(
    ({ sentMs, answeredMs }) => sentMs < stoppedMs && answeredMs !== undefined,
  );
  return pings.flatMap((ping, index) => {
    const { sentMs, answeredMs, answers, atSource, atTarget } = ping;
    const name = `the request that went out ${Math.round(sentMs - stoppedMs)} ms behind its stop`;
    const isPromised = promises.findLast(({ fromMs }) => fromMs <= sentMs)?.isPromised === true;
    const cameTooLate =
      sentMs >= askedMs && sentMs < stoppedMs && sentMs > (lastBefore?.sentMs ?? sentMs);
    const isOver = index < pings.length - underWay;
    return [
      ...(isPromised && answeredMs === undefined && isOver && !cameTooLate
        ? [`${name} has no answer, which is promised`]
        : []),
      ...(answers > 1 ? [`${name} was answered ${answers} times`] : []),
      ...(atSource + atTarget > 1
        ? [`${name} came to the source ${atSource} times, to the target ${atTarget} times`]
        : []),
    ];
  });
}

function silenceOf(pings: readonly PingAccount[]): number {
  const answered = pings.flatMap(({ answeredMs }) => answeredMs ?? []);
  return Math.max(0, ...answered.slice(1).map((at, index) => at - (answered[index] ?? at)));
}

function connectionDifferences({
  echoedBytes,
  wrongAt,
  resets,
  opened,
}: ConnectionAccount): readonly string[] {
  return [
    ...(opened === 1 ? [] : [`the client has opened ${opened} connections`]),
    ...(echoedBytes > 0 ? [] : ['no data came back by the connection']),
    ...(wrongAt === undefined ? [] : [`byte ${wrongAt} came back as another one`]),
    ...(resets === 0 ? [] : [`the connection was reset ${resets} times`]),
  ];
}

/** Nobody but the client and the machine gets what they say to each other. */
function framesElsewhere({
  seen,
  client,
  machine,
  clientPort,
  source,
  target,
}: MigrationRecord): readonly string[] {
  const [one, other] = [addressOf(client.interfaces), addressOf(machine.interfaces)];
  const isTheirs = (frame: SeenFrame) => {
    const packet = echoIn(frame) ?? segmentIn(frame);
    return (
      packet !== undefined && [one, other].includes(packet.src) && [one, other].includes(packet.dst)
    );
  };
  const isPlace = (frame: SeenFrame, { node, port }: PortAt) =>
    frame.node === node && frame.port === port;
  const elsewhere = seen.filter(
    (frame) =>
      frame.direction === 'from the switch' &&
      isTheirs(frame) &&
      ![clientPort, source, target].some((place) => isPlace(frame, place)),
  );
  const places = [...new Set(elsewhere.map(({ node, port }) => `${port} of ${node}`))];
  return places.map((place) => `what they say to each other came out of ${place}`);
}

/** By the names of udhcpc(8). */
const leaseNames: Readonly<Record<string, (lease: Lease) => string>> = {
  ip: ({ ip }) => ip,
  router: ({ router }) => router,
  serverid: ({ server }) => server,
  lease: ({ seconds }) => String(seconds),
  dns: ({ dnsServer }) => dnsServer,
  hostname: ({ hostname }) => hostname,
};

function leaseDifferences(promised: Lease, lines: readonly string[]): readonly string[] {
  const given = new Map(
    lines.map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
  return Object.entries(leaseNames).flatMap(([name, wanted]) => {
    const [is, should] = [given.get(name) ?? 'nothing', wanted(promised)];
    return is === should ? [] : [`of its lease ${name} is ${is}, and ${should} is promised`];
  });
}
