// Goal: the member of a bond that sends is predicted as long as dumps say it, and so is what comes
// in; what they do not say is refused by name. Method: one bond of two ports in each mode; links
// that were down from the start, and links that go down later.
import t from 'tap';
import type { BondPlan } from '../../domain/plan/bridge-plan.js';
import type { ModelBridge } from '../model-bridge.js';
import type { ModelNode } from '../model-node.js';
import { activeMember, admission, outputMember } from './bonds.js';

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
  return activeMember(...sides(down), plan);
}

function sides(down: {
  readonly planned?: readonly string[];
  readonly now?: readonly string[];
}): readonly [ModelNode, ModelBridge] {
  const { planned = [], now = planned } = down;
  const ports = ['p1', 'p2'].map((name, index) => ({
    kind: 'endpoint' as const,
    name,
    ofport: index + 1,
    ...(planned.includes(name) ? { link: 'down' as const } : {}),
  }));
  return [
    { downPorts: new Set(now) } as unknown as ModelNode,
    { plan: { ports } } as unknown as ModelBridge,
  ];
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
  t.end();
});

const balanced: BondPlan = { ...bond, mode: 'balance-slb', hashes: { 14: 'p2' } };
const packet = { source: 0x0a0000000001, vlan: 0 };

void t.test('the member of a hash', (t) => {
  t.equal(outputMember(...sides({}), balanced, packet), 2);
  t.equal(outputMember(...sides({ planned: ['p2'] }), balanced, packet), 1, 'one is up');
  t.equal(outputMember(...sides({ planned: ['p1', 'p2'] }), balanced, packet), undefined);
  t.throws(() => outputMember(...sides({}), balanced, { ...packet, vlan: 5 }), {
    message: /to which of its members \(p1, p2\) balance-slb has given hash \d+ .* --bonds/,
  });
  t.throws(() => outputMember(...sides({}), { ...balanced, hashBasis: 9 }, packet), {
    message: /has given hash/,
  });
  t.throws(() => outputMember(...sides({ now: ['p1'] }), balanced, packet), {
    message: /after links of it have changed/,
  });
  t.end();
});

void t.test('what may come in', (t) => {
  const admitted = (plan: BondPlan, port: number, to: 'one host' | 'several') =>
    admission(...sides({}), plan, port, to);
  t.strictSame(
    [1, 2].map((port) => admitted(bond, port, 'one host')),
    ['yes', 'no'],
  );
  t.strictSame(
    [1, 2].map((port) => admitted(balanced, port, 'one host')),
    ['unless moved', 'unless moved'],
  );
  t.strictSame(
    [1, 2].map((port) => admitted(balanced, port, 'several')),
    ['unless moved', 'no'],
  );
  t.equal(admitted({ ...balanced, multicast: 'at all members' }, 2, 'several'), 'unless moved');
  const tcp: BondPlan = { ...bond, mode: 'balance-tcp' };
  t.equal(admitted(tcp, 1, 'one host'), 'no', 'without LACP nothing');
  t.equal(outputMember(...sides({}), tcp, packet), undefined);
  t.throws(() => admitted({ ...tcp, unknown: ['lacp=active'] }, 1, 'one host'), {
    message: /meets bond bond0, and what lacp=active does to it/,
  });
  t.end();
});
