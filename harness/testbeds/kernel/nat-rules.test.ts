// Goal: the NAT of a plan is nftables' own, rule by rule. Method: a Service with two endpoints and
// one with none, and the masquerade of a node; then what has no rule.
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
  t.throws(
    () => natRules({ destinations: [{ match, to, affinity, keepsSenders: [] }], sources: [] }),
    /a Service at 10\.96\.0\.10:80 that keeps its clients/,
  );
});

void t.test('a masquerade of all', async (t) => {
  const sources = [{ from: ['10.10.1.0/24'], except: [] }];
  t.match(
    natRules({ destinations: [], sources }),
    / {4}ip saddr \{ 10\.10\.1\.0\/24 \} masquerade/,
  );
});
