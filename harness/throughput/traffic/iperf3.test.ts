/** Goal: iperf3 is called as asked and read as it prints. Method: what 3.18 printed, cut short. */
import t from 'tap';
import { asFastAsItCan, clientArguments, readIperf3 } from './iperf3.js';

const tcp = {
  start: { tcp_mss_default: 1398, version: 'iperf 3.18' },
  end: {
    sum_sent: { bytes: 67_000_000, seconds: 1.01, retransmits: 12, sender: true },
    sum_received: { bytes: 66_000_000, seconds: 1.02, sender: true },
    cpu_utilization_percent: { host_total: 4.5, remote_total: 10 },
  },
};
const udp = {
  start: {},
  end: {
    sum: { bytes: 1_200_000, seconds: 1, packets: 1000, lost_packets: 40 },
    sum_sent: { bytes: 1_200_000, seconds: 1, packets: 1000 },
    sum_received: { bytes: 1_152_000, seconds: 1.1, packets: 1000, lost_packets: 40 },
    cpu_utilization_percent: { host_total: 90, remote_total: 30 },
  },
};

void t.test('it is called as asked', (t) => {
  const call = { ip: '10.0.0.1', port: 7, seconds: 2 };
  t.equal(
    clientArguments({ ...call, protocol: 'TCP', parallel: 4, direction: 'reverse' }).join(' '),
    '--client 10.0.0.1 --port 7 --time 2 --json --parallel 4 --reverse',
  );
  t.match(
    clientArguments({ ...call, protocol: { udpBytes: 1200, bitsPerSecond: asFastAsItCan } }),
    /--udp,--length,1200,--bitrate,0$/,
  );
  t.end();
});

void t.test('what the receiver has counted is the result', (t) => {
  t.match(readIperf3(JSON.stringify(tcp)), {
    bytes: 66_000_000,
    seconds: 1.02,
    retransmits: 12,
    segmentBytes: 1398,
    clientNs: 0.045 * 1.02e9,
    serverNs: 0.1 * 1.02e9,
  });
  t.match(readIperf3(JSON.stringify(udp)), { datagrams: { sent: 1000, lost: 40 } });
  t.end();
});

void t.test('what is no result is refused with its words', (t) => {
  t.throws(() => readIperf3('{"error": "unable to connect to server"}'), {
    name: 'Unavailable',
    message: 'iperf3 failed: unable to connect to server',
  });
  for (const text of ['', 'iperf3: error', '{}'])
    t.throws(() => readIperf3(text), { name: 'Unavailable', message: /did not say/ });
  t.end();
});
