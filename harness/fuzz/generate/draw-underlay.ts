/**
 * Flows on the other side of a network, and of what lies between: into tunnels and out of them
 * again. As texts.
 */
import type { Random } from '../../base/random.js';
import { chance, pick, times } from './weighted.js';
import type { Family } from './conversation.js';

type Side = 'near' | 'far';

/** Into one of the tunnels, to the other side. */
export function intoTunnel(random: Random, side: Side): string {
  const other = side === 'near' ? 2 : 1;
  const id = pick(random, [5, 5, 9, 0x1000005]);
  const more = [
    ...(chance(random, 25) ? [`set_field:${pick(random, ['0x77', '0'])}->tun_metadata0`] : []),
    ...(chance(random, 25) ? ['set_field:oam->tun_flags'] : []),
    ...(chance(random, 10) ? ['set_field:0x1234->tun_metadata1'] : []),
  ];
  const fields = [
    pick(random, [
      `set_field:172.30.0.${other}->tun_dst`,
      `set_field:172.30.0.${other}->tun_dst`,
      `set_field:fd00:30::${other}->tun_ipv6_dst`,
    ]),
    ...(chance(random, 70) ? [`set_field:${id}->tun_id`] : []),
    ...more,
  ];
  return pick(random, [
    [...fields, 'output:6'].join(','),
    [...fields, 'output:6'].join(','),
    'output:7',
    `set_field:${id}->tun_id,output:8`,
  ]);
}

/** The other node forwards what comes through tunnels, tracks it or not, and sends answers back. */
export function drawAfar(random: Random): readonly string[] {
  const tracks = chance(random, 60);
  const zone = pick(random, [1, 2]);
  const on = () =>
    tracks
      ? `ct(table=1,zone=${zone}${chance(random, 40) ? ',nat' : ''})`
      : pick(random, ['output:1', 'output:1', 'output:2', 'output:1,output:2']);
  return [
    ...(['ip', 'ipv6'] as const).flatMap((type) => [
      `table=0,priority=20,in_port=1,${type} ` +
        `actions=${tracks ? `ct(table=2,zone=${zone}${chance(random, 40) ? ',nat' : ''})` : intoTunnel(random, 'far')}`,
    ]),
    ...times(
      random.integer(1, 4),
      (index) =>
        `table=0,priority=${30 + index},${fromTunnel(random)} ` +
        `actions=${pick(random, [on(), 'output:2', `set_field:0x5->reg1,${on()}`, 'in_port', intoTunnel(random, 'far')])}`,
    ),
    `table=0,priority=10 actions=${tracks ? 'output:2' : on()}`,
    ...(['ip', 'ipv6'] as const).map((type) => `table=0,priority=11,${type} actions=${on()}`),
    ...(tracks ? drawTracked(random, zone) : []),
  ];
}

function fromTunnel(random: Random): string {
  return pick(random, [
    'ip,in_port=6',
    'ip,in_port=7',
    'ipv6,in_port=8',
    'ip,tun_id=5',
    'ip,tun_id=0x5/0xf',
    'ip,tun_src=172.30.0.1',
    'ip,tun_ipv6_src=fd00:30::1',
    'ipv6,tun_dst=172.30.0.2',
    'ip,tun_metadata0=0x77',
    'ipv6,tun_metadata0',
    'ip,tun_flags=+oam',
    'ip,tun_flags=+oam',
    'ipv6,tun_flags=+oam',
    'tcp,in_port=6',
    'ip,in_port=6,nw_ecn=3',
  ]);
}

function drawTracked(random: Random, zone: number): readonly string[] {
  const commit = (family: Family) =>
    'ct(commit,' +
    `zone=${zone}${chance(random, 40) ? `,table=3,nat(dst=${family === 'ipv4' ? '10.0.0.3' : 'fd00::3'})` : chance(random, 30) ? ',exec(set_field:0x5->ct_mark)' : ''})`;
  return [
    ...(['ipv4', 'ipv6'] as const).map(
      (family) =>
        `table=1,priority=10,ct_state=+trk+new,${family === 'ipv4' ? 'ip' : 'ipv6'} ` +
        `actions=${commit(family)},output:1`,
    ),
    `table=1,priority=5 actions=${pick(random, ['output:1', 'output:1', 'output:2'])}`,
    `table=2,priority=10,ct_state=+trk+est,ip actions=${intoTunnel(random, 'far')}`,
    `table=2,priority=5 actions=${intoTunnel(random, 'far')}`,
    'table=3,priority=5 actions=output:1',
  ];
}

/**
 * What carries tunnels, on both sides the same: it forwards, learns, tracks, or changes what is
 * outside.
 */
export function drawUnderlay(random: Random): readonly string[] {
  const plain = ['priority=1,in_port=LOCAL actions=output:1', 'priority=1,in_port=1 actions=LOCAL'];
  return pick(random, [
    plain,
    plain,
    plain,
    plain,
    ['priority=1 actions=NORMAL'],
    [...plain, 'priority=2,in_port=1,ip actions=set_field:3->nw_ecn,LOCAL'],
    [...plain, 'priority=2,in_port=LOCAL,ip actions=dec_ttl,output:1'],
    [
      ...plain,
      'priority=2,in_port=LOCAL,ip actions=ct(commit,zone=2,table=1)',
      'table=1,priority=1 actions=output:1',
      'priority=2,in_port=1,ip actions=ct(zone=2,table=2)',
      'table=2,priority=1 actions=LOCAL',
    ],
    [...plain, 'priority=2,in_port=LOCAL actions=meter:2,output:1'],
  ]);
}

/**
 * Then what is inside of tunnels over IPv4 should be IPv4: around anything else Open vSwitch
 * takes other bytes for the addresses, and the model refuses it.
 */
export function tracksUnderlayTraffic(underlay: readonly string[] = []): boolean {
  return underlay.some((flow) => flow.includes('in_port=LOCAL') && flow.includes('ct('));
}
