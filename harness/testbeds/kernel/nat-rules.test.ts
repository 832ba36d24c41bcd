// Goal: the NAT of a plan is nftables' own, rule by rule. Method: a Service with two endpoints and
// one with none, and the masquerade of a node; the client that keeps its endpoint.
import t from 'tap';
import { natRules } from './nat-rules.js';

const match = { ip: '10.96.0.10', protocol: 'TCP', port: 80 } as const;
const to = [
  { ip: '10.10.1.2', port: 8080 },
  { ip: '10.10.2.2', port: 8080 },
];

void t.test('rules', async (t) => {
  const rules = natRules({
    destinations: [
      { match, to, keepsSenders: ['10.10.0.0/16'] },
      { match: { ...match, port: 81 }, to: [], keepsSenders: [] },
    ],
    sources: [{ from: ['10.10.1.0/24'], except: ['10.10.0.0/16'] }],
  });
  for (const rule of [
    'ip daddr 10.96.0.10 tcp dport 80 ip saddr != { 10.10.0.0/16 } meta mark set 0x4000',
    'ip daddr 10.96.0.10 tcp dport 80 dnat to numgen random mod 2 map ' +
      '{ 0 : 10.10.1.2 . 8080, 1 : 10.10.2.2 . 8080 }',
    'ip daddr 10.96.0.10 tcp dport 81 reject',
    'ip saddr { 10.10.1.0/24 } ip daddr != { 10.10.0.0/16 } masquerade',
  ])
    t.ok(rules.includes(`    ${rule}\n`), rule);
});

void t.test('a client that keeps its endpoint', async (t) => {
  const affinity = { name: 'shop', seconds: 10 };
  const rules = natRules({
    destinations: [
      { match, to, affinity, keepsSenders: [] },
      { match: { ...match, ip: '192.0.2.1' }, to, affinity, keepsSenders: [] },
    ],
    sources: [],
  });
  for (const rule of [
    'ip daddr 10.96.0.10 tcp dport 80 ip saddr @shop_tcp_10_10_2_2_8080 ' +
      'goto to_shop_tcp_10_10_2_2_8080',
    'update @shop_tcp_10_10_1_2_8080 { ip saddr }',
    'meta l4proto tcp dnat to 10.10.1.2:8080',
    'ct status dnat ip saddr 10.10.1.2 ip daddr 10.10.1.2 masquerade',
  ])
    t.ok(rules.includes(`    ${rule}\n`), rule);
  t.equal(rules.split('timeout 10s').length, 3, 'both addresses share what clients had');
});

void t.test('a masquerade of all', async (t) => {
  const sources = [{ from: ['10.10.1.0/24'], except: [] }];
  t.match(
    natRules({ destinations: [], sources }),
    / {4}ip saddr \{ 10\.10\.1\.0\/24 \} masquerade/,
  );
});
