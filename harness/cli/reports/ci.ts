/** `flowbed ci TARGET`: files that run the shards of a matrix on several machines. */
import { InputError, unknownName } from '../../base/errors/errors.js';
import { exitCodes, type Context } from '../context.js';

export interface CiOptions {
  readonly shards: string;
  /** Where it is missing, one that the target's file fits. */
  readonly image?: string;
}

const targets = { github, gitlab, kubernetes, slurm } as const;

/** Checkouts are made there; a Job has none, and needs what images/container builds. */
const usualImages = {
  github: 'node:20-bookworm',
  gitlab: 'node:20-bookworm',
  kubernetes: 'flowbed',
  slurm: '',
} as const;

export function ci(
  { print }: Pick<Context, 'print'>,
  target: string,
  { shards, image: given }: CiOptions,
): number {
  const name = (Object.keys(targets) as (keyof typeof targets)[]).find((one) => one === target);
  if (name === undefined) throw unknownName('target', target, Object.keys(targets));
  if (!/^[1-9]\d{0,3}$/.test(shards))
    throw new InputError(`--shards: expected a number from 1 to 9999, got "${shards}"`);
  if (given !== undefined && !/^[\w./:@-]+$/.test(given))
    throw new InputError(`--image: expected the name of a container image, got "${given}"`);
  const image = given ?? usualImages[name];
  print(targets[name](Number(shards), image).trimEnd());
  return exitCodes.conforms;
}

function github(shards: number, image: string): string {
  return `name: conformance
on: [push, pull_request]
jobs:
  run:
    runs-on: ubuntu-latest
    container: ${image}
    env:
      FLOWBED_TRUST_CACHE: 'yes'
    strategy:
      fail-fast: false
      matrix:
        shard: [${numbers(shards).join(', ')}]
    steps:
      - uses: actions/checkout@v4
      - run: ./flowbed run --shard \${{ matrix.shard }}/${shards}
      - if: always()
        uses: actions/upload-artifact@v4
        with:
          name: run-\${{ matrix.shard }}
          path: runs/1
  merge:
    if: always()
    needs: run
    runs-on: ubuntu-latest
    container: ${image}
    steps:
      - uses: actions/checkout@v4
      - uses: actions/download-artifact@v4
        with:
          path: shards
      - run: ./flowbed merge shards/* --report reports
      - if: always()
        uses: actions/upload-artifact@v4
        with:
          name: conformance
          path: reports
`;
}

function gitlab(shards: number, image: string): string {
  return `default:
  image: ${image}
variables:
  FLOWBED_CACHE: $CI_PROJECT_DIR/.cache/flowbed
  FLOWBED_TRUST_CACHE: 'yes'
stages: [run, merge]
run:
  stage: run
  parallel: ${shards}
  script:
    - ./flowbed run --shard $CI_NODE_INDEX/$CI_NODE_TOTAL
  after_script:
    - mkdir -p shards && mv runs/1 shards/$CI_NODE_INDEX
  artifacts:
    when: always
    paths: [shards]
merge:
  stage: merge
  when: always
  script:
    - ./flowbed merge shards/* --report reports
  artifacts:
    when: always
    paths: [reports]
    reports:
      junit: reports/junit.xml
`;
}

function kubernetes(shards: number, image: string): string {
  return `apiVersion: batch/v1
kind: Job
metadata:
  name: flowbed
spec:
  completionMode: Indexed
  completions: ${shards}
  parallelism: ${shards}
  backoffLimitPerIndex: 0
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: flowbed
          image: ${image}
          workingDir: /flowbed
          command: [sh, -c]
          args:
            - |
              ./flowbed run --shard "$((JOB_COMPLETION_INDEX + 1))/${shards}"
              code=$?
              mkdir -p /shards && mv runs/1 "/shards/$JOB_COMPLETION_INDEX"
              exit "$code"
          volumeMounts:
            - name: shards
              mountPath: /shards
      volumes:
        - name: shards
          persistentVolumeClaim:
            claimName: flowbed-shards
`;
}

function slurm(shards: number): string {
  return `#!/bin/sh
#SBATCH --job-name=flowbed
#SBATCH --array=1-${shards}
#SBATCH --cpus-per-task=2
#SBATCH --mem=4G
# Each task works in a clone of its own: run folders are numbered within it.
set -u
clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
git clone --quiet "$SLURM_SUBMIT_DIR" "$clone" && cd "$clone" || exit 3
./flowbed run --shard "$SLURM_ARRAY_TASK_ID/${shards}"
code=$?
mkdir -p "$SLURM_SUBMIT_DIR/shards"
mv runs/1 "$SLURM_SUBMIT_DIR/shards/$SLURM_ARRAY_TASK_ID"
exit "$code"
`;
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
