/** Random northbound content for a small cluster, and what is sent through it, from a seed. */
import { randomFor } from '../../harness/base/random.js';
import type { Stimulus } from '../../harness/domain/test-vector.js';
import { podsOf, type Topology } from '../../harness/domain/topology.js';
import { ovnCluster } from '../ovn/ovn-cluster.js';
import type { OvnContent } from '../../harness/domain/plan/ovn-content.js';
import { drawAcls } from './draw-acls.js';
import { drawGateway } from './draw-nat.js';
import { drawRouting, drawLoadBalancers, drawDhcp } from './draw-ovn-services.js';
import { oneIn, pick, some, type OvnDrawing } from './ovn-drawing.js';

/** Two logical switches on a chassis each, a router between them, and four ports. */
export const contentNetwork: Topology = ovnCluster({ nodes: 2, podsPerNode: 2 });

export interface DrawnContent {
  readonly content: OvnContent;
  readonly stimuli: readonly Stimulus[];
}

/** Case `index` of a seed. */
export function drawOvnContent(seed: number, index: number): DrawnContent {
  const random = randomFor(seed, `northbound content ${index}`);
  const drawing: OvnDrawing = {
    random,
    pods: podsOf(contentNetwork).map(({ pod }) => pod),
    rows: [],
    columns: new Map(),
    targets: [],
  };
  drawAcls(drawing);
  const balancers = oneIn(random, 2) ? drawLoadBalancers(drawing) : [];
  if (oneIn(random, 2)) drawRouting(drawing);
  if (oneIn(random, 3)) drawDhcp(drawing);
  if (oneIn(random, 2)) drawGateway(drawing, balancers);
  return {
    content: { rows: drawing.rows, columns: Object.fromEntries(drawing.columns) },
    stimuli: drawStimuli(drawing),
  };
}

function drawStimuli({ random, pods, targets, columns }: OvnDrawing): readonly Stimulus[] {
  const [from, to] = [() => pick(random, pods).name, () => pick(random, pods).ip];
  const between = some(random, 4, 6, (): Stimulus => {
    const ends = { from: from(), to: to() };
    const port = pick(random, [7, 9, 80]);
    return pick<Stimulus>(random, [
      { kind: 'ping', ...ends },
      { kind: 'udp', ...ends, port },
      { kind: 'probe', ...ends, port, transmissions: 1 },
    ]);
  });
  const asked = targets.map(
    ({ ip, port = 7 }): Stimulus =>
      pick<Stimulus>(random, [
        { kind: 'udp', from: from(), to: ip, port },
        { kind: 'probe', from: from(), to: ip, port, transmissions: 1 },
        { kind: 'ping', from: from(), to: ip },
      ]),
  );
  const leases = [...columns].flatMap(([id, held]): readonly Stimulus[] =>
    'dhcpv4_options' in held ? [{ kind: 'dhcp', from: id.replace('switch port ', '') }] : [],
  );
  return [...between, ...asked, ...leases];
}
