/** A Kubernetes API server, built once from its Go module: no registry ships the program. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from './cache.js';
import { execute } from './execute.js';
import { cachedAndRecorded, recordedFolder } from './recorded-folder.js';

/** Of Kubernetes; its staging repositories have the version 0.35.4. */
export const kubeVersion = '1.35.4';

/** Its end is raised when the way in which it is made changes. */
const folderName = `kube-apiserver-${kubeVersion}-2`;

/**
 * The program, where it has been built; undefined where it has not.
 * @throws Unavailable where it is not as it was built.
 */
export async function kubeApiserver(cache = cacheFolder()): Promise<string | undefined> {
  const folder = await recordedFolder(cache, folderName);
  return folder === undefined ? undefined : join(folder, 'kube-apiserver');
}

/**
 * Builds it into the cache: six minutes on two processors, 3 GB for modules and objects of Go.
 * @throws Unavailable with what go has said last.
 */
export async function buildKubeApiserver(
  say: (line: string) => void,
  cache = cacheFolder(),
): Promise<string> {
  const folder = await cachedAndRecorded(cache, folderName, async (folder) => {
    say(`building kube-apiserver ${kubeVersion} with Go (once, about 6 minutes)…`);
    const go = async (...args: readonly string[]) => await run(folder, args);
    const { GoMod: file } = JSON.parse(
      await go('mod', 'download', '-json', `k8s.io/kubernetes@v${kubeVersion}`),
    ) as { readonly GoMod: string };
    await writeFile(join(folder, 'go.mod'), moduleFile(await readFile(file, 'utf8')));
    await writeFile(
      join(folder, 'tools.go'),
      '//go:build tools\npackage kapi\nimport _ "k8s.io/kubernetes/cmd/kube-apiserver"\n',
    );
    await go('mod', 'tidy');
    const [major, minor] = kubeVersion.split('.');
    const version = 'k8s.io/component-base/version';
    await go(
      ...['build', '-trimpath', '-ldflags'],
      // Without a version it does not start.
      `-s -w -X ${version}.gitVersion=v${kubeVersion} -X ${version}.gitMajor=${major} ` +
        `-X ${version}.gitMinor=${minor}`,
      ...['-o', 'kube-apiserver', 'k8s.io/kubernetes/cmd/kube-apiserver'],
    );
  });
  return join(folder, 'kube-apiserver');
}

/** Kubernetes' staging repositories are modules of their own, with a version of their own. */
function moduleFile(ofKubernetes: string): string {
  const staging = [...ofKubernetes.matchAll(/(k8s\.io\/[a-z0-9-]+) => \.\/staging/g)].map(
    ([, name = '']) => name,
  );
  const own = kubeVersion.replace(/^1/, '0');
  return [
    ...['module kapi', 'go 1.25.0', 'godebug default=go1.25'],
    `require k8s.io/kubernetes v${kubeVersion}`,
    ...['replace (', ...new Set(staging.map((name) => `  ${name} => ${name} v${own}`)), ')', ''],
  ].join('\n');
}

async function run(folder: string, args: readonly string[]): Promise<string> {
  return await execute('go', args, {
    purpose: 'build kube-apiserver',
    cwd: folder,
    env: { GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' },
    remedies: ['it needs Go 1.25 or newer, and a proxy of Go modules: go env GOPROXY'],
    limitMs: 60 * 60_000,
  });
}
