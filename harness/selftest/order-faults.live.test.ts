/**
 * Goal: a wire that loses, doubles or reorders the frames of one port is caught, within one call
 * and from one call to another, and what is in order conforms. Method: a flow that sends every
 * packet of a pod out of one port twice, and TCP, whose sender sends twice in a row; wires that
 * harm what comes out.
 */
import t from 'tap';
import { openImage } from '../../images/images.js';
import encap from '../../scenarios/antrea/encap.js';
import { staticFlows } from '../control/static.js';
import type { Aspect } from '../domain/verdict.js';
import type { Scenario } from '../domain/scenario.js';
import type { SwitchStep } from '../domain/switching.js';
import { tryFault } from './try-fault.js';

type Output = SwitchStep['outputs'][number];

const image = await openImage('trixie', (line) => t.comment(line));

/** What p1 sends to p2 comes out of p2's port as it is, and once more with another TTL. */
const twice = `priority=0 actions=NORMAL
priority=9,ip,in_port=3 actions=set_field:0a:00:0a:0a:01:03->eth_dst,output:4,set_field:9->nw_ttl,output:4`;
const doubling: Scenario = {
  ...encap,
  controlPlane: staticFlows(encap.controlPlane, [
    { bridge: 'br-int', text: twice, file: 'twice.flows' },
  ]),
};

async function tried(
  scenario: Scenario,
  id: string,
  wire: (step: SwitchStep) => SwitchStep,
): Promise<string> {
  const fault = { kind: 'wire', name: 'on the wire', aspect: 'frames' as Aspect, wire } as const;
  const axes = { nodes: '2', tunnel: 'geneve' };
  const result = await tryFault(scenario, axes, fault, {
    image,
    sim: {},
    nowMs: () => 0,
    only: (vector) => vector.id === id,
  });
  if (result.kind === 'unnoticed') return `unnoticed: ${result.why}`;
  return 'finding' in result ? `${result.finding.aspect}: ${result.finding.summary}` : result.kind;
}

const outputs =
  (change: (all: readonly Output[]) => readonly Output[]) =>
  (step: SwitchStep): SwitchStep => ({ ...step, outputs: change(step.outputs) });

/** Where one packet comes out of one port twice. */
const pairs = (change: (pair: readonly Output[]) => readonly Output[]) =>
  outputs((all) =>
    all.length === 2 && all.every(({ port }) => port.startsWith('p2-')) ? change(all) : all,
  );

void t.test('frames of one port within one call', async (t) => {
  const harmed = (change: (pair: readonly Output[]) => readonly Output[]) =>
    tried(doubling, 'udp/p1/p2', pairs(change));
  t.notMatch(await harmed((pair) => pair), /^frames: /, 'model and switch agree');
  t.match(
    await harmed((pair) => pair.toReversed()),
    /^frames: a frame out of p2-\S+ on n1 at \d+ µs differs in ip\.ttl/,
  );
  t.match(
    await harmed((pair) => pair.slice(1)),
    /^frames: a frame out of p2-\S+ on n1 at \d+ µs differs in ip\.ttl/,
  );
  t.match(await harmed((pair) => pair.slice(0, 1)), /^frames: a frame is missing out of p2-/);
  t.match(
    await harmed((pair) => [...pair, ...pair.slice(1)]),
    /^frames: an unexpected frame went out of p2-/,
  );
});

void t.test('frames of one port from one call to another', async (t) => {
  const uplink = ({ port }: Output) => port === 'uplink';
  t.equal(
    await tried(
      encap,
      'tcp/p1/p4',
      outputs((all) => all),
    ),
    'unnoticed: the run conforms',
  );
  /** What comes out first, of the third call on, waits for what comes out next. */
  const held: Output[] = [];
  let seen = 0;
  const swapped = outputs((all) => {
    if (!all.some(uplink)) return all;
    if (++seen === 2) {
      held.push(...all.filter(uplink));
      return all.filter((output) => !uplink(output));
    }
    return [...all, ...held.splice(0)];
  });
  t.match(
    await tried(encap, 'tcp/p1/p4', swapped),
    /^frames: a frame (is missing|out of) .*uplink on n1/,
  );
  t.match(
    await tried(
      encap,
      'tcp/p1/p4',
      outputs((all) => all.filter((output) => !uplink(output))),
    ),
    /^frames: a frame is missing out of uplink on n1/,
  );
  t.match(
    await tried(
      encap,
      'tcp/p1/p4',
      outputs((all) => all.flatMap((output) => (uplink(output) ? [output, output] : [output]))),
    ),
    /^frames: an unexpected frame went out of uplink on n1/,
  );
});
