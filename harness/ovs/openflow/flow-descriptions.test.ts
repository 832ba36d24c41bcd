/**
 * Goal: of a reply that describes flows, the statistics alone are left out. Method: a reply as Open
 * vSwitch sends it, with other statistics, other words, and cut off anywhere.
 */
import t from 'tap';
import { withoutStatistics } from './flow-descriptions.js';

const head = '0050000003000007000000000000000000000000000000ab';
const match = '0001000c80000a0208000000 00000000'.replaceAll(' ', '');
const statistics = '00000018 80020008 00000000 80050408 00000005'.replaceAll(' ', '');
const zeros = `00000018${'00'.repeat(20)}`;
const instructions = '0004001000000000';

function flowOf(statisticsOfIt: string, rest = instructions): Buffer {
  const whole = Buffer.from(`${head}${match}${statisticsOfIt}${rest}`, 'hex');
  whole.writeUInt16BE(whole.length, 0);
  return whole;
}

void t.test('statistics are left out', (t) => {
  const flow = flowOf(statistics.padEnd(48, '0'));
  const two = Buffer.concat([flow, flow]);
  t.equal(withoutStatistics(two)?.toString('hex'), flowOf(zeros).toString('hex').repeat(2));
  t.not(
    withoutStatistics(flowOf(zeros, '0004001000000001'))?.toString('hex'),
    flowOf(zeros).toString('hex'),
    'what it does is not',
  );
  t.equal(withoutStatistics(Buffer.alloc(0))?.length, 0);
  t.end();
});

void t.test('what is cut off is not known', (t) => {
  const flow = flowOf(zeros, '');
  for (let length = 1; length < flow.length; length++)
    t.equal(withoutStatistics(flow.subarray(0, length)), undefined, `${length} bytes`);
  const short = Buffer.from(flow);
  short.writeUInt16BE(0xfff0, 26);
  t.equal(withoutStatistics(short), undefined, 'a match that is too long');
  t.end();
});
