/**
 * Goal: a trace reads as ofproto/trace does, table in table and with the outcome; a check says
 * where model and switch diverge. Method: packets described by hand, of two bridges and two
 * translations, and images of every verdict.
 */
import { stripVTControlCharacters } from 'node:util';
import t from 'tap';
import { renderCheck, renderVersions } from './render-check.js';
import { renderTrace } from './render-trace.js';

const id = (table: number, match: string, bridge = 'br0') => ({
  node: 'switch',
  bridge,
  table,
  priority: 7,
  match,
});
const key = new Uint32Array();
const action = (text: string) => ({ kind: 'action' as const, text });
const table = (
  number: number,
  match: string | undefined,
  nodes: readonly object[],
  bridge = 'br0',
) => ({
  kind: 'table' as const,
  bridge,
  table: number,
  key,
  nodes: nodes as never,
  ...(match === undefined ? {} : { flow: id(number, match, bridge) }),
});
const report = {
  translations: [
    {
      bridge: 'br0',
      taken: '',
      flow: 'ip,in_port=1',
      finalFlow: 'ip,reg0=0x3,in_port=1',
      nodes: [
        table(0, 'in_port=1', [
          action('resubmit(,9)'),
          table(9, '', [
            action('output:3'),
            table(0, 'ip', [{ kind: 'note', text: 'NORMAL: output to p2' }], 'br1'),
          ]),
          action('ct(table=10)'),
          { kind: 'end', text: 'it ends' },
        ]),
      ],
    },
    {
      bridge: 'br0',
      taken: 'recirculation',
      flow: 'ct_state=trk,ip',
      finalFlow: 'ct_state=trk,ip',
      nodes: [table(10, undefined, [action('drop')])],
    },
  ],
  path: [],
  outputs: [{ bridge: 'br1', port: 'p2', frame: new Uint8Array(14), flow: 'ip' }],
  finalFlow: '',
  reasons: [],
  kernel: ['it differs'],
  state: { connections: [], macs: [] },
  packetIns: [
    {
      bridge: 'br0',
      controller: 3,
      reason: 'action' as const,
      table: 9,
      cookie: 0n,
      length: 14,
      frame: new Uint8Array(14),
      metadata: 'in_port=1',
      userdata: [1, 2],
      paused: true,
    },
  ],
};
const plain = (text: string) => stripVTControlCharacters(text).split('\n');

void t.test('a trace', (t) => {
  t.strictSame(plain(renderTrace(report)), [
    'Flow: ip,in_port=1',
    '',
    'bridge("br0")',
    '-------------',
    ' 0. in_port=1, priority 7',
    '    resubmit(,9)',
    '     9. priority 7',
    '            output:3',
    '',
    '        bridge("br1")',
    '        -------------',
    '         0. ip, priority 7',
    '             -> NORMAL: output to p2',
    '    ct(table=10)',
    '     >> it ends',
    '',
    'Final flow: ip,reg0=0x3,in_port=1',
    '',
    '='.repeat(79),
    'recirculation',
    '='.repeat(79),
    '',
    'Flow: ct_state=trk,ip',
    '',
    'bridge("br0")',
    '-------------',
    '10. No match.',
    '    drop',
    '',
    'Final flow: unchanged',
    '',
    'Out of p2 of br1: 00:00:00:00:00:00 > 00:00:00:00:00:00 type 0x0000 length 0',
    'To controllers with id 3 of br0: action, table 9, in_port=1, userdata=01.02, waiting to ' +
      'be resumed: 00:00:00:00:00:00 > 00:00:00:00:00:00 type 0x0000 length 0',
    '',
    "Of the kernel's datapath is known:",
    '  it differs',
  ]);
  t.strictSame(
    plain(renderTrace({ ...report, translations: [], outputs: [], packetIns: [], kernel: [] })),
    ['', 'Nothing comes out.'],
  );
  t.strictSame(
    plain(
      renderTrace({
        ...report,
        translations: [],
        outputs: [],
        packetIns: [],
        kernel: [],
        refused: 'the model does not know',
      }),
    ),
    ['', '? the model does not know', '', 'Nothing came out up to there.'],
  );
  t.end();
});

void t.test('why not', (t) => {
  const asked = {
    flow: id(9, 'ip'),
    lookups: [
      { kind: 'taken' as const },
      { kind: 'no match' as const, fields: [{ field: 'reg0', packet: '0x3', flow: '0x4/0xf' }] },
      { kind: 'outranked' as const, by: id(9, '') },
      { kind: 'clause' as const },
    ],
  };
  const lines = (lookups: typeof asked.lookups) =>
    plain(
      renderTrace({
        ...report,
        translations: [],
        outputs: [],
        packetIns: [],
        kernel: [],
        whyNot: { ...asked, lookups },
      }),
    ).slice(3);
  t.strictSame(lines(asked.lookups), [
    'Why not table=9, priority=7,ip of br0?',
    '  lookup 1: it was taken',
    '  lookup 2: reg0: the packet has 0x3, the flow wants 0x4/0xf',
    '  lookup 3: it matches, but this one won: table=9, priority=7',
    '  lookup 4: it matches, as a part of conjunctions: such flows are not taken themselves',
  ]);
  t.strictSame(lines([]), [
    'Why not table=9, priority=7,ip of br0?',
    '  table 9 of br0 was never looked up',
  ]);
  t.strictSame(lines(asked.lookups.slice(0, 1)).slice(1), ['  it was taken']);
  t.end();
});

void t.test('a check', (t) => {
  const compared = {
    frames: 1,
    silence: 2,
    'packet-ins': 0,
    counters: 3,
    connections: 1,
    macs: 1,
    program: 0,
  };
  const agree = {
    image: 'trixie',
    version: '3.5.0',
    verdict: 'conforms' as const,
    compared,
    differences: [],
  };
  const part = {
    ...agree,
    image: 'sid',
    verdict: 'diverges' as const,
    differences: [
      {
        aspect: 'frames' as const,
        summary: 'missing frame out of 2',
        expected: 'a frame',
        actual: 'nothing',
      },
    ],
  };
  const unknown = {
    image: 'bookworm',
    verdict: 'inconclusive' as const,
    differences: [],
    inconclusive: { cause: 'no room', evidence: ['ENOSPC'], remedies: ['make room'] },
  };
  t.strictSame(plain(renderCheck(agree)), [
    '✔ trixie 3.5.0  model and switch agree: 1 frames · 2 silent ports · 0 packet-ins · 3 ' +
      'counters · 1 connections · 1 learned MACs',
  ]);
  t.strictSame(plain(renderCheck(part)).slice(1), [
    '    missing frame out of 2',
    '      model   a frame',
    '      switch  nothing',
  ]);
  t.strictSame(plain(renderCheck(unknown)), ['? bookworm  no room', '    ENOSPC', '  - make room']);
  t.equal(renderVersions([agree, { ...agree, image: 'sid' }]), 'trixie, sid agree');
  t.equal(renderVersions([agree, part, unknown]), 'sid: not as predicted');
  t.equal(renderVersions([agree, unknown]), 'nothing is known of bookworm');
  t.end();
});
