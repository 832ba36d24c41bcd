/** What tests need that has to be compiled first. */
import { buildK6, k6Program } from '../../images/k6.js';
import { buildKubeApiserver, kubeApiserver } from '../../images/kube-apiserver.js';
import { buildKernel } from '../../images/uml/kernel.js';
import { onPath } from '../base/files/on-path.js';

export interface BuiltForTests {
  readonly name: string;
  /** Names of the tests that are skipped without it. */
  readonly tests: RegExp;
  /**
   * @returns why it is not made; undefined once it is there.
   * @throws Unavailable where it fails.
   */
  readonly make: (say: (line: string) => void) => Promise<string | undefined>;
}

/** In this order, one after the other: each has all processors while it is compiled. */
export const builtForTests: readonly BuiltForTests[] = [
  {
    name: 'kernel of world uml',
    tests: /(^|\/)(ask-kernel|world[^/]*)\.live\.test\.ts$/,
    make: async (say) => {
      await buildKernel(say);
      return undefined;
    },
  },
  byGo('k6', /(^|\/)(http|http-on-containers|requests|setup)\.live\.test\.ts$/, k6Program, buildK6),
  byGo(
    'kube-apiserver',
    /(^|\/)(ovn-watcher|ci)\.live\.test\.ts$/,
    kubeApiserver,
    buildKubeApiserver,
  ),
];

function byGo(
  name: string,
  tests: RegExp,
  there: () => Promise<string | undefined>,
  build: (say: (line: string) => void) => Promise<string>,
): BuiltForTests {
  return {
    name,
    tests,
    make: async (say) => {
      if ((await there()) !== undefined) return undefined;
      if ((await onPath('go')) === undefined)
        return `there is no Go on PATH to compile ${name} with, and no package registry has it`;
      await build(say);
      return undefined;
    },
  };
}
