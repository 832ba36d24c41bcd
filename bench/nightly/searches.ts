/** Searches: a commit of flows, a commit of Open vSwitch, and the smallest case of a failure. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { within } from '../../harness/base/files/path-part.js';
import type { Stimulus } from '../../harness/domain/test-vector.js';
import type { Network } from '../../harness/kube/objects.js';
import truthTable from '../../scenarios/antrea/truth-table.js';
import { flowbedIn, root, type Measured } from './measure-command.js';
import { buildOfCommits, commitCount, ovsCommits, vectorOfCommits } from './ovs-commits.js';

/** 64 commits of a user's flows, of which the 41st keeps a pod from another. */
export async function bisectFlows(scratch: string): Promise<readonly Measured[]> {
  const repository = await makeUser(
    join(scratch, 'user'),
    'priority=200,ip,nw_src=10.10.1.2,nw_dst=10.10.1.3 actions=drop\n',
  );
  return [
    {
      what: 'bisect over 64 commits',
      bar: '120 s',
      ...(await flowbedIn(scratch, {
        args: [
          ...['bisect', 'ping/p1/p2', '--scenario', 'wall.ts', '--repo', repository],
          ...['--good', 'HEAD~64', '--bad', 'HEAD'],
        ],
        line: /^# first bad commit: \[\w+\] change 41$/m,
      })),
    },
  ];
}

/** A repository of the scenario of docs/scenarios.md: its 41st commit adds flows. */
async function makeUser(repository: string, planted: string): Promise<string> {
  await mkdir(repository);
  const git = (...args: readonly string[]) =>
    promisify(execFile)('git', [
      ...['-C', repository, '-c', 'user.name=bench', '-c', 'user.email=bench@example.org', ...args],
    ]);
  await git('init', '-q');
  const wall = await readFile(join(root, 'docs/scenarios.md'), 'utf8');
  for (const name of ['network.yaml', 'wall.flows', 'wall.ts'])
    await writeFile(within(repository, name), blockNamed(wall, name));
  const flows = blockNamed(wall, 'wall.flows');
  for (let number = 0; number <= 64; number++) {
    const added = number >= 41 ? planted : '';
    await writeFile(join(repository, 'wall.flows'), `${flows}${added}# change ${number}\n`);
    await git('add', '-A');
    await git('commit', '-q', '-m', `change ${number}`);
  }
  return repository;
}

/** How the blocks of the page begin that hold these files. */
const beginnings: Readonly<Record<string, string>> = {
  'network.yaml': '# yaml-language-server',
  'wall.flows': '# br-int',
  'wall.ts': 'import { readFileSync }',
};

/** What a page has in a block for a file. */
function blockNamed(page: string, name: string): string {
  const blocks = [...page.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  const found = blocks.find((text) => text.startsWith(beginnings[name] ?? name));
  if (found === undefined) throw new Error(`docs/scenarios.md has no ${name}`);
  return found;
}

/** Open vSwitch itself, built: at first what is not kept yet, then once more. */
export async function bisectOvs(scratch: string): Promise<readonly Measured[]> {
  const repository = await ovsCommits(console.error);
  const planted = (await promisify(execFile)('git', ['-C', repository, 'rev-parse', 'planted']))
    .stdout;
  const firstBad = `# first bad commit: \\[${planted.trim()}\\].*`;
  const tree = ['--ovs-tree', repository, '--build', buildOfCommits];
  const measured: Measured[] = [];
  for (const when of ['and builds', 'built before'])
    measured.push({
      what: `bisect over ${commitCount} commits of Open vSwitch, ${when}`,
      bar: when === 'and builds' ? 'none' : '120 s',
      ...(await flowbedIn(scratch, {
        args: [
          ...['bisect', vectorOfCommits, '--scenario', 'antrea/encap', ...tree],
          ...['--good', `HEAD~${commitCount}`, '--bad', 'HEAD'],
        ],
        line: new RegExp(`^${firstBad}$`, 'm'),
      })),
    });
  return [...measured, await bisectBoth(scratch, tree, firstBad)];
}

/** Only together do they fail: flows that count down a TTL, and a switch that does it wrongly. */
async function bisectBoth(
  scratch: string,
  tree: readonly string[],
  firstBad: string,
): Promise<Measured> {
  const repository = await makeUser(
    join(scratch, 'both'),
    'priority=50,icmp actions=dec_ttl,resubmit(,1)\ntable=1,icmp,nw_ttl=63 actions=NORMAL\n',
  );
  return {
    what: `bisect over images, ${commitCount} commits of flows and ${commitCount} of Open vSwitch`,
    bar: 'none',
    ...(await flowbedIn(scratch, {
      args: [
        ...['bisect', 'ping/p1/p2', '--scenario', 'wall.ts', '--repo', repository, ...tree],
        ...['--good', `image=bookworm,repo=HEAD~64,ovs=HEAD~${commitCount}`],
        ...['--bad', 'image=trixie,repo=HEAD,ovs=HEAD'],
      ],
      line: new RegExp(
        '^# it is repo with ovs: the others may stay$[^]*' +
          `^# first bad commit: \\[\\w+\\] change 41$[^]*^${firstBad}$`,
        'm',
      ),
    })),
  };
}

/** A control plane that forgets one policy, in 50 pods under 200 policies. */
const forgetful = (policy: string) => `import original from 'flowbed/scenarios/antrea/truth-table';
const { controlPlane } = original;
const kept = ({ metadata }) => metadata.name !== '${policy}';
const without = (cluster) => ({
  ...cluster,
  objects: {
    ...cluster.objects,
    clusterNetworkPolicies: cluster.objects.clusterNetworkPolicies.filter(kept),
  },
});
export default {
  ...original,
  name: 'bench/forgetful',
  controlPlane: {
    ...controlPlane,
    plan: (cluster, before) => controlPlane.plan(without(cluster), before),
  },
};
`;

const axes = { pods: '50', policies: '1', change: '0' } as const;

export async function shrinkPolicies(scratch: string): Promise<readonly Measured[]> {
  const { vector, policy } = forgottenPolicy();
  await writeFile(join(scratch, 'forgetful.ts'), forgetful(policy));
  return [
    {
      what: `shrink ${vector} of 50 pods and 200 policies`,
      bar: '60 s',
      ...(await flowbedIn(scratch, {
        args: [
          ...['shrink', vector, '--scenario', 'forgetful.ts', '--out', 'small'],
          ...['--set', 'pods=50,policies=1,change=0'],
        ],
        line: /^→ .* tries$/m,
      })),
    },
  ];
}

/** The first of a policy's name whose vector is promised something else without it. */
function forgottenPolicy(): { readonly vector: string; readonly policy: string } {
  const { intent, controlPlane, topology, vectors } = truthTable;
  const network: Network = topology(axes);
  const promised = (cluster: Network, stimulus: Stimulus) =>
    intent(cluster, stimulus, controlPlane.promises);
  const denied = vectors(network).filter(({ id }) => id.startsWith('tcp-'));
  for (const { metadata } of network.objects?.clusterNetworkPolicies ?? []) {
    const without = withoutPolicy(network, metadata.name);
    const found = denied.find(
      ({ stimulus }) =>
        promised(network, stimulus).kind === 'denied' &&
        promised(without, stimulus).kind !== 'denied',
    );
    if (found !== undefined) return { vector: found.id, policy: metadata.name };
  }
  throw new Error('no promise depends on one policy alone');
}

function withoutPolicy(cluster: Network, policy: string): Network {
  const { objects } = cluster;
  if (objects === undefined) return cluster;
  const clusterNetworkPolicies = objects.clusterNetworkPolicies.filter(
    ({ metadata }) => metadata.name !== policy,
  );
  return { ...cluster, objects: { ...objects, clusterNetworkPolicies } };
}
