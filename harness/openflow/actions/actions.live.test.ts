/**
 * Goal: our text of actions is Open vSwitch's, to the letter, in the dumps of every version.
 * Method: any lists of actions go into real switches of three versions by ovs-ofctl in a bundle;
 * what each then dumps by OpenFlow 1.0, 1.3 and 1.5 is compared. And what the corpus says of those
 * that switches take and refuse is asked of them again. SEED=n draws other lists.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { openImage } from '../../../images/images.js';
import type { Image } from '../../ovs/process/image.js';
import { runProgram } from '../../ovs/process/run-program.js';
import { openSim } from '../../testbeds/sim/sim.js';
import type { Action } from './actions.js';
import { anyActionFlow, groupId, meterIds } from '../testkit/arbitrary-actions.js';
import { readCorpus } from '../testkit/read-corpus.js';
import { printDumpedFlow, printFlow, printFlowKey, type Flow } from '../flows/flow.js';
import { canonical, type Protocol } from '../syntax/form.js';

const protocols: readonly Protocol[] = ['OpenFlow10', 'OpenFlow13', 'OpenFlow15'];
const seed = Number(process.env['SEED'] ?? 1);

const count = 500;
const [flows = []] = fc.sample(
  fc.uniqueArray(anyActionFlow, {
    selector: printFlowKey,
    minLength: count,
    maxLength: count,
    size: 'max',
  }),
  { seed, numRuns: 1 },
);

interface Switch {
  readonly name: string;
  /** `ovs-ofctl -O PROTOCOL COMMAND BRIDGE ARGS…` */
  ofctl(
    protocol: Protocol,
    command: string,
    args: readonly string[],
    input?: string,
  ): Promise<{ readonly stdout: string; readonly failure: string | undefined }>;
}

async function openSwitch(t: Test, suite: 'bookworm' | 'trixie' | 'sid'): Promise<Switch> {
  const image: Image = await openImage(suite, (line) => t.comment(line));
  const ports = [1, 2].map((ofport) => ({ kind: 'endpoint', name: `p${ofport}`, ofport }) as const);
  const sim = await openSim(
    {
      nodes: [
        {
          node: 'n1',
          bridges: [{ name: 'br0', mac: '02:00:00:00:00:01', ports, flows: [] }],
          hosts: [],
        },
      ],
    },
    image,
  );
  t.teardown(() => sim.close());
  const target = `unix:${join(sim.dir, 'n1', 'br0.mgmt')}`;
  const opened: Switch = {
    name: suite,
    ofctl: (protocol, command, args, input) =>
      runProgram(
        image,
        'ovs-ofctl',
        ['-O', protocol, '--timeout=60', command, target, ...args],
        input,
      ),
  };
  await opened.ofctl('OpenFlow15', 'add-group', [`group_id=${groupId},type=all,bucket=output:1`]);
  for (const meter of meterIds)
    await opened.ofctl('OpenFlow15', 'add-meter', [`meter=${meter},kbps,band=type=drop,rate=1000`]);
  return opened;
}

async function dump(held: Switch, protocol: Protocol): Promise<readonly string[]> {
  const { stdout, failure } = await held.ofctl(protocol, 'dump-flows', [
    '--no-stats',
    '--no-names',
  ]);
  if (failure !== undefined) throw new Error(failure);
  return stdout
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/_FLOW reply/.test(line));
}

/** Whether 3.1 knows it, which has no numbers of samples from registers. */
function isOld(flow: Flow): boolean {
  const isNew = (action: Action): boolean =>
    (action.kind === 'sample' &&
      (typeof action.domain !== 'number' || typeof action.point !== 'number')) ||
    ((action.kind === 'clone' || action.kind === 'write_actions') && action.actions.some(isNew));
  return !flow.actions.some(isNew);
}

for (const suite of ['bookworm', 'trixie', 'sid'] as const) {
  void t.test(
    `${suite}: ${count} lists of actions of seed ${seed} come back as they are printed`,
    async (t) => {
      const held = await openSwitch(t, suite);
      const given = suite === 'bookworm' ? flows.filter(isOld) : flows;
      const { failure } = await held.ofctl(
        'OpenFlow15',
        'bundle',
        ['-'],
        given.map((flow) => `flow add ${printFlow(flow)}\n`).join(''),
      );
      t.equal(failure ?? '', '');
      for (const protocol of protocols)
        t.strictSame(
          (await dump(held, protocol)).toSorted(),
          given.map((flow) => printDumpedFlow({ flow }, { ...canonical, protocol })).sort(),
          protocol,
        );

      await held.ofctl('OpenFlow15', 'del-flows', []);
      const version = { bookworm: '3.1.0', trixie: '3.5.0', sid: '4.0.0' }[suite];
      const cases = readCorpus('actions', protocols).filter(
        ({ versions }) => versions.length === 0 || versions.includes(version),
      );
      const taken = cases
        .map((each, index) => ({ ...each, index }))
        .filter(
          ({ refused, printed }) =>
            !refused.has('OpenFlow15') &&
            protocols.every((by) => printed.get('OpenFlow15')?.has(by)),
        );
      const added = await held.ofctl(
        'OpenFlow15',
        'add-flows',
        ['-'],
        taken.map(({ input, index }) => `priority=${index + 1},${input}\n`).join(''),
      );
      t.equal(added.failure ?? '', '', 'the corpus');
      for (const protocol of protocols) {
        const found = new Map(
          (await dump(held, protocol)).map((line) => [
            Number(/priority=(\d+)/.exec(line)?.[1] ?? 32768),
            line.replace(/^.*?actions=/, ''),
          ]),
        );
        t.strictSame(
          taken.map(({ index }) => found.get(index + 1)),
          taken.map(({ printed }) => printed.get('OpenFlow15')?.get(protocol)),
          `the corpus by ${protocol}`,
        );
      }
      const takenNow: string[] = [];
      const refused = cases.filter((each) => each.refused.has('OpenFlow15'));
      const tryOthers = async (): Promise<void> => {
        for (let next = refused.pop(); next !== undefined; next = refused.pop())
          if ((await held.ofctl('OpenFlow15', 'add-flow', [next.input])).failure === undefined)
            takenNow.push(next.input);
      };
      await Promise.all(Array.from({ length: 8 }, tryOthers));
      t.strictSame(takenNow, [], 'what the corpus says is refused');
    },
  );
}
