import { InputError } from '../base/errors.js';
import { parseFlow, printFlowKey } from '../openflow/flow.js';
import { parseGroup } from '../openflow/groups.js';
import type { FuzzCase } from './case.js';

export interface ReadCase {
  /** What reads well, in its order. */
  readonly accepted: FuzzCase;
  /** What does not, as lines of a bundle. */
  readonly complaints: readonly { readonly line: string; readonly why: string }[];
}

/** Which flows and groups of a case are none, in the words of the reader: they must be refused by a switch, too. */
export function readCase(whole: FuzzCase): ReadCase {
  const known = new Set<string>();
  const complaints: { readonly line: string; readonly why: string }[] = [];
  const isFine = (kind: 'flow' | 'group', text: string, read: (text: string) => unknown): boolean => {
    try {
      read(text);
      const missing = groupsNamedIn(text).find((id) => !known.has(id));
      if (missing !== undefined) throw new InputError(`there is no group ${missing}`);
      return true;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      complaints.push({ line: `${kind} add ${text}`, why: error.message });
      return false;
    }
  };
  const groups = whole.groups.filter((text) => {
    if (!isFine('group', text, parseGroup)) return false;
    known.add(/group_id=(\d+)/.exec(text)?.[1] ?? '');
    return true;
  });
  const read = whole.flows.filter((text) => isFine('flow', text, parseFlow));
  // What is read as one flow is one: the last that is added.
  const flows = [...new Map(read.map((text) => [printFlowKey(parseFlow(text)), text])).values()];
  return { accepted: { ...whole, groups, flows }, complaints };
}

function groupsNamedIn(text: string): readonly string[] {
  return [...text.matchAll(/\b(?:group|watch_group):(\d+)/g)].map(([, id = '']) => id);
}
