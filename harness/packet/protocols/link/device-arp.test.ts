// Goal: the device of a LOCAL port answers ARP requests for its own address and nothing else.
// Method: one request, and siblings that differ in one thing. That real switches do the same the
// scenario antrea/external-hosts shows.
import t from 'tap';
import { arpOperations, decodeArp, encodeArp, type ArpPacket } from './arp.js';
import { deviceArpReply } from './device-arp.js';
import { decodeEthernet, encodeEthernet, etherTypes } from './ethernet.js';

const device = { ip: '172.30.0.1', mac: '0a:00:ac:1e:00:01' };
const asker = '0a:00:ac:1e:ff:01';
const request: ArpPacket = {
  op: arpOperations.request,
  sha: '02:00:00:00:00:77',
  spa: '172.30.255.1',
  tha: '00:00:00:00:00:00',
  tpa: device.ip,
};
const asked = (change: Partial<ArpPacket> = {}, etherType: number = etherTypes.arp) =>
  deviceArpReply(
    encodeEthernet(
      { dst: 'ff:ff:ff:ff:ff:ff', src: asker, etherType },
      encodeArp({ ...request, ...change }),
    ),
    device,
  );

void t.test('an answer to who sent the frame', async (t) => {
  const answer = decodeEthernet(asked() ?? new Uint8Array());
  t.same(answer?.header, { dst: asker, src: device.mac, etherType: etherTypes.arp });
  t.same(decodeArp(answer?.payload ?? new Uint8Array()), {
    op: arpOperations.reply,
    sha: device.mac,
    spa: device.ip,
    tha: asker,
    tpa: request.spa,
  });
  t.equal(asked({ tpa: '172.30.0.2' }), undefined, 'another address');
  t.equal(asked({ op: arpOperations.reply }), undefined, 'no request');
  t.equal(asked({}, etherTypes.ipv4), undefined, 'no ARP');
  const whole = encodeEthernet(
    { dst: 'ff:ff:ff:ff:ff:ff', src: asker, etherType: etherTypes.arp },
    encodeArp(request),
  );
  for (const length of [13, 14, 41])
    t.equal(
      deviceArpReply(whole.subarray(0, length), device),
      undefined,
      `the first ${length} bytes`,
    );
  t.ok(deviceArpReply(whole.subarray(0, 42), device));
});
