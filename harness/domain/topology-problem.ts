/** What is wrong with a topology, and where. */
/** Something wrong with a topology, and where: the keys and indices that lead to the value. */

import { type Cidr, formatIpv4 } from '../base/addresses/mac-and-ipv4.js';

/** Something wrong with a topology, and where: the keys and indices that lead to the value. */
export interface TopologyProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** `nodes[0].pods[2].ip`. */
export function formatPath(path: readonly (string | number)[]): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`,
    )
    .join('');
}

export function formatCidr(cidr: Cidr): string {
  return `${formatIpv4(cidr.number)}/${cidr.prefixLength}`;
}
