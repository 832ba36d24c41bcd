import type { Pod } from '../../domain/topology.js';

export interface AttachedPod extends Pod {
  readonly port: { readonly name: string; readonly ofport: number };
}
