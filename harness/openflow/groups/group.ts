/** Groups as data (OpenFlow 1.3, section 5.6), and what a change of them asks for. */
import type { Action } from '../actions/actions.js';
import type { Field } from '../match/fields.js';

export interface Group {
  readonly id: number;
  /** Every bucket, one by its weight, the only one, or the first that is alive. */
  readonly type: (typeof groupTypes)[number];
  /** How a `select` group chooses; Open vSwitch decides where it is missing. */
  readonly selection?: Selection;
  readonly buckets: readonly Bucket[];
}

export const groupTypes = ['all', 'select', 'indirect', 'ff'] as const;

export interface Selection {
  readonly method: (typeof selectionMethods)[number];
  readonly parameter: bigint;
  /** The bits that are hashed; the default ones where none are named. */
  readonly fields: readonly { readonly field: Field; readonly mask: bigint }[];
}

export const selectionMethods = ['hash', 'dp_hash'] as const;

export interface Bucket {
  readonly id: number;
  /** Of a `select` group; 0 in the others. */
  readonly weight: number;
  /** The bucket is alive while this port is up, and while this group has a live bucket. */
  readonly watchPort?: number;
  readonly watchGroup?: number;
  readonly actions: readonly Action[];
}

/**
 * What a line for `ovs-ofctl add-groups` or `bundle` asks for. Buckets that are inserted get ids
 * that are free where they have none.
 */
export type GroupChange =
  | { readonly kind: 'add' | 'modify' | 'add_or_mod'; readonly group: Group }
  | { readonly kind: 'delete'; readonly id: number | 'all' }
  | {
      readonly kind: 'insert_bucket';
      readonly id: number;
      readonly place: 'first' | 'last' | number;
      readonly buckets: readonly (Omit<Bucket, 'id'> & { readonly id?: number })[];
    }
  | {
      readonly kind: 'remove_bucket';
      readonly id: number;
      readonly place: 'first' | 'last' | 'all' | number;
    };

/** Buckets have ids up to this one (OpenFlow 1.5, "Group Modification Message"). */
export const lastBucket = 0xffffff00n;
