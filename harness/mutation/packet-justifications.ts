/** Survivors in the codecs of packets. */
import { forTypes, type Justification } from './justification.js';

export const packetJustifications: readonly Justification[] = [
  { file: 'harness/packet/dissect.ts', line: "return { protocol: ip.protocol, addresses: ip, fragment:", mutations: ["'first' → ''"], why: 'the same: of a fragment it is only asked whether it is a later one' },
  { file: 'harness/packet/dissect/icmp6.ts', line: 'yield { name: `${prefix}nd.', mutations: ['seen.get(name) ?? 1 → seen.get(name)', '1 → 2'], why: forTypes },
  { file: 'harness/packet/dissect/ipv6.ts', line: 'if (length < 0) break;', mutations: ['length < 0 → length <= 0', '0 → 1'], why: 'the same: no extension is shorter than eight bytes' },
  { file: 'harness/packet/dissect/ipv6.ts', line: "const name = names.get(type) ?? '';", mutations: ["names.get(type) ?? '' → names.get(type)", "'' → '~'"], why: forTypes },
  { file: 'harness/packet/dissect/ipv6.ts', line: 'const place = `${prefix}ip6.', mutations: ['seen.get(name) ?? 1 → seen.get(name)', '1 → 2'], why: forTypes },
  { file: 'harness/packet/dissect/ipv6.ts', line: "fragment = view.getUint16(at + 2) >>> 3 === 0", mutations: ["'first' → ''"], why: 'the same: of a fragment it is only asked whether it is a later one' },
  { file: 'harness/packet/ipv6-extension.ts', line: "{ name: 'flags', read:", mutations: ['16 → 17'], why: 'the same: it has one digit' },
  { file: 'harness/packet/ipv6-extension.ts', line: "{ name: 'identification', length: 4", mutations: ['4 → 5'], why: 'the same: the header that is read ends there' },
  { file: 'harness/packet/ipv6-extension.ts', line: 'if (end < at + shortest) return -1;', mutations: ['1 → 2'], why: 'the same: any negative number says that it does not end' },
  { file: 'harness/packet/ipv6-extension.ts', line: 'return end < at + length ? -1 : length;', mutations: ['1 → 2'], why: 'the same: any negative number says that it does not end' },
  { file: 'harness/packet/ipv6-extension.ts', line: 'const bytes = concatBytes(Uint8Array.of(nextHeader, 0), content);', mutations: ['0 → 1'], why: 'the same: the length is put there' },
  { file: 'harness/packet/neighbour.ts', line: 'return concatBytes(Uint8Array.of(type, (content.length + 2) / optionUnit), content);', mutations: ['2 → 3'], why: 'the same: a byte has no fractions' },
  { file: 'harness/packet/sctp.ts', line: 'const swapped = new DataView(new ArrayBuffer(4));', mutations: ['4 → 5'], why: 'the same: four bytes of it are used' },
  { file: 'harness/packet/sctp.ts', line: 'const table = Uint32Array.from(', mutations: ['256 → 257'], why: 'the same: no byte has that number' },
  { file: 'harness/packet/flow-key.ts', line: 'const keysAtOnce = 64;', mutations: ['64 → 65'], why: 'the same: as many keys as are wanted are made' },
  { file: 'harness/packet/flow-key.ts', line: 'if (spare.next === spare.words.length) spare =', mutations: ['spare.next === spare.words.length → true'], why: 'the same, but slower: what was made is kept' },
  { file: 'harness/packet/flow-key.ts', line: 'for (let place = word.ethSrc; place < keyWords; place++) copy[place]', mutations: ['place < keyWords → place <= keyWords'], why: 'the same: a key ends there' },
  { file: 'harness/packet/header.ts', line: 'let spare = { bytes: new Uint8Array(), next: 0 };', mutations: ['0 → 1'], why: 'the same: nothing is spare at first' },
  { file: 'harness/packet/header.ts', line: 'const bytesAtOnce = 16_384;', mutations: ['16_384 → 16385'], why: 'the same: as much memory as is wanted is taken' },
  { file: 'harness/packet/header.ts', line: 'const longestShared = 1024;', mutations: ['1024 → 1025'], why: 'the same: only where its memory is changes' },
  { file: 'harness/packet/header.ts', line: 'if (length > longestShared) return new Uint8Array(length);', mutations: ['length > longestShared → true', 'length > longestShared → length >= longestShared'], why: 'the same: only where its memory is changes' },
  {
    file: 'harness/packet/header.ts', line: 'if (spare.next + length > spare.bytes.length) spare =',
    mutations: ['spare.next + length > spare.bytes.length → true', 'spare.next + length > spare.bytes.length → spare.next + length >= spare.bytes.length', '0 → 1'], why: 'the same: only where its memory is changes',
  },
];
