import { InputError } from '../base/errors/errors.js';
import type { Behaviour } from '../model/behaviour.js';
import type { Field } from '../openflow/match/fields.js';
import { printFlowKey, type Flow } from '../openflow/flows/flow.js';
import { readFlow, readGroup, type FuzzCase } from './fuzz-case.js';
import { bridge, bridgeAfar, bridgeBeyond, underlays } from './fuzz-network.js';

export interface ReadCase {
  /** What reads well, in its order. */
  readonly accepted: FuzzCase;
  readonly rejections: readonly Rejection[];
}

/** What does not read, as a line of a bundle. */
interface Rejection {
  readonly bridge: string;
  readonly line: string;
  readonly why: string;
}

type Known = Pick<Behaviour, 'registers' | 'datapath'>;

/**
 * Which flows and groups of a case are none, in the words of the reader: they must be refused by a
 * switch that behaves so, too.
 */
export function readCase(whole: FuzzCase, behaviour: Known): ReadCase {
  const known = new Set<string>();
  const rejections: Rejection[] = [];
  const isReadable = (
    at: string,
    kind: 'flow' | 'group',
    text: string,
    read: (text: string) => unknown,
  ): boolean => {
    try {
      checkRegisters(read(text), behaviour);
      const missing = groupsNamedIn(text).find((id) => at !== bridge || !known.has(id));
      if (missing !== undefined) throw new InputError(`there is no group ${missing}`);
      return true;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      rejections.push({ bridge: at, line: `${kind} add ${text}`, why: error.message });
      return false;
    }
  };
  const groups = whole.groups.filter((text) => {
    if (!isReadable(bridge, 'group', text, readGroup)) return false;
    known.add(/group_id=(\d+)/.exec(text)?.[1] ?? '');
    return true;
  });
  const readKnownFlow = (text: string) => {
    const flow = readFlow(text);
    if (behaviour.datapath === 'in the kernel') checkNeighbourFields(flow);
    return flow;
  };
  /** What is read as one flow is one: the last that is added. */
  const flowsOf = (at: string, texts: readonly string[]) => [
    ...new Map(
      texts
        .filter((text) => isReadable(at, 'flow', text, readKnownFlow))
        .map((text) => [printFlowKey(readFlow(text)), text]),
    ).values(),
  ];
  const elsewhere = {
    ...(whole.afar === undefined ? {} : { afar: flowsOf(bridgeAfar, whole.afar) }),
    ...(whole.underlay === undefined ? {} : { underlay: flowsOf(underlays[0], whole.underlay) }),
  };
  return {
    accepted: {
      ...whole,
      groups,
      flows: flowsOf(bridge, whole.flows),
      beyond: flowsOf(bridgeBeyond, whole.beyond),
      ...elsewhere,
    },
    rejections,
  };
}

function groupsNamedIn(text: string): readonly string[] {
  return [...text.matchAll(/\b(?:group|watch_group):(\d+)/g)].map(([, id = '']) => id);
}

/** Registers that a word of another width is made of, by its name. */
const registerWidths: Readonly<Record<string, number>> = { reg: 1, xreg: 2, xxreg: 4 };

function checkRegisters(read: unknown, { registers }: Pick<Behaviour, 'registers'>): void {
  for (const { name } of fieldsIn(read)) {
    const [, kind = '', number] = /^(x*reg)(\d+)$/.exec(name) ?? [];
    if (number !== undefined && Number(number) * (registerWidths[kind] ?? 1) >= registers)
      throw new InputError(`there is no ${name} where there are ${registers} registers`);
  }
}

/**
 * The kernel's keys have no nd_reserved and no nd_options_type: a flow that sets one is refused
 * (ofproto/ofproto-dpif.c, check_actions), unless it does so in a clone or by another action.
 */
function checkNeighbourFields({ actions }: Flow): void {
  for (const action of actions)
    if (action.kind === 'set' && neighbourExtensions.includes(action.field.name))
      throw new InputError(`the kernel has no ${action.field.name} to be set`);
}

const neighbourExtensions: readonly string[] = ['nd_reserved', 'nd_options_type'];

/** At any depth of what was read. */
function fieldsIn(read: unknown): readonly Field[] {
  if (typeof read !== 'object' || read === null) return [];
  return 'nxm' in read ? [read as Field] : Object.values(read).flatMap(fieldsIn);
}
