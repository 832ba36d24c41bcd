/**
 * Goal: blocks without their exceptions have exactly the addresses that are let in, each once.
 * Method: every address around random blocks, beside what intent says of them bit by bit.
 */
import t from 'tap';
import fc from 'fast-check';
import {
  cidrContains,
  formatIpv4,
  ipv4Number,
  parseCidr,
} from '../../base/addresses/mac-and-ipv4.js';
import { isInBlock } from '../../intent/kubernetes/policy/ip-block.js';
import { blockWithout } from './address-blocks.js';

void t.test('blocks without exceptions', (t) => {
  t.same(blockWithout('10.0.0.0/8', []), ['10.0.0.0/8']);
  t.same(blockWithout('10.10.1.77/24', []), ['10.10.1.0/24'], 'host bits say nothing');
  t.same(blockWithout('10.10.1.0/30', ['10.10.1.2/32']), ['10.10.1.0/31', '10.10.1.3/32']);
  t.same(blockWithout('10.10.1.0/30', ['10.10.1.0/31', '10.10.1.2/31']), []);
  t.end();
});

void t.test('each address is in one block or in none', (t) => {
  const first = ipv4Number('10.10.1.0');
  const inside = fc
    .tuple(fc.integer({ min: 0, max: 63 }), fc.integer({ min: 27, max: 32 }))
    .map(([offset, length]) => `${formatIpv4(first + offset)}/${length}`);
  fc.assert(
    fc.property(fc.array(inside, { maxLength: 4 }), (except) => {
      const block = { cidr: '10.10.1.0/26', except };
      const blocks = blockWithout(block.cidr, except).map(parseCidr);
      for (let number = first; number < first + 128; number++) {
        const found = blocks.filter((one) => cidrContains(one, number)).length;
        if (found !== (isInBlock(formatIpv4(number), block) ? 1 : 0)) return false;
      }
      return true;
    }),
  );
  t.end();
});
