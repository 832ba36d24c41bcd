// Goal: topology files are read in both forms of links, keep what the client does not know, and are
// refused with their place where they are wrong. Method: small files; one mistake each.
import t from 'tap';
import { linksOf, nodeOf, printLabFile, readLabFile } from './lab-file.js';

const text = `name: fb2
mgmt: {network: fb2, ipv4-subnet: 172.31.250.0/24}
topology:
  defaults: {kind: linux, image: "flowbed:trixie", privileged: false}
  kinds:
    linux: {cap-add: [NET_ADMIN, NET_RAW], devices: [/dev/net/tun]}
    bridge:
  nodes:
    n1: {exec: [ip link], memory: 1Gb}
    n2: {image: "flowbed:sid"}
    br-underlay: {kind: bridge}
  links:
    - endpoints: ["n1:eth1", "br-underlay:n1"]
      mtu: 1500
    - type: veth
      endpoints: [{node: n1, interface: eth2, mac: "02:00:00:00:00:01"}, {node: n2, interface: eth2}]
    - {type: host, endpoint: {node: n2, interface: eth3}, host-interface: n2-eth3}
`;

void t.test('nodes get what defaults and kinds give', (t) => {
  const lab = readLabFile(text, 'fb2.clab.yml');
  t.match(nodeOf(lab, 'n1'), {
    kind: 'linux',
    image: 'flowbed:trixie',
    'cap-add': ['NET_ADMIN', 'NET_RAW'],
    exec: ['ip link'],
    memory: '1Gb',
  });
  t.equal(nodeOf(lab, 'n2')?.image, 'flowbed:sid');
  t.equal(nodeOf(lab, 'n3'), undefined);
  t.end();
});

void t.test('links of both forms, and those of other types by name', (t) => {
  t.strictSame(linksOf(readLabFile(text, 'fb2.clab.yml')), {
    veths: [
      {
        ends: [
          { node: 'n1', interface: 'eth1' },
          { node: 'br-underlay', interface: 'n1' },
        ],
        mtu: 1500,
      },
      {
        ends: [
          { node: 'n1', interface: 'eth2', mac: '02:00:00:00:00:01' },
          { node: 'n2', interface: 'eth2' },
        ],
      },
    ],
    others: ['host'],
  });
  t.end();
});

void t.test('what is printed is read as the same', (t) => {
  const lab = readLabFile(text, 'fb2.clab.yml');
  t.strictSame(readLabFile(printLabFile(lab), 'again.clab.yml'), lab);
  t.end();
});

void t.test('mistakes have a place', (t) => {
  const refused = (from: string | RegExp, to: string, message: RegExp) =>
    t.throws(() => readLabFile(text.replace(from, to), 'fb2.clab.yml'), { message }, to);
  refused('name: fb2', 'name: "fb 2"', /^fb2\.clab\.yml:1:\d+: .*expected a name/);
  refused('name: fb2\n', '', /name/);
  refused('"n1:eth1"', '"n1"', /^fb2\.clab\.yml:13:/);
  refused('interface: eth2}]', 'interface: a-name-of-sixteen}]', /^fb2\.clab\.yml:16:/);
  refused('type: host', 'type: hosts', /^fb2\.clab\.yml:17:/);
  refused('privileged: false', 'privileged: no', /^fb2\.clab\.yml:4:64: /);
  t.end();
});
