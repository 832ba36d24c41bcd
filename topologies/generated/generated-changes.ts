/** A generated cluster whose policies change, one thing after the other. */
import { assert } from '../../harness/base/errors/errors.js';
import { randomFor } from '../../harness/base/random.js';
import type { Cluster } from '../../harness/kube/objects.js';
import {
  apply,
  manifestsOf,
  nameOf,
  remove,
  type ChangingCluster,
  type Manifest,
} from '../changing-cluster.js';
import { antreaClusterOf } from '../antrea/read-antrea-cluster.js';
import { generatedManifests, generatedOptions } from './generated-policies.js';
import { type GeneratedSize } from './generated-values.js';

export interface ChangedCluster {
  readonly cluster: Cluster;
  /** What made it so of the one before: `ClusterNetworkPolicy gate comes`. */
  readonly what: string;
}

/**
 * Of the two namespaces with a label, the one whose label changes, and the label that it has at
 * first.
 */
interface Given {
  readonly namespace: Manifest;
  readonly team: string;
}

type Change = (
  cluster: ChangingCluster,
  given: Given,
) => readonly [changed: ChangingCluster, what: string];

/**
 * Each of them changes who reaches whom, for this policy comes before all of the generated ones but
 * the first.
 */
const changes: readonly Change[] = [
  (cluster, { team }) => {
    const policy = gate(team, []);
    return [apply(cluster, [policy]), `${nameOf(policy)} comes`];
  },
  (cluster, { team }) => {
    const policy = gate(team, [
      { protocol: 'TCP', port: 80 },
      { protocol: 'UDP', port: 53 },
    ]);
    return [apply(cluster, [policy]), `${nameOf(policy)} changes`];
  },
  (cluster, { namespace, team }) => {
    const other = team === 'red' ? 'blue' : 'red';
    return [
      apply(cluster, [
        {
          ...namespace,
          metadata: { ...namespace.metadata, labels: { team: other } } as Manifest['metadata'],
        },
      ]),
      `${nameOf(namespace)} becomes team=${other}`,
    ];
  },
  (cluster, { team }) => [remove(cluster, gate(team, [])), `${nameOf(gate(team, []))} goes`],
];

/**
 * The cluster of `generatedManifests` after the first `count` of its changes, of which there are
 * four; the same for the same seed and size.
 */
export function changedCluster(seed: number, size: GeneratedSize, count: number): ChangedCluster {
  const { text, file } = generatedManifests(seed, size);
  let [now, what]: readonly [ChangingCluster, string] = [
    antreaClusterOf(manifestsOf(text, file), generatedOptions(seed, size)),
    'nothing has changed',
  ];
  const given = givenIn(now, seed);
  for (const change of changes.slice(0, count)) [now, what] = change(now, given);
  return { cluster: now.cluster, what };
}

/**
 * Pods of the team's namespaces, and of `default`, are reached from the team's on any port, and by
 * everybody on `ports` alone.
 */
function gate(team: string, ports: readonly object[]): Manifest {
  const ofTeam = { namespaceSelector: { matchLabels: { team } } };
  return {
    apiVersion: 'security.antrea.tanzu.vmware.com/v1alpha1',
    kind: 'ClusterNetworkPolicy',
    metadata: { name: 'gate' },
    spec: {
      priority: 1.5,
      appliedTo: [
        ofTeam,
        { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } } },
      ],
      egress: [],
      ingress: [
        { action: 'Allow', from: [ofTeam] },
        ...(ports.length === 0 ? [] : [{ action: 'Allow', ports }]),
        { action: 'Drop' },
      ],
    },
  } as Manifest;
}

function givenIn({ manifests }: ChangingCluster, seed: number): Given {
  const labelled = manifests.filter(({ kind }) => kind === 'Namespace');
  const namespace =
    labelled[randomFor(seed, 'changes of policies').integer(0, labelled.length - 1)];
  const team = (namespace?.metadata as { readonly labels?: { readonly team?: string } } | undefined)
    ?.labels?.team;
  assert(
    namespace !== undefined && team !== undefined,
    'a generated cluster has namespaces with a team',
  );
  return { namespace, team };
}
