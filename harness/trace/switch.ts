/** A switch out of what ovs-ofctl prints of it: the flows of dump-flows, the ports of show. */
import { InputError, unknownName } from '../base/errors.js';
import type { NodePlan, PortPlan } from '../nouns/plan.js';
import { parseFlows, printFlow, type Flow } from '../openflow/flow.js';
import { noNames } from '../openflow/form.js';
import { reservedPorts } from '../openflow/ports.js';

/** A text and the file it comes from, for complaints. */
export interface Source {
  readonly text: string;
  readonly file: string;
}

export interface SwitchSources {
  readonly bridge: string;
  /** `ovs-ofctl dump-flows`, in any form. */
  readonly flows: Source;
  /** `ovs-ofctl show`. Without it the ports are those that the flows name, and numbers stand for themselves. */
  readonly ports?: Source;
}

/** @throws InputError with file, line and column for a flow or a port that is none. */
export function switchOf({ bridge, flows, ports }: SwitchSources): NodePlan {
  const named = ports === undefined ? new Map<string, number>() : readPorts(ports);
  const read = parseFlows(flows.text, flows.file, { ...noNames, ports: named });
  const known: readonly PortPlan[] = ports === undefined ? portsIn(read).map((ofport) => endpoint(String(ofport), ofport)) : [...named].map(([name, ofport]) => endpoint(name, ofport));
  return { node: 'switch', hosts: [], bridges: [{ name: bridge, mac: localMac, flows: read.map(printFlow), ports: known.filter(({ ofport }) => ofport !== reservedPorts.LOCAL) }] };
}

/** The name of the port of that name, or of that number. @throws InputError naming the known ones. */
export function findPort({ bridges }: NodePlan, port: string): string {
  const known = bridges.flatMap(({ name, ports }) => [{ name, number: 'LOCAL' }, ...ports.map((other) => ({ name: other.name, number: String(other.ofport) }))]);
  const found = known.find(({ name }) => name === port) ?? known.find(({ number }) => number === port);
  if (found === undefined) throw unknownName('port', port, known.map(({ name }) => name));
  return found.name;
}

/** Of the bridge's own port: no flow of a dump depends on it. */
const localMac = '02:00:00:00:00:01';

function endpoint(name: string, ofport: number): PortPlan {
  return { kind: 'endpoint', name, ofport };
}

/** Lines such as ` 1(p1): addr:aa:55:aa:55:00:01`. */
function readPorts({ text, file }: Source): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [index, line] of text.split('\n').entries()) {
    const [, number, name = ''] = /^ *(\d+|LOCAL)\(([^)]+)\): addr:/.exec(line) ?? [];
    if (number === undefined) continue;
    if (found.has(name)) throw new InputError(`two ports are called ${name}`, { file, line: index + 1 });
    found.set(name, number === 'LOCAL' ? reservedPorts.LOCAL : Number(number));
  }
  if (found.size === 0) throw new InputError('expected what "ovs-ofctl show" prints, such as " 1(p1): addr:aa:55:aa:55:00:01"', { file });
  return found;
}

/** Every number that flows match as in_port or send to. */
function portsIn(flows: readonly Flow[]): readonly number[] {
  const matched = flows.flatMap(({ match }) => match.flatMap(({ field, value }) => (field.name === 'in_port' ? [Number(value)] : [])));
  const sentTo = flows.flatMap(({ actions }) => actions.flatMap((action) => (action.kind === 'output' ? [action.port] : [])));
  return [...new Set([...matched, ...sentTo])].filter((number) => number > 0 && number < reservedPorts.UNSET).sort((a, b) => a - b);
}
