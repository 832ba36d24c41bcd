/**
 * What is asked of the Docker engines of a cluster, and what befalls those who serve them: the
 * plugin's own program plays it, and what it leaves is what hypervisors are.
 */

/** By its number in the seed's drawing, "Container creation lifecycle". */
export type CreatingStep = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13;

/** The same in reverse, by what is done then. */
export type RemovingStep = 'port deleted' | 'endpoint deleted' | 'virtual-machine deleted';

/**
 * `run` makes the container's Docker network as well where its hypervisor has none yet, and
 * `remove` takes it along with the last container. What holds after a step stays there until it
 * continues.
 */
export type EngineCall =
  | {
      readonly kind: 'run';
      readonly container: string;
      readonly holdsAfter?: CreatingStep;
      /** HNS answers before the Forwarding Extension has seen the adapter. */
      readonly adapter?: 'late';
    }
  | { readonly kind: 'remove'; readonly container: string; readonly holdsAfter?: RemovingStep }
  | { readonly kind: 'continues'; readonly container: string }
  /** The plugin is killed where it holds, and started again by the engine. */
  | { readonly kind: 'plugin is killed'; readonly container: string }
  | { readonly kind: 'adapter comes' | 'adapter goes'; readonly container: string }
  | { readonly kind: 'plugin ends' | 'plugin starts'; readonly hypervisor: string }
  /** It restarts without the file that has its ports. */
  | { readonly kind: 'agent loses its ports'; readonly hypervisor: string };
