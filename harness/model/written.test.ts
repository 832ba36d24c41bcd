/**
 * Goal: whatever is written into whatever frame, the model predicts the outcome, or refuses it by
 * name. Method: random frames, whole, odd and damaged, through three tables of flows for every kind
 * of packet, which write fields, push and pop tags and labels, send to controllers and ports; and a
 * few frames byte by byte, as real switches gave them (harness/fuzz/frozen).
 */
import t from 'tap';
import { Unsupported } from '../base/errors/errors.js';
import { randomFor, type Random } from '../base/random.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import { fields, type Field } from '../openflow/match/fields.js';
import type { FieldMatch } from '../openflow/match/field-match.js';
import { allowsField } from '../openflow/match/prerequisites.js';
import { printMatch } from '../openflow/match/print-match.js';
import { printAssigned } from '../openflow/match/masked-values.js';
import { word } from '../packet/flow-key/flow-key.js';
import { anyFrame, pick } from './testkit/arbitrary-frame.js';
import { protocolContexts, someBits } from './testkit/arbitrary-match.js';
import { buildNode } from './build-node.js';
import { receiveFrame } from './receive-frame.js';

const rounds = 12;
const framesARound = 60;
const lastTable = 2;
const writable = fields.filter(
  (row) =>
    row.word >= word.ethSrc &&
    !row.isView &&
    row.writable === 'anywhere' &&
    row.name !== 'vlan_tci' &&
    row.name !== 'vlan_vid' &&
    row.name !== 'vlan_pcp',
);
const structural = [
  'controller(id=7)',
  'output:2',
  'push_vlan:0x8100',
  'push_vlan:0x8100,controller(id=7),pop_vlan',
  'clone(push_mpls:0x8847,controller(id=7))',
  'clone(push_mpls:0x8848,output:2)',
  'clone(push_vlan:0x88a8,controller(id=7))',
  'group:1',
] as const;

function someAction(random: Random, context: readonly FieldMatch[]): string {
  if (random.integer(0, 1) === 0) return pick(random, structural);
  const rows = writable.filter((row) => allowsField(context, row));
  const own = rows.filter(
    ({ prerequisite }) => prerequisite !== 'none' && prerequisite !== 'ethernet',
  );
  const row: Field = pick(random, own.length > 0 && random.integer(0, 3) > 0 ? own : rows);
  return (
    'set_field:' +
    printAssigned(row, { value: someBits(random, row.bits) & row.ones, mask: row.ones }) +
    `->${row.name}`
  );
}

function someFlows(random: Random): readonly string[] {
  return Array.from({ length: lastTable + 1 }, (_, table) =>
    protocolContexts.map((context, index) => {
      const actions = [
        ...new Set(Array.from({ length: random.integer(1, 4) }, () => someAction(random, context))),
      ];
      const last = pick(random, ['push_mpls:0x8847,', 'output:3,', '', '']);
      const labels = context.some(({ value }) => value === 0x8847n)
        ? pick(random, ['pop_mpls:0x0800,', 'pop_mpls:0x86dd,', 'dec_mpls_ttl,'])
        : last;
      return (
        `table=${table}, ` +
        `priority=${[String(index), printMatch(context)].filter((part) => part !== '').join(',')} ` +
        `actions=${actions.join(',')},` +
        `${labels}${table === lastTable ? 'output:2' : `goto_table:${table + 1}`}`
      );
    }),
  ).flat();
}

function bridge(flows: readonly string[], groups: readonly string[]): BridgePlan {
  return {
    name: 'br0',
    mac: '02:00:00:00:00:fe',
    flows,
    groups,
    controllers: [{ id: 7, paused: 'kept' }],
    ports: [1, 2, 3].map((ofport) => ({ kind: 'endpoint', name: `p${ofport}`, ofport })),
  };
}

void t.test('a random bridge is translated, or refused by name', (t) => {
  const random = randomFor(1, 'written');
  const seen = { translated: 0, refused: 0 };
  for (let round = 0; round < rounds; round++) {
    const flows = someFlows(random);
    const groups = [
      'group_id=1,type=all,bucket=push_vlan:0x8100,controller(id=7),' +
        'bucket=set_field:0a:00:00:00:00:09->eth_dst,output:3',
    ];
    const node = buildNode({ node: 'n1', bridges: [bridge(flows, groups)], hosts: [] });
    for (let index = 0; index < framesARound; index++) {
      const frame = anyFrame(random);
      try {
        receiveFrame(node, 'p1', frame);
        seen.translated++;
      } catch (error) {
        if (!(error instanceof Unsupported))
          t.fail(
            `round ${round}, frame ${Buffer.from(frame).toString('hex')}: ` +
              (error instanceof Error ? error.stack : String(error)),
          );
        seen.refused++;
      }
    }
  }
  t.ok(
    seen.translated > 3 * seen.refused && seen.refused > 0,
    `${seen.translated} were translated, ${seen.refused} refused`,
  );
  t.end();
});

/** What comes out of each port for a frame in hexadecimal into p1. */
function out(flow: readonly string[], frame: string): readonly string[] {
  const node = buildNode({ node: 'n1', bridges: [bridge(flow, [])], hosts: [] });
  return receiveFrame(node, 'p1', Uint8Array.from(Buffer.from(frame, 'hex'))).step.outputs.map(
    ({ port, frame: bytes }) => `${port} ${Buffer.from(bytes).toString('hex')}`,
  );
}

const link = '0a00000000020a0000000001';
/** A neighbour advertisement with the option `type`, or a solicitation. */
const neighbour = (message: string, reserved: string, type: string, checksum = '1234') =>
  `${link}86dd6000000000203aff${'fd'.padEnd(31, '0')}1${'fd'.padEnd(31, '0')}` +
  `2${message}00${checksum}${reserved}${'fd'.padEnd(31, '0')}2${type}01aabbccddeeff`;

void t.test('parts of neighbour discovery', (t) => {
  const part = (name: string) => [
    'icmp6,icmp_type=136,icmp_code=0 actions=set_field:0->reg0,move:NXM_NX_REG0[0]->' +
      name +
      '[0],output:2',
  ];
  const [written = ''] = out(
    part('ERICOXM_OF_ICMPV6_ND_OPTIONS_TYPE'),
    neighbour('88', '00000000', '02'),
  );
  t.equal(written.slice(-16), '0001aabbccddeeff', 'of the option type the rest becomes zero');
  t.throws(
    () =>
      out(
        [
          'icmp6,icmp_type=136,icmp_code=0 actions=set_field:1->reg0,' +
            'move:NXM_NX_REG0[0]->ERICOXM_OF_ICMPV6_ND_RESERVED[0],output:2',
        ],
        neighbour('88', 'e0000000', '02'),
      ),
    { name: 'Unsupported', message: /which bits of nd_reserved are left/ },
  );
  t.throws(
    () =>
      out(
        [
          'icmp6,icmp_type=136,icmp_code=0 ' +
            'actions=load:1->ERICOXM_OF_ICMPV6_ND_RESERVED[0..3],output:2',
        ],
        neighbour('88', 'e0000000', '02'),
      ),
    { name: 'Unsupported', message: /which bits of nd_reserved are left/ },
    'a constant',
  );
  t.equal(
    out(
      ['icmp6,icmp_type=136,icmp_code=0 actions=set_field:7->nd_reserved,output:2'],
      neighbour('88', 'e0000000', '02'),
    )[0]?.includes('00000007'),
    true,
    'all of them are written',
  );
  t.equal(
    out(part('ERICOXM_OF_ICMPV6_ND_RESERVED'), neighbour('88', 'e0000000', '02')).join(' '),
    `p2 ${neighbour('88', 'e0000000', '02')}`,
    'where nothing changes, nothing is written',
  );
  t.end();
});

void t.test(
  'what IP carries is beyond what is parsed behind a controller that got a label or two tags',
  (t) => {
    const flows = (actions: string, type = 135) => [
      `icmp6,icmp_type=${type},icmp_code=0 ` +
        `actions=clone(push_mpls:0x8847,controller(id=7)),${actions},output:2`,
    ];
    const solicitation = neighbour('87', '00000000', '01');
    t.same(
      out(flows('set_field:fd00::7->nd_target'), solicitation),
      [`p2 ${solicitation}`],
      'a target is not written',
    );
    t.same(
      out(flows('set_field:fd00::9->ipv6_src'), solicitation),
      [`p2 ${solicitation.replace(`${'fd'.padEnd(31, '0')}1`, `${'fd'.padEnd(31, '0')}9`)}`],
      'an address is, without the checksum',
    );
    const refused = {
      name: 'Unsupported',
      message: /nd_reserved or nd_options_type .* ends itself/,
    };
    for (const field of ['nd_reserved', 'nd_options_type'])
      t.throws(() => out(flows(`set_field:9->${field}`), solicitation), refused, field);
    t.throws(
      () =>
        out(
          [
            'icmp6,icmp_type=135,icmp_code=0 actions=push_vlan:0x8100,clone(push_vlan:0x8100,' +
              'controller(id=7)),set_field:9->nd_reserved,output:2',
          ],
          solicitation,
        ),
      refused,
      'two tags',
    );
    t.end();
  },
);

void t.test('the number of a tag', (t) => {
  t.same(
    out(
      ['actions=push_vlan:0x8100,write_actions(set_field:4097->vlan_vid,pop_vlan,output:2)'],
      `${link}88b5`,
    ),
    [`p2 ${link}8100000188b5`],
    'a number without a tag brings one',
  );
  t.end();
});
