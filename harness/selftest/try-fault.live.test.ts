/**
 * Goal: every planted fault is caught where it was planted; and the self-test itself can fail: a
 * fault that changes nothing is unnoticed, one that is expected elsewhere misplaced. Method: each
 * fault into switches of its own, with the vectors of the first node's first pods, which every
 * fault concerns.
 */
import { fieldOf, tableOf } from '../domain/location.js';
import t from 'tap';
import { openImage } from '../../images/images.js';
import encap from '../../scenarios/antrea/encap.js';
import type { TestVector } from '../domain/test-vector.js';
import { aspects } from '../domain/verdict.js';
import type { Flow } from '../openflow/flows/flow.js';
import { antreaFaults } from './faults.js';
import type { Fault } from './fault.js';
import { tryFault } from './try-fault.js';
import type { FaultResult } from './judge-fault.js';

const image = await openImage('trixie', (line) => t.comment(line));
const ids = [
  'ping/p1/p2',
  'ping/p1/p4',
  'udp/p4/p1',
  'ping/n1/p4',
  'arp/p1/n2',
  'spoof-ip/p1',
  'spoof-mac/p1',
  'ping/p2/p3',
];

async function attemptFault(
  fault: Fault,
  only: (vector: TestVector) => boolean = ({ id }) => ids.includes(id),
): Promise<FaultResult> {
  return await tryFault(encap, { nodes: '2', tunnel: 'geneve' }, fault, {
    image,
    sim: {},
    nowMs: () => 0,
    only,
  });
}

/** What a result says, for people who read a failure. */
function inWords(result: FaultResult): string {
  if (result.kind === 'unnoticed') return `unnoticed: ${result.why}`;
  if (!('finding' in result)) return `${result.kind} by ${result.first}: ${result.cause}`;
  const { at, summary } = result.finding;
  return (
    `${result.kind} by ${result.first}: ` +
    (at === undefined
      ? 'nowhere'
      : `table ${tableOf(at)?.table} of ${tableOf(at)?.bridge}, field ${fieldOf(at).join()}`) +
    ': ' +
    summary
  );
}

for (const fault of antreaFaults) {
  void t.test(fault.name, async (t) => {
    const result = await attemptFault(fault);
    t.match(inWords(result), expected(fault));
    const between = fault.kind === 'compiler' ? 'intent and switch' : 'model and switch';
    if (fault.kind !== 'no cache') t.match(result, { finding: { between } });
  });
}

function expected(fault: Fault): RegExp {
  if (fault.kind === 'no cache') return /^caught by ping\/p1\/p2: .* the cached path was not seen$/;
  if (fault.kind === 'program')
    return /^caught by the flows themselves: nowhere: br-int on n1: table=105,/;
  return new RegExp(
    `^caught by .*: table ${fault.table ?? '\\d+'} of ${fault.bridge ?? 'br-int'}, field ` +
      (fault.field ?? ''),
  );
}

void t.test('every aspect has a fault that shows in it', (t) => {
  t.strictSame(
    aspects.filter((aspect) => !antreaFaults.some((fault) => fault.aspect === aspect)),
    ['packet-ins', 'ovn-trace'],
    'no controller listens here, and OVN programs nothing: packet-ins.live.test.ts and ' +
      'logical-check.live.test.ts of harness/run plant those',
  );
  t.end();
});

void t.test('the self-test can fail', async (t) => {
  const [route, , , wrongTunnel] = antreaFaults;
  if (route?.kind !== 'switch' || wrongTunnel?.kind !== 'switch')
    return t.fail('the faults are others');
  t.equal(
    inWords(
      await attemptFault({ ...route, name: 'nothing is changed', change: (flow: Flow) => flow }),
    ),
    'unnoticed: the run conforms',
  );
  t.equal(
    inWords(await attemptFault(route, ({ id }) => id === 'ping/p1/p2')),
    'unnoticed: no vector diverged',
    'no vector meets it: the flows at the end alone show it',
  );
  t.match(
    inWords(await attemptFault({ ...route, table: 80 })),
    /^misplaced by ping\/p1\/p4: table 70 of br-int/,
  );
  t.match(inWords(await attemptFault({ ...route, bridge: 'br-phys' })), /^misplaced /);
  t.match(
    inWords(await attemptFault({ ...wrongTunnel, field: 'eth_src' })),
    /^misplaced .*field tun_dst/,
  );
  t.match(inWords(await attemptFault({ ...wrongTunnel, aspect: 'macs' })), /^misplaced /);
  t.equal(
    inWords(await attemptFault({ ...route, kind: 'program', change: (flow: Flow) => flow })),
    'unnoticed: the run conforms',
  );
  return undefined;
});
