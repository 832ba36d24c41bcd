// Goal: where flows that OVN compiled do the same to a packet, the trace does not depend on which
// of them counted. Method: two overlapping flows of two ACLs, each counting in its turn; planted
// differences: other actions, matches that no packet shares, flows that nobody dumped.
import t from 'tap';
import type { BridgePlan } from '../../domain/plan/bridge-plan.js';
import type { FlowId } from '../../domain/switching.js';
import { parseBridgeFlows } from '../../openflow/bridge-program.js';
import { flowId } from '../../openflow/flows/flow.js';
import { withoutChance } from './equivalent-flows.js';

const one = 'cookie=0x1,table=51,priority=2002,ip,nw_src=10.10.2.2 actions=resubmit(,52)';
const other = 'cookie=0x2,table=51,priority=2002,ip,nw_src=10.10.2.0/24 actions=resubmit(,52)';

/** Whether the counts are the same, whichever of the two flows has counted. */
function areOne(flows: readonly [string, string], origin: BridgePlan['origin'] = 'dumped') {
  const bridge: BridgePlan = {
    name: 'br-int',
    mac: 'aa:bb:cc:dd:ee:ff',
    ports: [],
    flows,
    ...(origin === undefined ? {} : { origin }),
  };
  const ids: readonly FlowId[] = parseBridgeFlows('n1', bridge).map((flow) =>
    flowId('n1', 'br-int', flow),
  );
  const plan = { nodes: [{ node: 'n1', bridges: [bridge], hosts: [] }] };
  const countsWhere = (taken: number) =>
    withoutChance(
      plan,
      ids.map((flow, index) => ({
        flow,
        packets: index === taken ? 3 : 0,
        bytes: index === taken ? 180 : 0,
      })),
    );
  return JSON.stringify(countsWhere(0)) === JSON.stringify(countsWhere(1));
}

void t.test('flows of several ACLs that overlap count as one', (t) => {
  t.ok(areOne([one, other]));
  t.notOk(areOne([one, other.replace('resubmit(,52)', 'drop')]), 'they do something else');
  t.notOk(areOne([one, other.replace('10.10.2.0/24', '10.10.3.0/24')]), 'no packet has both');
  t.notOk(areOne([one, other.replace('2002', '2001')]), 'the priority decides');
  t.notOk(areOne([one, other], 'desired'), 'flows that the control plane orders');
  t.end();
});
