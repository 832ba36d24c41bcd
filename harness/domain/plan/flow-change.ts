/**
 * Flows and groups of one bridge change, all or none. Lines as a file for `ovs-ofctl bundle` has
 * them: `flow add …`, `flow modify …`, `flow delete_strict …`, `group insert_bucket …`
 * (ovs-ofctl(8), "bundle").
 */
export interface FlowChange {
  readonly kind: 'change';
  readonly node: string;
  readonly bridge: string;
  readonly lines: readonly string[];
}
