/** How the API server is reached, as kubectl and pods reach it: by Kubernetes' own client. */
import { existsSync } from 'node:fs';
import { KubeConfig } from '@kubernetes/client-node';
import { complaint, InputError } from '../../base/errors/errors.js';

export interface ApiOptions {
  /** A URL; else a kubeconfig file; else what a pod is given. */
  readonly api?: string | undefined;
  readonly kubeconfig?: string | undefined;
  readonly token?: string | undefined;
  /** A file of certificates. */
  readonly ca?: string | undefined;
  readonly insecure: boolean;
}

/** @throws InputError where no server is named, or a file is not there. */
export function apiAccess(options: ApiOptions): KubeConfig {
  const config = new KubeConfig();
  const { api, kubeconfig } = options;
  if (api !== undefined) config.loadFromOptions(named(api, options));
  else if (kubeconfig !== undefined) {
    const wrong = existsSync(kubeconfig)
      ? complaint(() => config.loadFromFile(kubeconfig))
      : 'there is no such file';
    if (wrong !== undefined) throw new InputError(`--kubeconfig ${kubeconfig}: ${wrong}`);
  } else if (process.env['KUBERNETES_SERVICE_HOST'] === undefined)
    throw new InputError('--api or --kubeconfig is missing, and this is no pod');
  else config.loadFromCluster();
  if (config.getCurrentCluster() === null)
    throw new InputError(`--kubeconfig ${String(kubeconfig)}: its current context has no cluster`);
  return config;
}

function named(api: string, { token, ca, insecure }: ApiOptions): object {
  if (!/^https?:\/\/[^/]/.test(api))
    throw new InputError(`--api: expected a URL such as https://127.0.0.1:6443, got ${api}`);
  if (ca !== undefined && !existsSync(ca))
    throw new InputError(`--ca ${ca}: there is no such file`);
  return {
    clusters: [
      {
        name: 'named',
        server: api,
        // Without TLS there is nothing to be verified, and the client wants that said.
        skipTLSVerify: insecure || api.startsWith('http:'),
        ...(ca === undefined ? {} : { caFile: ca }),
      },
    ],
    users: [{ name: 'watcher', ...(token === undefined ? {} : { token }) }],
    contexts: [{ name: 'named', cluster: 'named', user: 'watcher' }],
    currentContext: 'named',
  };
}
