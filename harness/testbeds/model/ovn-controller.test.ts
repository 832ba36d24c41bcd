// Goal: what ovn-controller would answer is not taken for silence. Method: a bridge that hands all
// packets to its controller, of origin `dumped` and of none.
import t from 'tap';
import type { BridgePlan } from '../../domain/plan/bridge-plan.js';
import { encodeEthernet } from '../../packet/protocols/link/ethernet.js';
import { openModel } from './model-testbed.js';

const bridge: BridgePlan = {
  name: 'br-int',
  mac: '02:00:00:00:00:01',
  flows: ['actions=controller(userdata=00.00.00.11.00.00.00.00)'],
  ports: [{ kind: 'endpoint', name: 'if-p1', ofport: 1 }],
};
const frame = encodeEthernet(
  { src: '02:00:00:00:00:0a', dst: '02:00:00:00:00:0b', etherType: 0x88b5 },
  new Uint8Array(46),
);
const send = (origin: BridgePlan['origin']) => {
  const dumped = origin === undefined ? bridge : { ...bridge, origin };
  const model = openModel({ nodes: [{ node: 'n1', hosts: [], bridges: [dumped] }] });
  return model.call([{ kind: 'receive', node: 'n1', port: 'if-p1', frames: [frame] }]);
};

void t.test('it is refused by name', async (t) => {
  await t.rejects(send('dumped'), {
    name: 'Unsupported',
    message: /^br-int of n1, table 0, hands a packet to ovn-controller for "bind_vport"/,
  });
});

void t.test('other controllers get it', async (t) => {
  const [step] = await send(undefined);
  t.equal(step?.packetIns?.length, 1);
});
