/**
 * Goal: the frame that is made of a flow is the one that Open vSwitch makes, byte by byte, in all
 * three versions; and what is read of it is the flow. Method: flows of every protocol with random
 * fields; `ovs-ofctl compose-packet` on the same text. SEED=n for others.
 */
import t from 'tap';
import { openImage } from '../../images/images.js';
import { randomFor, type Random } from '../base/random.js';
import { fieldCalled, fields } from '../openflow/match/fields.js';
import type { Match } from '../openflow/match/match.js';
import type { FieldMatch } from '../openflow/match/field-match.js';
import { allowsField } from '../openflow/match/prerequisites.js';
import { printAssigned } from '../openflow/match/masked-values.js';
import { runProgram } from '../ovs/process/run-program.js';
import { compose } from '../packet/compose/compose.js';
import { word } from '../packet/flow-key/flow-key.js';
import { pick } from './testkit/arbitrary-frame.js';
import { protocolContexts, someBits } from './testkit/arbitrary-match.js';
import { keyOf } from './fields/field-values.js';

const seed = Number(process.env['SEED'] ?? 1);
const count = Number(process.env['COUNT'] ?? 120);

const fragments = fieldCalled('ip_frag');
const fragmentNames: Readonly<Record<string, string>> = { 0: 'no', 1: 'first', 3: 'later' };

/**
 * By names that say which protocol they are of: whoever reads a packet's description asks for no
 * more.
 */
function described({ field, value, mask }: FieldMatch): string {
  if (field === fragments) return `ip_frag=${fragmentNames[String(value)]}`;
  return (
    field.name + `=${field.notation === 'hex16' ? value : printAssigned(field, { value, mask })}`
  );
}

function someMatch(random: Random): Match {
  const protocol = pick(random, protocolContexts);
  const isIp = allowsField(protocol, fragments);
  const context =
    isIp && random.integer(0, 3) === 0
      ? [...protocol, { field: fragments, value: pick(random, [0n, 1n, 3n]), mask: 3n }]
      : protocol;
  const free = fields.filter(
    (row) =>
      row.word >= word.ethSrc &&
      !row.isView &&
      !context.some(({ field }) => field === row) &&
      row.name !== 'eth_type' &&
      row.name !== 'nw_proto' &&
      row !== fragments &&
      allowsField(context, row),
  );
  const chosen = free
    .filter(() => random.integer(0, 2) > 0)
    .map((field) => {
      const value =
        pick(random, [someBits(random, field.bits), someBits(random, field.bits), 0n, 1n]) &
        field.ones;
      return {
        field,
        value: field.name === 'vlan_tci' && value !== 0n ? value | 0x1000n : value,
        mask: field.ones,
      };
    });
  return fields.flatMap(
    (field) => [...context, ...chosen].find((entry) => entry.field === field) ?? [],
  );
}

/** The digits of a dump: lines of an offset and sixteen bytes. */
function bytesOf(dump: string): string {
  return dump.replaceAll(/^[0-9a-f]{8}/gm, '').replaceAll(/[\s-]/g, '');
}

for (const suite of ['bookworm', 'trixie', 'sid']) {
  void t.test(`${suite} makes the same frames of flows`, async (t) => {
    const image = await openImage(suite, (line) => t.comment(line));
    const random = randomFor(seed, `compose ${suite}`);
    for (let index = 0; index < count; index++) {
      const match = someMatch(random);
      const text = match.map(described).join(',');
      const { stdout, failure } = await runProgram(image, 'ovs-ofctl', ['compose-packet', text]);
      const made = Buffer.from(compose(keyOf(match))).toString('hex');
      if (made === bytesOf(stdout)) continue;
      t.equal(made, bytesOf(stdout), `${text}${failure === undefined ? '' : `: ${failure}`}`);
      return;
    }
    t.pass(`${count} flows`);
  });
}
