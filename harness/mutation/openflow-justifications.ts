/** Survivors in the reading and printing of flows, groups and meters. */
import { forTypes, type Justification } from './justification.js';

const inOrder = 'the same: pieces come in order, and the last of them is asked about';

export const openflowJustifications: readonly Justification[] = [
  { file: 'harness/openflow/actions.ts', line: 'const beside =', mutations: ['1 → 2'], why: 'the same: any negative number says that there is none' },
  { file: 'harness/openflow/actions.ts', line: 'let [depth, deepest] = [0, 0];', mutations: ['0 → 1 (2)'], why: 'the same: one parenthesis is as good as none' },
  { file: 'harness/openflow/actions.ts', line: 'const wrong = found.find(', mutations: ['found[index - 1] ?? action → found[index - 1]'], why: forTypes },
  {
    file: 'harness/openflow/actions/choice.ts', line: 'if (fields === undefined || basis === undefined || algorithm === undefined || type === undefined)',
    mutations: ['fields === undefined || basis === undefined || algorithm === undefined → false', 'fields === undefined || basis === undefined → false', 'fields === undefined → false', 'basis === undefined → false', 'algorithm === undefined → false'],
    why: inOrder,
  },
  {
    file: 'harness/openflow/actions/choice.ts', line: 'if (fields === undefined || basis === undefined || algorithm === undefined || count === undefined',
    mutations: [
      'fields === undefined || basis === undefined || algorithm === undefined || count === undefined || argument === undefined → false', 'fields === undefined || basis === undefined || algorithm === undefined || count === undefined → false',
      'fields === undefined || basis === undefined || algorithm === undefined → false', 'fields === undefined || basis === undefined → false', 'fields === undefined → false', 'basis === undefined → false', 'algorithm === undefined → false',
      'count === undefined → false', 'argument === undefined → false',
    ],
    why: inOrder,
  },
  { file: 'harness/openflow/actions/ct.ts', line: 'if (low === undefined || high === undefined) return', mutations: ['low === undefined → false', 'high === undefined → false'], why: 'the same: where one is missing, both are' },
  { file: 'harness/openflow/actions/ct.ts', line: 'if (error instanceof InputError) throw', mutations: ['error instanceof InputError → true'], why: 'the same: nothing else is thrown' },
  { file: 'harness/openflow/actions/learn.ts', line: "return fieldsNamed(text.replace(", mutations: ['/_W$/ → /_W/'], why: 'the same: no field has such a part in its name' },
  { file: 'harness/openflow/actions/order.ts', line: 'return kind ===', mutations: ['5 → 6'], why: 'the same order' },
  { file: 'harness/openflow/actions/output.ts', line: '? \'output:\' : \'\'}', mutations: ['action.port < reservedPorts.UNSET → action.port <= reservedPorts.UNSET'], why: 'the same: nothing is sent there' },
  { file: 'harness/openflow/actions/over.ts', line: 'for (let from = 0; from < field.bits;) {', mutations: ['from < field.bits → from <= field.bits'], why: 'the same: no bit is behind the last' },
  { file: 'harness/openflow/actions/over.ts', line: 'const [, part] =', mutations: ["action.kind === 'set' → true"], why: forTypes },
  {
    file: 'harness/openflow/actions/over.ts', line: 'const [, part] =', mutations: ['/^(?:tcp|udp|sctp)_(src|dst)$/ → /(?:tcp|udp|sctp)_(src|dst)$/', '/^(?:tcp|udp|sctp)_(src|dst)$/ → /^(?:tcp|udp|sctp)_(src|dst)/'],
    why: 'the same: no other field has such a name in its own',
  },
  { file: 'harness/openflow/actions/over.ts', line: "return action.kind === 'set' && (part ===", mutations: ["action.kind === 'set' → true"], why: forTypes },
  { file: 'harness/openflow/actions/reading.ts', line: "const [name = ''] =", mutations: [String.raw`/^(?:"[^"]*"|[^:=(]*)/.exec(at.text) ?? [] → /^(?:"[^"]*"|[^:=(]*)/.exec(at.text)`], why: forTypes },
  { file: 'harness/openflow/actions/reading.ts', line: "const [name = ''] =", mutations: [String.raw`/^(?:"[^"]*"|[^:=(]*)/ → /(?:"[^"]*"|[^:=(]*)/`], why: 'the same: it fits the beginning, be it with nothing' },
  { file: 'harness/openflow/actions/reading.ts', line: 'for (let index = open;', mutations: ['index < text.length → index <= text.length'], why: 'the same: the parenthesis is closed before' },
  { file: 'harness/openflow/actions/reading.ts', line: "const plain = name.replace(", mutations: ['/_W$/ → /_W/'], why: 'the same: no field has such a part in its name' },
  { file: 'harness/openflow/actions/sets.ts', line: "if (field.name === 'vlan_vid') needsTag(", mutations: ["'OpenFlow15' → ''"], why: 'the same: any version but 1.0 asks for it' },
  { file: 'harness/openflow/actions/tables.ts', line: 'if (reading.table !== undefined &&', mutations: ['reading.table !== undefined → true'], why: forTypes },
  { file: 'harness/openflow/actions/tables.ts', line: 'if (clause === undefined || clauses === undefined)', mutations: ['clause === undefined → false'], why: inOrder },
  { file: 'harness/openflow/attributes.ts', line: 'const known = value === undefined', mutations: ['value === undefined → false'], why: 'the same: it counts only where there is a value' },
  { file: 'harness/openflow/attributes.ts', line: 'if (known !== undefined && value !== undefined)', mutations: ['value !== undefined → true'], why: forTypes },
  { file: 'harness/openflow/flags.ts', line: 'const flags = signed ?', mutations: ['at.text.match(/[+-][^+-]*/g) ?? [] → at.text.match(/[+-][^+-]*/g)'], why: forTypes },
  { file: 'harness/openflow/flags.ts', line: 'if (mask === field.ones && names.length > 1)', mutations: ['1 → 2'], why: 'the same: no field has two flags' },
  { file: 'harness/openflow/groups.ts', line: "const [, word = '', kind = 'add'] =", mutations: ['/(\\s*(add_or_mod|add|modify|delete|insert_bucket|remove_bucket)(?=[,\\s]|$))?/.exec(text) ?? [] → /(\\s*(add_or_mod|add|modify|delete|insert_bucket|remove_bucket)(?=[,\\s]|$))?/.exec(text)'], why: forTypes },
  { file: 'harness/openflow/groups.ts', line: 'if (taken.has(id)) throw', mutations: ['0 → 1', 'texts[index] ?? texts[0]! → texts[index]'], why: forTypes },
  { file: 'harness/openflow/match.ts', line: 'if (Object.hasOwn(tagParts, field.name)) return', mutations: ['0n → 1n'], why: forTypes },
  { file: 'harness/openflow/meters.ts', line: "const [, head = '', separator] =", mutations: [String.raw`/(.*?)(\bbands?\s*=|$)/s.exec(text) ?? [] → /(.*?)(\bbands?\s*=|$)/s.exec(text)`], why: forTypes },
  { file: 'harness/openflow/meters.ts', line: "if (separator === undefined || separator === '') throw", mutations: ['separator === undefined → false'], why: forTypes },
  {
    file: 'harness/openflow/notations.ts', line: 'const word = Object.entries(fragments).find(',
    mutations: ['Object.entries(fragments).find(([, known]) => known.value === value && known.mask === mask)?.[0] → Object.entries(fragments).find(([, known]) => known.value === value && known.mask === mask)[0]'], why: forTypes,
  },
  { file: 'harness/openflow/prerequisites.ts', line: "find(({ field }) => field.matchName === 'ct_state')", mutations: ['0n → 1n (2)'], why: 'the same: a state of zero is not that of a packet that is tracked' },
  { file: 'harness/openflow/prerequisites.ts', line: "none: { words:", mutations: ["'nothing' → ''"], why: 'never told: it is always met' },
  { file: 'harness/openflow/prerequisites.ts', line: "'ct ports':", mutations: ['isTracked(match) → true'], why: 'the same: ct_nw_proto asks for it' },
  { file: 'harness/openflow/ports.ts', line: 'const number = given >= 0xffffff00', mutations: ['given >= 0xffffff00 → given > 0xffffff00', '0xffffff00 → 0xffffff01'], why: 'the same: no reserved port has this number' },
];
