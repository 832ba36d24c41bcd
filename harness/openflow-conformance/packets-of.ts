/**
 * Packets of the corpus as bytes: a constructor of Ryu's packet library a header, with that
 * library's defaults for what is left out.
 */
import { assert } from '../base/errors/errors.js';
import { formatMac, formatIpv4 } from '../base/addresses/mac-and-ipv4.js';
import { formatIpv6 } from '../base/addresses/ipv6.js';
import type { Random } from '../base/random.js';
import type { IpAddresses } from '../packet/protocols/ip/pseudo-header.js';
import { evaluate, isCall, parseExpression, type Value } from './expression.js';
import { addressesOf, encodeLayer } from './encode-layer.js';

/**
 * The packets whose headers the expressions are, outermost first: one, or another one each time
 * where they draw numbers.
 * @param random what `randint` draws from.
 * @throws InputError for an expression that is none, or a header that is not known.
 */
export function packetsOf(expressions: readonly string[], random: Random): () => Uint8Array {
  const parsed = expressions.map(parseExpression);
  const encode = () =>
    encodeLayers(
      parsed.map((layer) => evaluate(layer, (name, values) => ownValue(name, values, random))),
    );
  if (expressions.some((text) => text.includes('randint'))) return encode;
  const same = encode();
  return () => same;
}

function encodeLayers(layers: readonly Value[]): Uint8Array {
  return layers.reduceRight<Uint8Array>(
    (payload, layer, index) => encodeLayer(layer, payload, addressesAbove(layers.slice(0, index))),
    new Uint8Array(),
  );
}

/** Calls that stand for a value and not for a header. */
function ownValue(name: string, values: readonly Value[], random: Random): Value | undefined {
  const [first = 0n, second = 0n] = values;
  switch (name) {
    case 'bytes':
      return first;
    case 'randint':
      assert(typeof second === 'bigint' && first === 0n, 'the corpus draws from 0 up');
      return draw(random, second);
    case 'netaddr.IPAddress':
      return typeof first === 'bigint' && first >= 1n << 32n
        ? formatIpv6(first)
        : formatIpv4(Number(first));
    case 'netaddr.EUI':
      return formatMac(
        Buffer.from(
          BigInt(first as bigint)
            .toString(16)
            .padStart(12, '0'),
          'hex',
        ),
      );
    default:
      return undefined;
  }
}

/** A number from 0 to `to`, which is all ones. */
function draw(random: Random, to: bigint): bigint {
  let drawn = 0n;
  for (let left = to; left > 0n; left >>= 16n)
    drawn = (drawn << 16n) | BigInt(random.integer(0, 0xffff));
  return drawn & to;
}

/** Those of the last IP header, which transports count into their checksums. */
function addressesAbove(layers: readonly Value[]): IpAddresses {
  const header = layers.findLast((layer) => isCall(layer) && /^ipv[46]$/.test(layer.name));
  return header === undefined || !isCall(header)
    ? { src: '0.0.0.0', dst: '0.0.0.0' }
    : addressesOf(header);
}
