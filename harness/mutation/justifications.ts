/** Survivors that may survive, and why; the self-test reports an entry that none needs any more. */
import { forTypes, type Justification } from './justification.js';
import { openflowJustifications } from './openflow-justifications.js';
import { packetJustifications } from './packet-justifications.js';
import { runJustifications } from './run-justifications.js';

export const justifications: readonly Justification[] = [
  ...openflowJustifications,
  ...packetJustifications,
  ...runJustifications,
  {
    file: 'harness/packet/dissect/parts.ts',
    line: `export function* header(name: string, layout: HeaderLayout, bytes: Uint8Array, checksum: ChecksumState = 'valid'): Parts {`,
    mutations: [`'valid' → ''`],
    why: 'the same: it is left out only for headers that have no field called checksum',
  },
  {
    file: 'harness/packet/frame.ts', line: "return name.endsWith('.checksum') && [expected, actual].every((value) => /^0x([0-9a-f]{4}){1,2}$/.test(value));", mutations: ['/^0x([0-9a-f]{4}){1,2}$/ → /0x([0-9a-f]{4}){1,2}$/'],
    why: 'the same: nothing is read before the digits of a checksum',
  },
  {
    file: 'harness/fabric/fabric.ts', line: 'export const framesMax = 10_000;', mutations: ['10_000 → 10001'],
    why: 'a limit: one frame more or less matters to nobody',
  },
  {
    file: 'harness/fabric/fabric.ts', line: 'if (frames.length > framesMax) {', mutations: ['frames.length > framesMax → frames.length >= framesMax'],
    why: 'a limit: one frame more or less matters to nobody',
  },
  {
    file: 'harness/fabric/fabric.ts', line: 'let switchTimeMs = 0;', mutations: ['0 → 1'],
    why: 'the same: the first instant is earlier, and puts it back to 0',
  },
  {
    file: 'harness/fabric/fabric.ts', line: 'return a < b ? -1 : a > b ? 1 : 0;', mutations: ['1 → 2', '1 → 2 (2)', 'a > b → false'],
    why: 'the same: only the sign counts, and V8 sorts by what is less alone',
  },
  {
    file: 'harness/fabric/relay.ts', line: "return { proxy, other: '',", mutations: ["'' → '~'"],
    why: 'the same: no connection is called so',
  },
  {
    file: 'harness/fabric/relay.ts', line: "...endsAt(port), ttl: defaultTtl, as: 'opener', purpose: 'relay',", mutations: ["'opener' → ''", "'relay' → ''", '0 → 1'],
    why: 'never asked: what a connection of a proxy is for its relay says, and what comes first the answer',
  },
  {
    file: 'harness/fabric/stack.ts', line: "if (found === undefined) throw unknownName(`interface of ${host}`, name ?? '', interfaces.map((candidate) => candidate.name));", mutations: ["name ?? '' → name"],
    why: 'only in words: a host without any interface',
  },
  {
    file: 'harness/fabric/stack.ts', line: "connect(host, 'echo', srcPort, stimulus)", mutations: ["'echo' → ''"],
    why: 'the same: all but `nothing` echoes',
  },
  {
    file: 'harness/fabric/tcp.ts', line: "...(proxy === undefined ? { purpose: 'echo' } : { purpose: 'relay',", mutations: ["'echo' → ''", "'relay' → ''"],
    why: 'never asked: only the purpose of who opens is',
  },
  {
    file: 'harness/fabric/tcp.ts',
    line: "as: 'opener', purpose, patience:",
    mutations: ['name === undefined → false', 'ttl ?? defaultTtl → ttl', '0 → 1'],
    why: 'the same: no name is none, `sendIp` has the same default, and a SYN acknowledges nothing',
  },
  {
    file: 'harness/fabric/tcp.ts', line: "if (now === undefined || interjection?.by !== now.as) return [];", mutations: ['now === undefined → false'],
    why: forTypes,
  },
  {
    file: 'harness/fabric/forward.ts', line: "return { kind: 'local', packet: leaving(undefined) ?? packet };", mutations: ["'local' → ''"],
    why: 'the same: what does not go elsewhere is local',
  },
  {
    file: 'harness/fabric/forward.ts', line: "return { kind: 'local', packet: leaving(undefined) ?? packet };", mutations: ['leaving(undefined) ?? packet → leaving(undefined)'],
    why: 'the same: what ends here needs no port',
  },
  {
    file: 'harness/fabric/sctp.ts', line: 'if (association?.waiting === undefined || !stillUnanswered(host, timer)) return [];', mutations: ['association?.waiting === undefined → false'],
    why: forTypes,
  },
  {
    file: 'harness/fabric/stack.ts', line: 'if (ip === undefined) return [];', mutations: ['ip === undefined → false'],
    why: forTypes,
  },
  {
    file: 'harness/fabric/tuple.ts', line: 'if (tuple.protocol === ipProtocols.udp && checksums.withPorts !== undefined', mutations: ['checksums.withPorts !== undefined → true'],
    why: forTypes,
  },
  {
    file: 'harness/fabric/tuple.ts', line: 'const flags = ip.header.protocol === ipProtocols.tcp', mutations: ['0 → 1'],
    why: 'the same: a FIN decides nothing',
  },
  {
    file: 'harness/fabric/wiring.ts', line: "const interjection = 'interjection' in stimulus", mutations: ["'interjection' in stimulus → true"],
    why: forTypes,
  },
  {
    file: 'harness/fabric/wiring.ts', line: "kind: 'host', host", mutations: ["'host' → ''"],
    why: 'the same: what is no switch is a host',
  },
  {
    file: 'harness/base/address.ts', line: 'for (let index = 0; index < 6; index++) bytes[index] =', mutations: ['index < 6 → index <= 6', '6 → 7'],
    why: 'the same: a seventh byte has no place',
  },
  {
    file: 'harness/base/address.ts', line: 'for (let index = 0; index < 6; index++) bytes[index] =', mutations: ['3 → 4 (2)', '2 → 3'],
    why: 'the same: a number ends at the colon',
  },
  {
    file: 'harness/base/address.ts', line: 'const none = -1;', mutations: ['1 → 2'],
    why: 'the same: any number that no octet is',
  },
  {
    file: 'harness/base/address.ts', line: "const prefixLength = /^\\d{1,2}$/.test(length) ? Number(length) : 33;", mutations: ['33 → 34'],
    why: 'the same: too long is too long',
  },
  {
    file: 'harness/base/address.ts',
    line: 'if (address === undefined || rest.length > 0 || prefixLength > 32) throw new InputError(`expected a block of addresses such as 10.10.0.0/24, got "${text}"`);',
    mutations: ['address === undefined → false'],
    why: forTypes,
  },
  {
    file: 'harness/base/digest.ts', line: '? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))', mutations: ['a < b → a <= b', '1 → 2', '1 → 2 (2)'],
    why: 'the same: no key comes twice, and only the sign counts',
  },
  {
    file: 'harness/base/errors.ts', line: 'let previous = Array.from({ length: b.length + 1 }, (_, index) => index);', mutations: ['1 → 2'],
    why: 'the same: the last number is never read',
  },
  {
    file: 'harness/compare/counters.ts', line: '...[...sums].flatMap(([[flow], packets]) => (flow === undefined', mutations: ['flow === undefined → false'],
    why: forTypes,
  },
  {
    file: 'harness/compare/balanced.ts', line: "return notes.filter((note) => note.kind === 'connected');", mutations: ["notes.filter((note) => note.kind === 'connected') → notes", "note.kind === 'connected' → true"],
    why: 'the same: nobody but who is connected is one end of something',
  },
  {
    file: 'harness/compare/balanced.ts', line: "(stimulus.kind === 'calls' && stimulus.protocol === 'TCP')", mutations: ["stimulus.kind === 'calls' → true"],
    why: forTypes,
  },
  {
    file: 'harness/compare/counters.ts', line: 'if (known !== undefined) return known;', mutations: ['known !== undefined → false'],
    why: 'the same, but slower: what was made is kept',
  },
  {
    file: 'harness/compare/counters.ts', line: 'keys.set(flow, made);', mutations: ['keys.set(flow, made); removed'],
    why: 'the same, but slower: what was made is kept',
  },
  {
    file: 'harness/base/ipv6.ts', line: 'if (text.length > 45 || halves.length > 2 || !isComplete || !groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) {', mutations: ['text.length > 45 → false', '45 → 46'],
    why: 'the same, but slower: what is longer has too many groups or digits',
  },
  {
    file: 'harness/base/ipv6.ts', line: 'let best = { from: 0, length: 0 };', mutations: ['0 → 1', '0 → 1 (2)'],
    why: 'the same: a run of one group is not shortened',
  },
  {
    file: 'harness/base/ipv6.ts', line: 'for (let from = 0; from < groups.length; from++) {', mutations: ['from < groups.length → from <= groups.length'],
    why: 'the same: no run begins behind the last group',
  },
  {
    file: 'harness/compare/frames.ts', line: 'if (place === undefined) continue;', mutations: ['place === undefined → false'],
    why: forTypes,
  },
  {
    file: 'harness/compare/frames.ts', line: 'for (let index = 0; index < Math.max(wanted.length, seen.length); index++) {',
    mutations: ['index < Math.max(wanted.length, seen.length) → index <= Math.max(wanted.length, seen.length)'],
    why: 'the same: where neither side has a frame there is no difference',
  },
  {
    file: 'harness/compare/frames.ts', line: 'if (expected === undefined && actual === undefined) return undefined;', mutations: ['expected === undefined && actual === undefined → false'],
    why: 'the same: it is never asked about neither',
  },
  {
    file: 'harness/compare/frames.ts', line: 'const rank = { in: 0, out: 1, different: 0, missing: 1, unexpected: 2 } as const;', mutations: ['1 → 2', '2 → 3'],
    why: 'the same order: only which is greater counts',
  },
  {
    file: 'harness/compare/frames.ts', line: "return frame !== undefined && dissect(frame).some(({ name }) => name.startsWith('inner.'));", mutations: ['frame !== undefined → true'],
    why: forTypes,
  },
  {
    file: 'harness/compare/frames.ts', line: "return frame === undefined ? 'nothing' : describeFrame(frame);", mutations: ['frame === undefined → false', "'nothing' → ''"],
    why: forTypes,
  },
  {
     file: 'harness/compare/intent.ts', line: "if (connected.length !== 1 || first?.kind !== 'connected' || first.as !== as || first.peer !== peer) return { expected, actual: first === undefined ? `${host} saw none` : connected.map(describe).join('; ') };",
    mutations: ["first?.kind !== 'connected' → false", 'first?.kind → first.kind'],
    why: forTypes,
  },
  {
    file: 'harness/compare/intent.ts', line: "const receiver = stimulus.kind === 'tcp' && stimulus.interjection?.by === 'answerer' ? stimulus.from : intent.to;",
    mutations: ["stimulus.kind === 'tcp' → true"],
    why: forTypes,
  },
  {
    file: 'harness/compare/intent.ts', line: "const relay = 'relay' in intent", mutations: ["'relay' in intent → true"],
    why: forTypes,
  },
  {
    file: 'harness/compare/intent.ts', line: "const right = resets.length === 1 && reset.host === stimulus.from && 'peer' in reset && reset.peer === destinationOf(stimulus);",
    mutations: ["'peer' in reset → true"],
    why: forTypes,
  },
  {
    file: 'harness/compare/promise.ts', line: "case 'arp':",
    mutations: ["'arp' → ''"],
    why: 'the same: nothing comes back in any case',
  },
  {
    file: 'harness/compare/promise.ts', line: "return 'dst' in stimulus.frame.payload ? stimulus.frame.payload.dst : undefined;",
    mutations: ["'dst' in stimulus.frame.payload → true"],
    why: forTypes,
  },
  {
    file: 'harness/compare/promise.ts', line: "case 'unresolved':",
    mutations: ["'unresolved' → ''"],
    why: 'never told: it is always put in other words',
  },
  {
    file: 'harness/compare/promise.ts', line: 'return `${note.host} got no answer for ${note.ip}`;',
    mutations: ["`${note.host} got no answer for ${note.ip}` → ''"],
    why: 'never told: it is always put in other words',
  },
  {
    file: 'harness/compare/intent.ts', line: "const aboutConnections: ReadonlySet<HostNote['kind']> = new Set(['connected', 'closed', 'refused', 'reset', 'timed-out']);",
    mutations: ["'timed-out' → ''"],
    why: 'the same: that a host timed out is told whoever it is',
  },
  {
    file: 'harness/compare/locate.ts', line: "const flow = step.kind === 'lookup' ? step.flow : undefined;", mutations: ["step.kind === 'lookup' → true"],
    why: 'the same: a flow that did something was looked up before',
  },
  {
    file: 'harness/compare/locate.ts', line: 'if (flow !== undefined && counter !== undefined) return { flow, because:', mutations: ['flow !== undefined → true'],
    why: forTypes,
  },
  {
    file: 'harness/compare/locate.ts', line: "if (step.kind !== 'group') return undefined;", mutations: ["step.kind !== 'group' → false"],
    why: 'the same: no other step has a group',
  },
  {
    file: 'harness/compare/locate.ts', line: "const otherwise = program.find(({ of }) => 'group' in of && of.node", mutations: ["'group' in of → true"],
    why: forTypes,
  },
  {
    file: 'harness/compare/intent.ts', line: "return kind === 'dropped' && 'relay' in intent && intent.relay?.refusing?.includes(host) === true;",
    mutations: ["'relay' in intent → true", 'intent.relay?.refusing?.includes(host) → intent.relay.refusing?.includes(host)'],
    why: forTypes,
  },
  {
    file: 'harness/compare/locate.ts', line: 'const other = counters.find((difference) => difference.flow.node === flow.node && difference.flow.bridge === flow.bridge && difference.flow.table === flow.table && (difference.actual ?? 0) > (difference.expected ?? 0));',
    mutations: ['difference.actual ?? 0 → difference.actual'],
    why: 'the same: neither nothing nor undefined is more than anything',
  },
  {
    file: 'harness/compare/locate.ts', line: "const trace = traces.findLast(({ node, steps }) => node === frame.node && steps.some((step) => step.kind === 'output' && step.port === frame.port))",
    mutations: ["step.kind === 'output' → true"],
    why: forTypes,
  },
  {
    file: 'harness/compare/locate.ts', line: "const writer = field === undefined ? undefined : steps.findLast((step) => step.kind === 'write' && step.field === field);",
    mutations: ['field === undefined → false', "step.kind === 'write' → true"],
    why: forTypes,
  },
  {
    file: 'harness/compare/locate.ts', line: "if (writer?.kind === 'write' && field !== undefined) return { flow: writer.flow, field, because: 'the flow that last wrote this field; the path and the flows are the same on both sides' };",
    mutations: ['field !== undefined → true'],
    why: forTypes,
  },
  {
    file: 'harness/compare/locate.ts', line: "const asked = (step: TraceStep) => (state.aspect === 'connections' ? step.kind === 'write' && step.field === 'ct_state' : step.kind === 'output' && step.by === 'NORMAL');",
    mutations: ["step.kind === 'write' → true", "step.kind === 'output' → true"],
    why: forTypes,
  },
  {
    file: 'harness/compare/locate.ts', line: "if (step === undefined || step.kind === 'lookup' || step.kind === 'answer' || step.flow === undefined) return undefined;",
    mutations: ["step.kind === 'lookup' → false", "'lookup' → ''", "step.kind === 'answer' → false", "'answer' → ''", 'step.flow === undefined → false'],
    why: forTypes,
  },
  {
    file: 'harness/compare/packet-ins.ts', line: 'while (behind < made &&', mutations: ['behind < made → behind <= made'],
    why: 'the same: where both sides have ended nothing is compared',
  },
  {
    file: 'harness/compare/program.ts', line: 'export const namesOfAll: Names =', mutations: ['64 → 65', '0 → 1', '0 → 1 (2)', '124 → 125'],
    why: 'the same: any option that there can be is read, alike on both sides',
  },
  {
    file: 'harness/compare/locate.ts', line: "if (last?.kind === 'drop' && last.flow !== undefined) return { flow: last.flow, because: `model and switch drop it here: ${last.why}` };",
    mutations: ['last.flow !== undefined → true'],
    why: forTypes,
  },
  {
    file: 'harness/compare/locate.ts', line: 'if (frame === undefined || name === undefined) return undefined;',
    mutations: ['frame === undefined → false'],
    why: forTypes,
  },
  {
    file: 'harness/compare/locate.ts', line: String.raw`return packetFields[name.replace(/^inner\./, '')];`,
    mutations: [String.raw`/^inner\./ → /inner\./`],
    why: 'the same: `inner.` stands nowhere but in front',
  },
  {
    file: 'harness/compare/program.ts', line: 'const held = known.get(place) ?? read();', mutations: ['known.get(place) ?? read() → read()'],
    why: 'the same, but slower: what was read before is only kept so that it need not be read again',
  },
  {
    file: 'harness/compare/program.ts', line: 'known.set(place, held);', mutations: ['known.set(place, held); removed'],
    why: 'the same, but slower: what was read before is only kept so that it need not be read again',
  },
  {
    file: 'harness/compare/abandoned.ts', line: 'const asked = destinationOf(stimulus) ?? by;', mutations: ['destinationOf(stimulus) ?? by → destinationOf(stimulus)'],
    why: forTypes,
  },
  {
    file: 'harness/compare/program.ts', line: 'const of = a?.of ?? b?.of;',
    mutations: ['b?.of → b.of'],
    why: forTypes,
  },
  {
    file: 'harness/compare/program.ts', line: 'return of === undefined || a?.text === b?.text ? [] : [{ of, expected: a?.text, actual: b?.text, field: writtenDifferently(a?.flow, b?.flow) }];',
    mutations: ['of === undefined → false'],
    why: forTypes,
  },
  {
    file: 'harness/compare/program.ts', line: "a.kind === 'set' && b?.kind === 'set' && a.field === b.field && (a.value !== b.value || a.mask !== b.mask) ? [a.field.name] : [],",
    mutations: ["a.kind === 'set' → true"],
    why: forTypes,
  },
  {
    file: 'harness/compare/state.ts', line: "const node = (a ?? b)?.node ?? '';",
    mutations: ["(a ?? b)?.node ?? '' → (a ?? b)?.node", '(a ?? b)?.node → (a ?? b).node', "'' → '~'"],
    why: forTypes,
  },
  {
    file: 'harness/compare/vector.ts', line: 'if (!parts) return locateDecision(promises.flatMap(({ played, broken }) => (broken.length > 0 ? [played.traces] : []))[0] ?? []);',
    mutations: ['0 → 1'],
    why: 'the same: where a promise is broken and the sides do not part, both broke it',
  },
  {
    file: 'harness/compare/vector.ts', line: "{ ...noCounts, cache: { expected: depth === 'all' ? 1 : 0, made: 0, skipped: 0 }, counters, connections, macs },",
    mutations: ['0 → 1 (2)'],
    why: 'the same: what is made is put to nothing afterwards',
  },
  {
    file: 'harness/fabric/tcp.ts', line: 'if (connection?.unacknowledged === undefined || !stillUnacknowledged(host, timer)) return [];',
    mutations: ['connection?.unacknowledged === undefined → false'],
    why: forTypes,
  },
  {
    file: 'harness/fabric/tcp.ts', line: "case 'close-wait':", mutations: ["'close-wait' → ''"],
    why: 'never reached: only connections of proxies are in it, which are read elsewhere',
  },
  {
    file: 'harness/fabric/tcp.ts', line: "case 'syn-sent':",
    mutations: ["'syn-sent' → ''"],
    why: 'never reached: what comes for a SYN is read elsewhere',
  },
  {
    file: 'harness/packet/geneve.ts', line: "{ name: 'version', length: 1, read: (bytes) => `${unsigned(bytes) >>> 6}, options length ${(unsigned(bytes) & 0x3f) * 4}` },",
    mutations: ['6 → 7'],
    why: 'the same: only version 0 is taken apart',
  },
];
