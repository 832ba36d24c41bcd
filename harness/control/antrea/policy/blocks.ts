import {
  cidrContains,
  formatIpv4,
  parseCidr,
  type Cidr,
} from '../../../base/addresses/mac-and-ipv4.js';
import type { IpBlock } from '../../../kube/schemas/policies.js';

/**
 * The block without its exceptions, as the fewest blocks: `10.0.0.0/8` without `10.0.0.0/9` is
 * `10.128.0.0/9`. A flow can take a block, not leave one out. Of IPv6 there is none: its packets go
 * nowhere in this pipeline.
 */
export function withoutExceptions({ cidr, except = [] }: IpBlock): readonly string[] {
  if (cidr.includes(':')) return [];
  return remaining(parseCidr(cidr), except.map(parseCidr)).map(({ number, prefixLength }) =>
    prefixLength === 32 ? formatIpv4(number) : `${formatIpv4(number)}/${prefixLength}`,
  );
}

function remaining(block: Cidr, holes: readonly Cidr[]): readonly Cidr[] {
  if (
    holes.some(
      (hole) => hole.prefixLength <= block.prefixLength && cidrContains(hole, block.number),
    )
  )
    return [];
  const within = holes.filter((hole) => cidrContains(block, hole.number));
  return within.length === 0 ? [block] : halves(block).flatMap((half) => remaining(half, within));
}

function halves({ number, prefixLength }: Cidr): readonly Cidr[] {
  const half = prefixLength + 1;
  return [
    { number, prefixLength: half },
    { number: number + 2 ** (32 - half), prefixLength: half },
  ];
}
