/**
 * The shape of `record.json`: of all that is read of a record, its type and place. What else a plan
 * or a topology says is left as it is.
 */
import { z } from 'zod';
import { passNames } from '../../domain/test-vector.js';
import { recordFormat } from './run-record.js';
import { stimulus, topology, vector } from '../shapes/input-shapes.js';
import { reportedIntent } from '../shapes/intent-shape.js';
import { clusterPlan, steps } from '../shapes/plan-shape.js';
import { looseShape } from '../shapes/shape-values.js';

const at = { timeUs: z.int(), node: z.string(), port: z.string() };
const pass = z.object({
  pass: looseShape({ name: z.enum(passNames), stimulus }),
  frames: z.array(
    looseShape({
      ...at,
      direction: z.enum(['in', 'out']),
      frame: z.string().regex(/^([0-9a-f]{2})*$/, 'expected bytes in hexadecimal'),
    }),
  ),
  notes: z.array(looseShape({ timeUs: z.int(), host: z.string(), kind: z.string() })),
});

const flow = z.object({
  node: z.string(),
  bridge: z.string(),
  table: z.int(),
  priority: z.int(),
  match: z.string(),
});
const left = {
  counts: z.array(z.object({ flow, packets: z.int(), bytes: z.int() })),
  state: z.object({
    connections: z.array(
      looseShape({
        node: z.string(),
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
      looseShape({
        node: z.string(),
        bridge: z.string(),
        port: z.string(),
        vlan: z.int(),
        mac: z.string(),
      }),
    ),
    multicast: z
      .array(
        looseShape({
          node: z.string(),
          bridge: z.string(),
          port: z.string(),
          vlan: z.int(),
          group: z.string(),
          ageS: z.int(),
        }),
      )
      .exactOptional(),
  }),
};

const vectorRecord = z.object({
  vector,
  real: z.object({ passes: z.array(pass), ...left }).exactOptional(),
  together: z
    .object({
      observed: z.string(),
      passes: z.array(pass).exactOptional(),
      left: z.object(left).exactOptional(),
    })
    .exactOptional(),
});

const event = z.object({
  what: z.string(),
  after: z.int(),
  steps,
  topology,
  plan: clusterPlan,
});

export const recordFile = z.object({
  format: z.literal(recordFormat),
  scenarios: z.array(
    z.object({
      topology,
      plan: clusterPlan,
      vectors: z.array(vectorRecord),
      timeline: z.array(event).exactOptional(),
    }),
  ),
});

const sent = { stimulus, intent: reportedIntent };

/** Of `report.json`, what its own schema does not specify. */
export const reportDetails = looseShape({
  scenarios: z.array(
    looseShape({
      vectors: z.array(looseShape({ ...sent, sibling: looseShape(sent).exactOptional() })),
    }),
  ),
});
