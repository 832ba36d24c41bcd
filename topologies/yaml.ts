import { LineCounter, isMap, isNode, isScalar, parseDocument, type Document } from 'yaml';
import type { z } from 'zod';
import { formatIpv4, parseCidr } from '../harness/base/address.js';
import { InputError, assert, formatPlace, unknownName, type Place } from '../harness/base/errors.js';
import { topologyProblems, type TopologyProblem } from '../harness/nouns/topology-check.js';
import type { Node, Topology } from '../harness/nouns/topology.js';
import { addressIn, macOf, podSubnet, underlayAddress, underlayPrefixLength } from './antrea-cluster.js';
import { interfaceSchema, nodeSchema, podSchema, topologySchema, underlaySchema } from './schema.js';

/** As `TopologyProblem`; `of` tells whether the key is wrong or, unless told, the value. */
interface Problem extends TopologyProblem {
  readonly of?: 'key' | 'value';
}

/**
 * Reads a topology; topologies/two-nodes.yaml shows every key. The i-th node's underlay address, pod subnet and
 * gateway default to what `antreaCluster` gives its i-th node, a pod's address to the lowest free one, MACs to `macOf`.
 * @throws InputError naming file, line and column of everything that is wrong, the value, and what would be right.
 */
export function readTopology(text: string, file: string): Topology {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  const refusal = (problems: readonly Problem[]) => refused(problems.map((problem) => ({ place: at(offsetOf(document, problem)), message: problem.message })));
  if (document.errors.length > 0) throw refused(document.errors.map(({ pos, message }) => ({ place: at(pos[0]), message })));
  const read = topologySchema.safeParse(document.toJS(), { reportInput: true });
  if (!read.success) throw refusal(read.error.issues.flatMap(explain));
  const topology = withDefaults(read.data);
  const problems = topologyProblems(topology);
  if (problems.length > 0) throw refusal(problems);
  return topology;
}

/** All of the problems as one error at the place of the first; the others follow, a line each. */
function refused(problems: readonly { readonly place: Place; readonly message: string }[]): InputError {
  const [first, ...others] = problems;
  assert(first !== undefined, 'a refusal without a problem');
  return new InputError([first.message, ...others.map(({ place, message }) => `${formatPlace(place)}: ${message}`)].join('\n'), first.place);
}

function explain(issue: z.core.$ZodIssue): readonly Problem[] {
  const path = issue.path.filter((step) => typeof step !== 'symbol');
  const value = JSON.stringify(issue.input) ?? 'nothing';
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: [...path, key], of: 'key', message: unknownName('key', key, keysAt(path)).message }));
    case 'invalid_value':
      return [{ path, message: `expected ${issue.values.join(' or ')}, got ${value}` }];
    case 'invalid_type':
      return [{ path, message: issue.input === undefined ? `"${String(path.at(-1))}" is missing: expected ${describe(issue.expected)}` : `expected ${describe(issue.expected)}, got ${value}` }];
    default:
      return [{ path, message: issue.message }];
  }
}

/** What zod expects, in words. */
function describe(expected: string): string {
  return { string: 'a text', object: 'keys and values', array: 'a list', int: 'a whole number', number: 'a number' }[expected] ?? expected;
}

/** The keys that the schema knows at a place of the document. */
function keysAt(path: readonly (string | number)[]): readonly string[] {
  const schemas: Readonly<Record<string, object>> = {
    nodes: nodeSchema.shape,
    pods: podSchema.shape,
    gateway: interfaceSchema.shape,
    underlay: underlaySchema.shape,
  };
  const room = path.findLast((step) => typeof step === 'string');
  return Object.keys((room === undefined ? undefined : schemas[room]) ?? topologySchema.shape);
}

/** Where in the text the key or value at `path` begins; where it is not written, what encloses it. */
function offsetOf(document: Document, { path, of = 'value' }: Pick<Problem, 'path' | 'of'>): number {
  const [parent, node] = [nodeAt(document, path.slice(0, -1)), nodeAt(document, path)];
  const key = isMap(parent) ? parent.items.map((pair) => pair.key).find((candidate) => isScalar(candidate) && candidate.value === path.at(-1)) : undefined;
  const found = of === 'key' && isNode(key) ? key : node;
  if (isNode(found) && found.range) return found.range[0];
  return path.length === 0 ? 0 : offsetOf(document, { path: path.slice(0, -1) });
}

function nodeAt(document: Document, path: readonly (string | number)[]): unknown {
  return path.length === 0 ? document.contents : document.getIn(path, true);
}

function withDefaults({ nodes, ...cluster }: z.output<typeof topologySchema>): Topology {
  return { ...cluster, nodes: nodes.map((node, index) => nodeWithDefaults(node, index + 1)) };
}

function nodeWithDefaults(node: z.output<typeof nodeSchema>, number: number): Node {
  const podCidr = node.podCidr ?? `${podSubnet(number)}/24`;
  const underlay = withMac({ ip: node.underlay.ip ?? underlayAddress(number), mac: node.underlay.mac });
  const gateway = withMac({ ip: node.gateway.ip ?? firstAddress(podCidr), mac: node.gateway.mac });
  const taken = new Set([gateway.ip, ...node.pods.map(({ ip }) => ip)]);
  const pods = node.pods.map(({ name, ip, mac }) => {
    const address = ip ?? lowestFree(podCidr, taken);
    taken.add(address);
    return { name, ...withMac({ ip: address, mac }) };
  });
  return { name: node.name, underlay: { ...underlay, prefixLength: node.underlay.prefixLength ?? underlayPrefixLength }, podCidr, gateway, pods };
}

function withMac({ ip, mac }: { readonly ip: string; readonly mac: string | undefined }): { readonly ip: string; readonly mac: string } {
  return { ip, mac: mac ?? macOf(ip) };
}

function firstAddress(cidr: string): string {
  return formatIpv4(parseCidr(cidr).number + 1);
}

function lowestFree(cidr: string, taken: ReadonlySet<string | undefined>): string {
  let candidate = firstAddress(cidr);
  while (taken.has(candidate)) candidate = addressIn(candidate, 1);
  return candidate;
}
