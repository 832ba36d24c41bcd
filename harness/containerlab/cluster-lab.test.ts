// Goal: a cluster is the same after it was a lab, foreign labs are read as far as they can be run,
// and others are refused by name. Method: print and read; labs in both forms of links; planted: a
// node of another system, a link to nowhere.
import t from 'tap';
import { parse } from 'yaml';
import { clusterOfLab, labOfCluster, printClabernetes } from './cluster-lab.js';
import { linksOf, printLabFile, readLabFile } from './lab-file.js';

const spec = { image: 'flowbed:trixie-0123456789ab', cmd: 'sleep infinity' };
const cluster = (count: number) => ({
  name: 'three',
  nodes: Array.from({ length: count }, (_, index) => ({
    name: `n${index + 1}`,
    pods: [`p${2 * index + 1}`, `p${2 * index + 2}`],
  })),
});

void t.test('print and read', async (t) => {
  for (const count of [1, 2, 3, 5]) {
    const text = printLabFile(labOfCluster(cluster(count), spec));
    const lab = readLabFile(text, 'three.clab.yml');
    t.strictSame(clusterOfLab(lab, 'three.clab.yml'), cluster(count));
    const { veths } = linksOf(lab);
    t.equal(veths.length, (count * (count - 1)) / 2);
    const ends = veths.flatMap((link) => link.ends.map((end) => `${end.node}:${end.interface}`));
    t.equal(new Set(ends).size, ends.length, 'no interface is used twice');
    t.match(lab.topology.defaults, { privileged: false, devices: ['/dev/net/tun'] });
  }
});

void t.test('labs of others', async (t) => {
  const read = (text: string) => clusterOfLab(readLabFile(text, 'x.clab.yml'), 'x.clab.yml');
  t.strictSame(
    read(`name: x
topology:
  kinds: { linux: { image: alpine } }
  nodes:
    a: { kind: linux }
    b: { kind: linux, labels: { flowbed.pods: q1 q2 } }
    s: { kind: bridge }
  links:
    - endpoints: ["a:eth1", "s:a1"]
    - { type: veth, endpoints: [{ node: b, interface: eth1 }, { node: s, interface: b1 }] }
`),
    {
      name: 'x',
      nodes: [
        { name: 'a', pods: ['a-pod'] },
        { name: 'b', pods: ['q1', 'q2'] },
      ],
    },
  );
  t.throws(() => read('name: x\ntopology: { nodes: { a: { kind: nokia_srlinux } } }\n'), {
    message:
      'x.clab.yml: node a is of kind nokia_srlinux: expected linux, for Open vSwitch runs ' +
      'in it, or bridge',
  });
  t.throws(
    () =>
      read(
        'name: x\ntopology:\n  nodes: { a: { kind: linux } }\n' +
          '  links: [{ endpoints: ["a:e1", "c:e1"] }]\n',
      ),
    { message: /a link ends at c:e1: expected one of its nodes, a/ },
  );
});

void t.test('clabernetes', async (t) => {
  const lab = labOfCluster(cluster(2), spec);
  const made = parse(printClabernetes(lab, 'labs')) as {
    kind: string;
    metadata: object;
    spec: { definition: { containerlab: string } };
  };
  t.match(made, { kind: 'Topology', metadata: { name: 'three', namespace: 'labs' } });
  t.strictSame(readLabFile(made.spec.definition.containerlab, 'inner'), lab);
});
