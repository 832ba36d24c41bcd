/** Goal: a host's stack is what the plan has. Method: a node of Antrea's and its rules as text. */
import assert from 'node:assert/strict';
import t from 'tap';
import { measuredPlan } from '../measured-paths.js';
import { natRules } from '../../testbeds/kernel/nat-rules.js';
import { stackCommands } from './stack-settings.js';

void t.test('a node has the addresses of its ports, and masquerades', (t) => {
  const [{ hosts = [] } = {}] = measuredPlan('encap', 0).nodes;
  const node = hosts.find(({ name }) => name === 'n1');
  const pod = hosts.find(({ name }) => name === 'client');
  assert(node?.forwarding !== undefined && pod !== undefined, 'they are planned');
  t.match(stackCommands(node, 1450).join('\n'), /addr replace 172\.30\.0\.1\/16 dev br-phys/);
  t.match(
    stackCommands(node, 1450).join('\n'),
    /10\.10\.2\.0\/24 via 10\.10\.2\.1 dev antrea-gw0 onlink/,
  );
  t.match(stackCommands(pod, 1450), [
    'link set dev lo up',
    'link set dev eth0 mtu 1450',
    'addr replace 10.10.1.2/24 dev eth0',
    'link set dev eth0 up',
    'route replace 0.0.0.0/0 via 10.10.1.1 dev eth0',
  ]);
  t.match(natRules(node.forwarding), /ip saddr \{ 10\.10\.1\.0\/24 \}.*masquerade/);
  t.end();
});
