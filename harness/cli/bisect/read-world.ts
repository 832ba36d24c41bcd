/** Worlds as people name them: `image=bookworm,repo=v1.2`. */
import { InputError, unknownName } from '../../base/errors/errors.js';
import { components, type Component, type World, type WorldOptions } from './bisect-world.js';
import { commitOf } from './git-tree.js';

export function describeWorld(world: World): string {
  return components
    .flatMap((one) => (world[one] === undefined ? [] : [`${one}=${world[one].slice(0, 12)}`]))
    .join(',');
}

/** `image=bookworm,repo=v1.2`, or a value alone where there is one component. */
export async function readWorld(
  options: WorldOptions,
  option: string,
  text: string,
): Promise<World> {
  const only: Component =
    (['repo', 'ovs', 'ovn'] as const).find((one) => hasTree(options, one)) ?? 'image';
  const world: Partial<Record<Component, string>> = {};
  for (const part of text.split(',')) {
    const [, name = only, value = ''] = /^(?:(\w+)=)?(.+)$/.exec(part) ?? [];
    const component = components.find((one) => one === name);
    if (component === undefined) throw unknownName(`component of ${option}`, name, components);
    const tree = treeOf(options, component);
    world[component] = tree === undefined ? value : (await commitOf(tree, value)).sha;
  }
  return { image: 'trixie', ...world };
}

function hasTree({ repo, ovsTree, ovnTree }: WorldOptions, one: 'repo' | 'ovs' | 'ovn'): boolean {
  return { repo, ovs: ovsTree, ovn: ovnTree }[one] !== undefined;
}

export function treeOf(
  { repo, ovsTree, ovnTree }: WorldOptions,
  component: Component,
): string | undefined {
  if (component === 'image') return undefined;
  const tree = { repo, ovs: ovsTree, ovn: ovnTree }[component];
  if (tree === undefined)
    throw new InputError(
      `${component}=… needs a repository: ` +
        `--${component === 'repo' ? 'repo' : `${component}-tree`} ` +
        'FOLDER',
    );
  return tree;
}
