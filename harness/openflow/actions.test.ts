/**
 * Goal: an action is taken for what it is and for nothing else, and a plan's flows are read with their bridge's names. Method: texts that differ from
 * a right one in one character or one word; the exact refusal, or what is printed.
 */
import t from 'tap';
import { parseBridgeFlows } from './bridge-flows.js';
import { noNames } from './form.js';
import { parseFlow, printFlow } from './flow.js';

const names = { ...noNames, ports: new Map([['p1', 3], ['reg1', 9]]) };
const printed = (text: string): string => printFlow(parseFlow(text, names)).replace(/^table=0, priority=32768,?/, '').trim();

void t.test('what is taken', (t) => {
  const taken: readonly (readonly [text: string, actions: string])[] = [
    ['ip,actions=mod_nw_src:10.0.0.9,set_tunnel64:7', 'ip actions=set_field:10.0.0.9->ip_src,set_field:0x7->tun_id'],
    ['actions=CONTROLLER:65535', 'actions=CONTROLLER:65535'],
    ['actions=12,0', 'actions=output:12,output:0'],
    ['actions=output:in_port', 'actions=IN_PORT'],
    ['actions=output:reg1,output:reg1[],output:reg2', 'actions=output:9,output:NXM_NX_REG1[],output:NXM_NX_REG2[]'],
    ['actions=output:NXM_NX_CT_LABEL[0..63]', 'actions=output:NXM_NX_CT_LABEL[0..63]'],
    ['actions=output:reg2[3],output:reg2[3..4]', 'actions=output:NXM_NX_REG2[3],output:NXM_NX_REG2[3..4]'],
  ];
  for (const [text, actions] of taken) t.equal(printed(text), actions, text);
  t.end();
});

void t.test('what is refused', (t) => {
  const exec = 'ct: exec() may only set ct_mark and ct_label';
  const option = (text: string) => `ct: "${text}" is not known here; known are commit, table=, zone=, exec()`;
  const refused: readonly (readonly [text: string, message: string])[] = [
    ['actions=drop,output:1', '9: drop stands alone, without other actions'],
    ['actions=+output:1', '9: expected an action, got "+output:1"'],
    ['actions=1x', '9: unknown action "1x"'],
    ['actions=x1', '9: unknown action "x1"'],
    ['actions=1:2', '9: unknown action "1:2"'],
    ['actions=p1:2', '9: unknown action "p1:2"'],
    ['actions=output:NXM_NX_REG0[', '16: expected a field such as NXM_NX_REG0[0..15], got "NXM_NX_REG0["'],
    ['actions=output:NXM_NX_REG0[5..3]', '16: reg0 has bits 0 to 31, got 5..3'],
    ['actions=load:1', '14: expected load:VALUE->FIELD[], got "1"'],
    ['actions=load:1->NXM_NX_CT_MARK[]', '17: ct_mark can only be written in ct(commit,exec(...))'],
    ['ip,actions=load:6->NXM_OF_IP_PROTO[]', '20: nw_proto cannot be written'],
    ['ip,actions=move:NXM_NX_REG0[0..7]->NXM_OF_IP_PROTO[]', '36: nw_proto cannot be written'],
    ['actions=move:NXM_NX_REG0[]->NXM_NX_CT_MARK[]', '29: ct_mark can only be written in ct(commit,exec(...))'],
    ['ip,actions=ct(commit,exec(load:1->NXM_NX_REG0[]))', `35: ${exec}`],
    ['ip,actions=ct(commit,exec(xload:1->NXM_NX_CT_MARK[]))', `27: ${exec}`],
    ...['+commit', 'commit=1', 'table', 'table(1)', 'zone(1)', 'exec=1', 'foo=1', 'foo(1)', 'foo'].map((text) => [`ip,actions=ct(${text})`, `15: ${option(text)}`] as const),
  ];
  for (const [text, message] of refused) t.throws(() => parseFlow(text, names, { file: 'f', line: 7 }), { name: 'InputError', message: `f:7:${message}` }, text);
  t.end();
});

void t.test('the flows that a plan wants on a bridge', (t) => {
  const bridge = { name: 'br-int', mac: '', ports: [{ kind: 'endpoint', name: 'p1', ofport: 3 }] } as const;
  const flows = ['# comment', '', '  \t', 'in_port=p1,actions=output:br-int # to the node', 'priority=1,actions=drop'];
  t.same(parseBridgeFlows('n1', { ...bridge, flows }).map(printFlow), ['table=0, priority=32768,in_port=3 actions=LOCAL', 'table=0, priority=1 actions=drop']);
  const wrong = [...flows, 'actions=fly'];
  t.throws(() => parseBridgeFlows('n1', { ...bridge, flows: wrong }), { message: /^flows of br-int on n1:6:9: unknown action "fly"/ });
  t.throws(() => parseBridgeFlows('n1', { ...bridge, flows: wrong, flowsFile: 'a.flows' }), { message: /^a\.flows:6:9: / });
  t.end();
});
