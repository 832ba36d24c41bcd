/**
 * What `flowbed trace --json` prints: the schema is the source, the types and
 * docs/trace.schema.json follow from it.
 */
import { z } from 'zod';

const hex = z
  .string()
  .regex(/^([0-9a-f]{2})*$/)
  .describe('bytes as hexadecimal digits');
const flowText = z.string().describe('a packet as ofproto/trace prints flows');

const output = z
  .object({
    bridge: z.string(),
    port: z.string(),
    frame: hex,
    flow: flowText.describe('the packet as it left'),
  })
  .meta({ id: 'Output' });

const lookup = z
  .object({
    bridge: z.string(),
    table: z.int(),
    flow: z
      .string()
      .exactOptional()
      .describe(
        'the match of the flow that was taken, as ovs-ofctl prints it; missing where none matched',
      ),
    priority: z.int().exactOptional(),
    actions: z.string().exactOptional(),
  })
  .meta({ id: 'Lookup' });

const packetIn = z
  .object({
    bridge: z.string(),
    controller: z.int().describe('connection id of the controllers'),
    reason: z.string(),
    table: z.int(),
    cookie: z.string().describe('hexadecimal, as 0x2a'),
    frame: hex,
    length: z.int().describe('bytes of the whole packet'),
    metadata: z.string(),
    userdata: hex,
    paused: z.boolean().describe('the packet waits for the controller to resume it'),
  })
  .meta({ id: 'PacketIn' });

const state = z
  .object({
    connections: z.array(
      z.object({
        zone: z.int(),
        protocol: z.string(),
        original: z.string(),
        reply: z.string(),
        mark: z.int(),
        progress: z.string(),
        timeoutS: z.int(),
      }),
    ),
    macs: z.array(
      z.object({ bridge: z.string(), port: z.string(), vlan: z.int(), mac: z.string() }),
    ),
  })
  .meta({
    id: 'State',
    description:
      'what the switch remembers afterwards, in the words of dpctl/dump-conntrack and fdb/show',
  });

export const askedFlow = z.object({
  bridge: z.string(),
  table: z.int(),
  priority: z.int(),
  flow: z.string(),
});

export const answer = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('taken') }),
    z.object({ kind: z.literal('clause').describe('it matches, and is a part of conjunctions') }),
    z.object({ kind: z.literal('outranked'), by: askedFlow }),
    z.object({
      kind: z.literal('no match'),
      fields: z.array(z.object({ field: z.string(), packet: z.string(), flow: z.string() })),
    }),
  ])
  .meta({ id: 'Answer' });

const notes = z
  .array(z.string())
  .describe('what stands on stderr: what was taken for granted, undone or not known');

const packet = z
  .object({
    outputs: z.array(output),
    path: z.array(lookup),
    finalFlow: flowText.describe('the packet as the last translation left it'),
    state,
    packetIns: z.array(packetIn),
    reasons: z
      .array(z.object({ bridge: z.string(), table: z.int().exactOptional(), text: z.string() }))
      .describe('results of actions, and why the packet went where it went, as people see them'),
    kernel: z
      .array(z.string())
      .describe("what the kernel's datapath is known to do differently with such a packet"),
    notes: notes.exactOptional(),
    refused: z
      .string()
      .exactOptional()
      .describe(
        'what the model does not know: the packet is followed up to there, and the exit code is 3',
      ),
    whyNot: askedFlow
      .extend({
        lookups: z.array(answer).describe('one each time the table of the flow was looked up'),
      })
      .exactOptional(),
  })
  .meta({ id: 'Packet' });

export const step = z
  .object({
    line: z.int().describe('of the script'),
    command: z.string().describe('as it stands there'),
    packet: packet.exactOptional().describe('of inject: the result of the packet'),
    lost: z.string().exactOptional().describe('of inject: the port whose link is down'),
    unsent: z
      .string()
      .exactOptional()
      .describe('of inject-tcp: why this end has nothing to send a segment for'),
    dump: z.array(z.string()).exactOptional().describe('of dump-…: the lines'),
    refused: z
      .string()
      .exactOptional()
      .describe('what the model does not know: nothing after it runs, and the exit code is 3'),
  })
  .meta({ id: 'Step' });

/**
 * One packet, with `--pcap` all of them, with `--script` its steps; `refused` alone where nothing
 * could be followed at all.
 */
export const traceReport = z
  .union([
    packet,
    z.object({ packets: z.array(packet), notes: notes.exactOptional() }),
    z.object({ steps: z.array(step), notes: notes.exactOptional() }),
    z.object({ refused: z.string(), notes: notes.exactOptional() }),
  ])
  .meta({ title: 'What flowbed trace --json prints' });

export type PacketDocument = z.infer<typeof packet>;

/** The text of docs/trace.schema.json. */
export function traceSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(traceReport), null, 2)}\n`;
}
