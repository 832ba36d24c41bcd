/** Blocks of addresses as matches of ACLs have them: no address is in two of one policy's block. */
import {
  cidrsOverlap,
  formatIpv4,
  parseCidr,
  type Cidr,
} from '../../base/addresses/mac-and-ipv4.js';

/**
 * What is in `cidr` and in none of `except`, as blocks. Of "is in this and not in that" OVN would
 * make flows that overlap: one for each bit of an address.
 */
export function blockWithout(cidr: string, except: readonly string[]): readonly string[] {
  return without(
    parseCidr(cidr),
    except.map((one) => parseCidr(one)),
  ).map(({ number, prefixLength }) => `${formatIpv4(number)}/${prefixLength}`);
}

function without(block: Cidr, except: readonly Cidr[]): readonly Cidr[] {
  const inside = except.filter((one) => cidrsOverlap(one, block));
  if (inside.length === 0) return [block];
  if (inside.some(({ prefixLength }) => prefixLength <= block.prefixLength)) return [];
  const prefixLength = block.prefixLength + 1;
  const half = 2 ** (32 - prefixLength);
  return [block.number, block.number + half].flatMap((number) =>
    without({ number, prefixLength }, inside),
  );
}
