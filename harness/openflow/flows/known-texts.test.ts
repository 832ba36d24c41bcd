/**
 * Goal: a text that is filled in is the one that reading the flow gives, and what is no flow is
 * refused as before. Method: flows of any kind, each text read twice and once more with other
 * addresses and ports; shapes that must not be filled in.
 */
import { strictEqual, throws } from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { InputError } from '../../base/errors/errors.js';
import { noNames } from '../syntax/form.js';
import { anyFlow } from '../testkit/arbitrary-flow.js';
import { parseFlow, printFlow } from './flow.js';
import { canonicalText, knownFlowReader } from './known-texts.js';

const ports = new Map([
  ['gw0', 2],
  ['p1', 3],
  ['p "2"', 4],
  ['br-int', 0xfffe],
]);
const names = { ...noNames, ports };
const place = { file: 'flows', line: 1 };
const read = knownFlowReader(names);
const readText = (text: string, at: typeof place) => canonicalText(read(text, at));

function holds(text: string): void {
  strictEqual(readText(text, place), printFlow(parseFlow(text, names, place)), text);
}

void t.test('flows of any kind', async () => {
  const other = fc.array(fc.nat({ max: 255 }), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(anyFlow, other, (flow, bytes) => {
      const text = printFlow(flow);
      holds(text);
      holds(text);
      const [hex, ...more] = bytes.map((byte) => byte.toString(16).padStart(2, '0'));
      holds(
        text
          .replace(
            /(?<=[=:])[0-9a-f]{2}(:[0-9a-f]{2}){5}(?![/:])/g,
            [hex, ...more].slice(0, 6).join(':'),
          )
          .replace(/(?<=nw_(src|dst)=)[\d.]+(?![\d./])/g, bytes.slice(0, 4).join('.')),
      );
    }),
    { numRuns: 300 },
  );
});

void t.test('flows as a control plane writes them', async () => {
  for (const [one, other] of [
    ['gw0', 'p1'],
    ['p1', '"p \\"2\\""'],
    ['p1', 'br-int'],
    ['br-int', 'LOCAL'],
    ['7', 'gw0'],
  ] as const)
    for (const port of [one, other, one])
      for (const last of [1, 17, 255]) {
        const mac = `0a:00:00:00:00:${last.toString(16).padStart(2, '0')}`;
        holds(`in_port=${port} actions=load:0x${last.toString(16)}->NXM_NX_REG1[],output:${port}`);
        holds(
          `table=10,priority=200,arp,in_port=${port},arp_spa=10.0.${last}.1,arp_sha=${mac} ` +
            `actions=mod_dl_src:${mac},load:0xa00${last.toString(16)}01->NXM_OF_ARP_SPA[],` +
            `load:0x${mac.replaceAll(':', '').replace(/^0+/, '')}->NXM_NX_ARP_SHA[],IN_PORT`,
        );
        holds(`ip,nw_src=10.0.0.${last},nw_dst=10.0.0.${last} actions=mod_dl_dst:${mac},dec_ttl,2`);
        holds(`ip,nw_dst=10.0.${last}.0/24 actions=mod_dl_dst:${mac},2`);
        holds(`ip,nw_src=10.${last}.0.0/16,nw_dst=10.${last}.1.0/16 actions=2`);
        // Masks, and values that are not written as they are printed.
        holds(`ip,nw_dst=10.0.${last}.0/0 actions=2`);
        holds(`ip,nw_dst=10.0.${last}.0/255.255.255.0 actions=2`);
        holds(`ip,nw_dst=10.0.0.${last}/24,dl_dst=${mac}/ff:ff:ff:00:00:00 actions=drop`);
        holds(`dl_dst=${mac} actions=2`);
        holds(`dl_dst=${mac.toUpperCase()} actions=2`);
        holds(
          `dl_dst=${mac.toUpperCase()},in_port=${port} actions=load:0x0${last % 8}->NXM_NX_REG2[]`,
        );
      }
});

void t.test('texts that begin and end alike, and are of another shape', async () => {
  const flow = (port: string, ip: string, mask: string, mac: string) =>
    `ip,in_port=${port},nw_dst=${ip}${mask} actions=mod_dl_src:${mac},load:0x1->NXM_NX_REG0[16],2`;
  const mac = '0a:00:00:00:00:01';
  const texts = [
    flow('p1', '10.0.0.1', '', mac),
    flow('gw0', '10.0.0.2', '', mac),
    flow('p1', '10.0.0.3', ',nw_src=10.0.0.4', mac),
    flow('p1', '10.0.0.0', '/24', mac),
    flow('65279', '10.0.0.1', '', mac),
    flow('p1', '10.0.0.1', '', `${mac},load:0x5->NXM_NX_REG1[]`),
    flow('"p1"', '10.0.0.1', '', mac.toUpperCase()),
    `${flow('p1', '10.0.0.1', '', mac)},in_port`,
    `cookie=0x1,${flow('p1', '10.0.0.1', '', mac)}`,
  ];
  for (const first of texts)
    for (const second of texts) for (const text of [first, second, first]) holds(text);
});

void t.test('what is no flow', async (t) => {
  holds('in_port=gw0,ip,nw_src=10.0.0.1 actions=2');
  for (const text of [
    'in_port=gw9,ip,nw_src=10.0.0.1 actions=2',
    'in_port=gw0,ip,nw_src=10.0.0.256 actions=2',
    'in_port=gw0,ip,nw_src=\u0001ip\u0001 actions=2',
    'in_port=\u0001port\u0001,ip,nw_src=\u0001ip\u0001 actions=2',
    'ip,nw_src=10.0.0.1 actions=load:0x1ffffffff->NXM_NX_REG1[]',
    'nw_src=10.0.0.1 actions=',
  ])
    for (const time of ['first', 'second'])
      throws(() => readText(text, place), InputError, `${text}, the ${time} time`);
  t.equal(
    readText('in_port=gw0,ip,nw_src=10.0.0.2 actions=2', place),
    'table=0, priority=32768,ip,in_port=2,nw_src=10.0.0.2 actions=output:2',
  );
});
