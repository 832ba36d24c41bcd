/**
 * A reset of one node: no connections, learned MACs or megaflows; the flows it had; zero counters.
 */
import { staticMacsOf } from '../../domain/plan/static-macs.js';
import { setMeters } from './configure/program.js';
import type { NodeInstruments } from './node-instruments.js';

export async function resetSwitches(node: NodeInstruments): Promise<void> {
  const { vswitch, flowCounters, programs, learnWatch, quiesce } = node;
  if (await node.underlay.restore()) node.touched = 'yes';
  if (node.touched === 'no') return;
  const wasVolatile = programs.isVolatile();
  const flows = wasVolatile && !(await flowCounters.areFlowsUnchanged()) ? 'others' : 'the same';
  const [isRestored] = await Promise.all([
    vswitch.whileAlive(programs.restore(flows)),
    node.links.restore(),
  ]);
  if (isRestored) {
    learnWatch.forget();
    await quiesce.afterDeletion();
  }
  if (programs.learns() || programs.isVolatile()) await vswitch.whileAlive(programs.save());
  const isCounted = !isRestored && (node.touched === 'counted' || wasVolatile);
  await flowCounters.begin(
    isCounted ? 'as they stand' : 'as they are dumped',
    ...flush(node, isCounted ? 'purged' : 'in use'),
  );
  await node.neighbours.revalidateIfChanged();
  await resetMeters(node);
  quiesce.begin();
  node.touched = 'no';
}

/**
 * Everything learned goes. A daemon answers in the order of the requests, so none has to wait for
 * another. The cache goes first: revalidated without the neighbours, it would ask for them.
 */
function flush(
  { plan, vswitch, snooping, connections, neighbours }: NodeInstruments,
  cache: 'purged' | 'in use',
): readonly Promise<unknown>[] {
  const { call } = vswitch.vswitchd.unixctl;
  return [
    ...(cache === 'purged' ? [] : [call('revalidator/purge')]),
    ...plan.bridges.map(({ name }) => call('fdb/flush', name)),
    ...staticMacsOf(plan).map(({ bridge, port, vlan, mac }) =>
      call('fdb/add', bridge, port, String(vlan), mac),
    ),
    ...snooping.map(({ name }) => call('mdb/flush', name)),
    connections.forget(),
    neighbours.restore(),
    neighbours.query(),
  ];
}

/** Only a new meter has full buckets. */
async function resetMeters({ plan, ofctl, programs }: NodeInstruments): Promise<void> {
  await Promise.all(
    plan.bridges
      .filter(({ name }) => programs.meters(name))
      .map(async (bridge) => {
        await setMeters('mod-meter', plan, bridge, ofctl);
        programs.metersRenewed(bridge.name);
      }),
  );
}
