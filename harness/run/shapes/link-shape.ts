import { z } from 'zod';
import type { LinkProperties } from '../../domain/link.js';
import { looseShape, type ShapeOf } from './shape-values.js';

/** A node's link, as far as its fields go. */
export const link = looseShape({
  delayMs: z.number().optional(),
  jitterMs: z.number().optional(),
  lossPercent: z.number().optional(),
  reorderPercent: z.number().optional(),
  rateMbit: z.number().optional(),
  mtu: z.number().optional(),
  state: z.enum(['up', 'down']).optional(),
} satisfies ShapeOf<LinkProperties>);
