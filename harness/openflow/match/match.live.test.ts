/**
 * Goal: the text of a match and of what stands beside it is Open vSwitch's, to the letter, in every
 * form that ovs-ofctl prints. Method: any matches and attributes go into a real switch in one
 * bundle; every dump of them is compared with ours, and printing what was read of it gives it back.
 * SEED=n for other flows than those of the last run.
 */
import fc from 'fast-check';
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { anyAttributes, anyMatch, tunnelOptions } from '../testkit/arbitrary-match.js';
import { fields } from './fields.js';
import { parseDump, printDumpedFlow, printFlow, printFlowKey, type Flow } from '../flows/flow.js';
import { noNames, type Form } from '../syntax/form.js';

const count = 800;
const seed = Number(process.env.SEED ?? 1);
const anyFlow: fc.Arbitrary<Flow> = fc
  .tuple(
    fc.integer({ min: 0, max: 253 }),
    fc.oneof(fc.constant(0x8000), fc.integer({ min: 0, max: 0xffff })),
    anyMatch,
    anyAttributes,
  )
  .map(([table, priority, match, attributes]) => ({
    table,
    priority,
    match,
    actions: [],
    ...attributes,
  }));
const [flows = []] = fc.sample(
  fc.uniqueArray(anyFlow, {
    selector: printFlowKey,
    minLength: count,
    maxLength: count,
    size: 'max',
  }),
  { seed, numRuns: 1 },
);

const ports = [
  { name: 'p1', ofport: 1 },
  { name: 'antrea-gw0', ofport: 2 },
  { name: 'a"b', ofport: 3 },
].map((port) => ({ kind: 'endpoint' as const, ...port }));
const numbers = { ...noNames, tunnelOptions };
const names = {
  ...numbers,
  ports: new Map([
    ...ports.map(({ name, ofport }) => [name, ofport] as const),
    ['br0', 0xfffe] as const,
  ]),
};

const forms: readonly (readonly [options: readonly string[], form: Form])[] = (
  ['OpenFlow10', 'OpenFlow13', 'OpenFlow15'] as const
).flatMap((protocol) => [
  [['-O', protocol, '--no-names'], { protocol, ...numbers }] as const,
  [['-O', protocol, '--names'], { protocol, ...names }] as const,
]);

for (const suite of ['bookworm', 'trixie', 'sid']) {
  void t.test(
    `${count} matches of seed ${seed} come back from ${suite} as they are printed`,
    async (t) => {
      const image = await openImage(suite, (line) => t.comment(line));
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
      const options = [...tunnelOptions].map(
        ([index, option]) =>
          `{class=${option.class},type=${option.type},len=${option.bytes}}->tun_metadata${index}`,
      );
      await sim.ofctl('n1', 'br0', 'add-tlv-map', options.join(','));
      await sim.bundle(
        'n1',
        'br0',
        flows.map((flow) => `flow add ${printFlow(flow)}`),
      );

      const dump = async (...arguments_: readonly string[]) =>
        (await sim.ofctl('n1', 'br0', 'dump-flows', ...arguments_))
          .split('\n')
          .filter((line) => line !== '');
      for (const [options, form] of forms) {
        const lines = (await dump(...options, '--no-stats'))
          .map((line) => line.trim())
          .filter((line) => !/^(NXST|OFPST)_FLOW/.test(line));
        t.strictSame(
          lines.sort(),
          flows.map((flow) => printDumpedFlow({ flow }, form)).sort(),
          `dump-flows ${options.join(' ')} --no-stats`,
        );
        const counted = await dump(...options);
        t.strictSame(
          parseDump(counted.join('\n'), 'dump', form).map(
            (dumped) => ` ${printDumpedFlow(dumped, form)}`,
          ),
          counted.filter((line) => line.startsWith(' ')),
          `dump-flows ${options.join(' ')}`,
        );
      }
      const unmatched = fields.filter(
        (row) =>
          row.inFlows &&
          !row.isView &&
          !flows.some(({ match }) => match.some(({ field }) => field === row)),
      );
      t.ok(
        unmatched.every(({ name }) => /^(reg(1[6-9]|[23]\d)|tun_metadata\d+)$/.test(name)),
        `every field is matched: ${unmatched.map(({ name }) => name).join(', ')}`,
      );
    },
  );
}
