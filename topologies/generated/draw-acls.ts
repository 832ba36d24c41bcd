/** ACLs from a seed, with the address sets and port groups that they name (ovn-nb(5), ACL). */
import type { Random } from '../../harness/base/random.js';
import type { NorthboundRow } from '../../harness/domain/plan/northbound-plan.js';
import {
  addColumns,
  addresses,
  oneIn,
  pick,
  references,
  some,
  type OvnDrawing,
} from './ovn-drawing.js';

const actions = ['allow', 'allow-related', 'allow-stateless', 'drop', 'reject', 'pass'] as const;
/** To which its number is added: of two that are equal, OVN may take either. */
const priorities = [0, 1000, 2000, 32_700];
const tiers = [0, 1, 3];

export function drawAddressSets(random: Random): readonly NorthboundRow[] {
  return some(random, 0, 2, (number) => ({
    table: 'Address_Set',
    id: `address set as${number}`,
    columns: {
      name: `as${number}`,
      addresses: { set: [...new Set(some(random, 0, 3, () => pick(random, addresses)))] },
    },
  }));
}

/** Port groups, each with ACLs of its own, and ACLs of the switches. */
export function drawAcls(drawing: OvnDrawing): void {
  const { random, rows, pods } = drawing;
  const groups = some(random, 0, 2, (number) => `pg${number}`);
  const sets = drawAddressSets(random);
  const names = { groups, sets: sets.map(({ id }) => id.replace('address set ', '')) };
  rows.push(...sets);
  let number = 0;
  const acls = (of: number): readonly NorthboundRow[] =>
    some(random, of, 4, () => drawAcl(random, ++number, names));
  for (const name of groups) {
    const own = acls(0);
    rows.push(...own, {
      table: 'Port_Group',
      id: `port group ${name}`,
      columns: {
        name,
        ports: {
          set: pods
            .filter(() => oneIn(random, 2))
            .map(({ name: pod }) => ({ row: `switch port ${pod}` })),
        },
        acls: references(own),
      },
    });
  }
  for (const node of ['n1', 'n2']) {
    const own = acls(node === 'n1' ? 1 : 0);
    rows.push(...own);
    if (own.length > 0) addColumns(drawing, `switch ${node}`, { acls: references(own) });
  }
}

interface Names {
  readonly groups: readonly string[];
  readonly sets: readonly string[];
}

function drawAcl(random: Random, number: number, names: Names): NorthboundRow {
  const direction = pick(random, ['from-lport', 'to-lport']);
  const action = pick(random, actions);
  const afterLb = direction === 'from-lport' && oneIn(random, 4);
  return {
    table: 'ACL',
    id: `acl ${number}`,
    columns: {
      direction,
      action,
      priority: pick(random, priorities) + number,
      tier: pick(random, tiers),
      match: drawMatch(random, direction, names),
      ...(afterLb ? { options: { map: { 'apply-after-lb': 'true' } } } : {}),
      ...(action === 'allow-related' && oneIn(random, 4) ? { label: random.integer(1, 9) } : {}),
    },
  };
}

function drawMatch(random: Random, direction: string, names: Names): string {
  const terms = some(random, 1, 3, () => drawTerm(random, direction, names));
  const joint = oneIn(random, 4) ? ' || ' : ' && ';
  return terms.map((term) => `(${term})`).join(joint);
}

function drawTerm(random: Random, direction: string, { groups, sets }: Names): string {
  const port = direction === 'from-lport' ? 'inport' : 'outport';
  const end = pick(random, ['src', 'dst']);
  const layer = pick(random, ['tcp', 'udp']);
  const address = () => pick(random, addresses);
  return pick(random, [
    () => 'ip4',
    () => `ip4.${end} == ${address()}`,
    () => `ip4.${end} != ${address()}`,
    () => `ip4.${end} == {${address()}, ${address()}}`,
    () => (sets.length === 0 ? 'ip' : `ip4.${end} == $${pick(random, sets)}`),
    () => (groups.length === 0 ? 'ip4' : `${port} == @${pick(random, groups)}`),
    () => `${port} == "${pick(random, ['p1', 'p2', 'p3', 'p4'])}"`,
    () => layer,
    () => 'icmp4',
    () => `${layer}.dst == ${pick(random, [7, 9, 80])}`,
    () => `7 <= ${layer}.dst <= 9`,
    () => `!(${layer}.dst == 7)`,
    () => 'ip.ttl == 64',
    () => 'tcp.flags == 2/2 && tcp',
  ])();
}
