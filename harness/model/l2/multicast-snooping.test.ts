/**
 * Goal: what IGMP and MLD say decides where multicast goes, for as long as it holds. Method: one
 * bridge that snoops; messages, data and time by hand, and the ports that each packet reaches.
 */
import t from 'tap';
import type { SnoopingPlan } from '../../domain/plan/bridge-plan.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { encodeIcmp6 } from '../../packet/protocols/ip/icmp6.js';
import {
  encodeIgmp,
  encodeIgmpReport,
  igmpTypes,
  recordTypes,
} from '../../packet/protocols/ip/igmp.js';
import { encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { encodeIpv6 } from '../../packet/protocols/ip/ipv6.js';
import { encodeMld, encodeMldReport, mldTypes } from '../../packet/protocols/ip/mld.js';
import { newest, type Version } from '../behaviour.js';
import { buildNode } from '../build-node.js';
import { applyCall } from '../apply-call.js';
import { receiveFrame } from '../receive-frame.js';

const src = '0a:00:00:00:00:01';
const hosts = { src: 'fe80::1', dst: 'ff02::16' };

function ipv4(protocol: number, payload: Uint8Array, dst = '239.1.1.1'): Uint8Array {
  return encodeEthernet(
    { src, dst: '01:00:5e:01:01:01', etherType: etherTypes.ipv4 },
    encodeIpv4({ src: '10.0.0.1', dst, protocol, ttl: 1 }, payload),
  );
}

function ipv6(
  payload: Uint8Array,
  nextHeader: number = ipProtocols.icmp6,
  dst = hosts.dst,
): Uint8Array {
  return encodeEthernet(
    { src, dst: '33:33:00:00:00:16', etherType: etherTypes.ipv6 },
    encodeIpv6({ ...hosts, dst, nextHeader, hopLimit: 1 }, payload),
  );
}

const igmp = (type: number, group = '239.1.1.1') =>
  ipv4(ipProtocols.igmp, encodeIgmp({ type, code: 0, group }));
const data = ipv4(ipProtocols.udp, new Uint8Array(8));

/** A bridge with ports p1 … p4, and the ports that a frame into one of them reaches. */
function snoopingSwitch(multicastSnooping: SnoopingPlan, version: Version = newest) {
  const ports = [1, 2, 3, 4].map((ofport) => ({
    kind: 'endpoint' as const,
    name: `p${ofport}`,
    ofport,
  }));
  const node = buildNode(
    {
      node: 'n1',
      hosts: [],
      bridges: [
        {
          name: 'br0',
          mac: '02:00:00:00:00:fe',
          ports,
          flows: ['actions=NORMAL'],
          multicastSnooping,
        },
      ],
    },
    version,
  );
  return {
    reached: (port: string, frame: Uint8Array) =>
      receiveFrame(node, port, frame)
        .step.outputs.map((output) => output.port)
        .join(' '),
    wait: (seconds: number) => {
      applyCall(node, { kind: 'advance', node: 'n1', ms: seconds * 1000 });
    },
  };
}

void t.test('those who asked', (t) => {
  const { reached, wait } = snoopingSwitch({});
  t.equal(reached('p1', data), 'br0 p2 p3 p4', 'nobody asked');
  t.equal(reached('p2', igmp(igmpTypes.reportV2)), '', 'there is no router to report to');
  t.equal(reached('p1', data), 'p2');
  t.equal(reached('p3', igmp(igmpTypes.query)), 'br0 p1 p2 p4');
  t.equal(reached('p4', igmp(igmpTypes.reportV1)), 'p3', 'reports go to routers');
  t.equal(reached('p1', data), 'p2 p3 p4');
  t.equal(
    reached(
      'p2',
      ipv4(
        ipProtocols.igmp,
        encodeIgmpReport([{ type: recordTypes.toInclude, group: '239.1.1.1', sources: [] }]),
      ),
    ),
    'p3',
  );
  t.equal(reached('p1', data), 'p3 p4', 'a report of no sources is a leave');
  wait(180);
  t.equal(reached('p1', data), 'p4', 'routers are forgotten first');
  wait(120);
  t.equal(reached('p1', data), 'br0 p2 p3 p4');
  t.equal(
    reached('p1', ipv4(ipProtocols.udp, new Uint8Array(8), '224.0.0.251')),
    'br0 p2 p3 p4',
    'link-local',
  );
  t.end();
});

void t.test('a router where somebody had asked before gets everything twice', (t) => {
  const { reached } = snoopingSwitch({});
  reached('p2', igmp(igmpTypes.reportV2));
  reached('p2', igmp(igmpTypes.query));
  t.equal(reached('p1', data), 'p2 p2');
  t.end();
});

void t.test('of IPv6, and ports that get everything', (t) => {
  const { reached } = snoopingSwitch({
    unregistered: 'to routers',
    flood: ['p4'],
    floodReports: ['p3'],
  });
  const stream = ipv6(new Uint8Array(8), ipProtocols.udp, 'ff15::1');
  t.equal(reached('p1', stream), 'p4');
  t.equal(reached('p2', ipv6(encodeMld(mldTypes.report, 'ff15::1', hosts))), 'p3');
  t.equal(
    reached('p4', ipv6(encodeMld(mldTypes.query, '::', hosts))),
    'br0 p1 p2 p3',
    'where everything goes nothing is learned',
  );
  t.equal(reached('p1', stream), 'p2 p4');
  t.equal(
    reached(
      'p3',
      ipv6(
        encodeMldReport(
          [{ type: recordTypes.isExclude, group: 'ff15::1', sources: ['fd00::9'] }],
          hosts,
        ),
      ),
    ),
    '',
  );
  t.equal(
    reached('p3', ipv6(encodeMld(mldTypes.done, 'ff15::1', hosts))),
    '',
    'others may still want it there',
  );
  t.equal(reached('p1', stream), 'p2 p3 p4');
  t.equal(
    reached('p1', ipv6(new Uint8Array(8), ipProtocols.udp, 'ff02::1')),
    'br0 p2 p3 p4',
    'all nodes',
  );
  t.end();
});

void t.test('a wrong checksum, and what is not whole', (t) => {
  const wrong = igmp(igmpTypes.reportV2);
  wrong[wrong.length - 1] = 9;
  const { reached } = snoopingSwitch({});
  t.equal(reached('p2', wrong), '');
  t.equal(reached('p1', data), 'br0 p2 p3 p4');
  const short = ipv6(
    encodeIcmp6({ type: mldTypes.report, code: 0, rest: 0 }, new Uint8Array(), hosts),
  );
  t.equal(reached('p2', short), '');
  t.throws(() => snoopingSwitch({}, [3, 5]).reached('p2', short), {
    name: 'Unsupported',
    message: /may end itself at a message of MLD that is cut off/,
  });
  t.throws(() => snoopingSwitch({ flood: ['p9'] }), {
    name: 'InputError',
    message: 'multicast snooping of bridge br0 is about port "p9", which is not there',
  });
  t.end();
});
