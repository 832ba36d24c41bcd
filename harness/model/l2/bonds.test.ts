// Goal: of an active-backup bond the member that sends is predicted as long as it is the one that
// was active when the switch was dumped; every other bond is refused by name. Method: one bond of
// two ports; links that were down from the start, and links that go down later.
import t from 'tap';
import type { BondPlan } from '../../domain/plan/bridge-plan.js';
import type { ModelBridge } from '../model-bridge.js';
import type { ModelNode } from '../model-node.js';
import { activeMember } from './bonds.js';

const bond: BondPlan = {
  name: 'bond0',
  mode: 'active-backup',
  members: ['p1', 'p2'],
  active: 'p1',
};

/** @param down `planned` as dumped, `now` when the packet comes. */
function activeOf(
  plan: BondPlan,
  down: { readonly planned?: readonly string[]; readonly now?: readonly string[] } = {},
): number | undefined {
  const { planned = [], now = planned } = down;
  const ports = ['p1', 'p2'].map((name, index) => ({
    kind: 'endpoint' as const,
    name,
    ofport: index + 1,
    ...(planned.includes(name) ? { link: 'down' as const } : {}),
  }));
  return activeMember(
    { downPorts: new Set(now) } as unknown as ModelNode,
    { plan: { ports } } as unknown as ModelBridge,
    plan,
  );
}

const unknown: BondPlan = { name: 'bond0', mode: 'active-backup', members: ['p1', 'p2'] };

void t.test('the active member', (t) => {
  t.equal(activeOf(bond), 1);
  t.equal(activeOf({ ...bond, active: 'p2' }), 2);
  t.equal(activeOf(bond, { planned: ['p2'] }), 1);
  t.equal(activeOf(unknown, { planned: ['p1'] }), 2, 'the only one that is up');
  t.equal(activeOf(bond, { now: ['p2'] }), 1, 'the other one goes down');
  t.equal(activeOf(bond, { now: ['p1', 'p2'] }), undefined, 'none is up');
  t.end();
});

void t.test('what is refused', (t) => {
  t.throws(() => activeOf(bond, { now: ['p1'] }), {
    message: /meets bond bond0 after p2 has taken over from p1/,
  });
  t.throws(() => activeOf(unknown, { planned: ['p1', 'p2'], now: ['p1'] }), {
    message: /after p2 has taken over from no member/,
  });
  t.throws(() => activeOf(unknown), { message: /\(p1, p2\) is active the dump does not say/ });
  t.throws(() => activeOf(unknown, { now: ['p1'] }), { message: /the dump does not say/ });
  t.throws(() => activeOf({ ...bond, mode: 'balance-tcp' }), { message: /balance-tcp chooses/ });
  t.end();
});
