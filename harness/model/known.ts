/** Which fields the model can tell in a packet. Of the others a flow is refused when it might matter, never matched with zeros. */
import { Unsupported } from '../base/errors.js';
import type { Field, Prerequisite } from '../openflow/fields.js';
import type { Flow } from '../openflow/flow.js';

/** Fields of tunnels and connections that nothing fills in the flow key. */
const unfilled: ReadonlySet<Prerequisite> = new Set(['ct', 'ct ipv4', 'ct ipv6', 'ct ports', 'erspan 1', 'erspan 2']);
const unfilledByName = /^(recirc_id|dp_hash|skb_priority|tun_(ipv6_src|ipv6_dst|flags|tos|ttl|gbp_.*|erspan_ver|gtpu_.*|metadata\d+))$/;

/** Whether packets have the field's value in their flow key. */
export function isFilled({ name, prerequisite }: Field): boolean {
  return !unfilled.has(prerequisite) && !unfilledByName.test(name);
}

/** What of a flow the model does not know, in a word, where there is anything. */
export function unknownOf({ match }: Flow): string | undefined {
  return match.find(({ field }) => !isFilled(field))?.field.matchName;
}

/** @throws Unsupported where the model does not read the field. */
export function checkRead(field: Field): void {
  if (!isFilled(field)) throw new Unsupported(`the model does not read ${field.name}`);
}

/** @throws Unsupported where the model does not write the field. */
export function checkWrite(field: Field): void {
  if (!isFilled(field)) throw new Unsupported(`the model does not write ${field.name}`);
}
