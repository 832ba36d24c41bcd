/**
 * Flows as messages, for many switches: ovs-ofctl encodes one flow of each shape, and the others
 * have other values in the same places.
 */
import { ipv4Number } from '../../base/addresses/mac-and-ipv4.js';
import { assertNever } from '../../base/errors/errors.js';
import { sampleOfShape, type FlowValueKind } from '../../openflow/flows/flow-shape.js';
import { canonicalText, type KnownFlow } from '../../openflow/flows/known-texts.js';
import type { Image } from '../process/image.js';
import { recordBundle, type EncodedBundles, type RecordedBundle } from './recorded-bundle.js';

/** A line of `ovs-ofctl bundle`, or a flow that is added. */
export type BundleLine = string | { readonly add: KnownFlow };

export function textOfLine(line: BundleLine): string {
  return typeof line === 'string' ? line : `flow add ${canonicalText(line.add)}`;
}

/** A message with gaps: what each value takes, and where. */
interface MessageTemplate {
  readonly bytes: Buffer;
  readonly gaps: readonly { readonly at: number; readonly kind: FlowValueKind }[];
}

/**
 * A switch keeps what a bundle holds until its end, between the flows that stay: of 2,000 flows in
 * one, a third of the switch's memory for them is of no use afterwards.
 */
const linesOfBundle = 64;

export interface BundleEncoder {
  /**
   * The messages of as many bundles as the lines take. @param dir where a socket may be made.
   * @returns undefined where ovs-ofctl refuses a line.
   */
  encode(lines: readonly BundleLine[], dir: string): Promise<EncodedBundles | undefined>;
}

/** More would cost more memory than they save time. */
const mostMessages = 10_000;

/** What of an image an encoder needs. */
type EncodingImage = Pick<Image, 'name' | 'digest' | 'command'>;

const encoders = new Map<string, BundleEncoder>();

/** That of an image: what it has learned holds for all switches. @param options of ovs-ofctl. */
export function bundleEncoderOf(image: EncodingImage, options: readonly string[]): BundleEncoder {
  const name = `${image.name} ${image.digest}`;
  const encoder = encoders.get(name) ?? newEncoder(image, options);
  encoders.set(name, encoder);
  return encoder;
}

function newEncoder(image: EncodingImage, options: readonly string[]): BundleEncoder {
  const templates = new Map<string, MessageTemplate | 'each by itself'>();
  const texts = new Map<string, Buffer>();
  let control: Omit<RecordedBundle, 'added'> | undefined;
  const shapeOf = (line: BundleLine) =>
    typeof line === 'string' || typeof line.add === 'string' ? undefined : line.add;
  /** Whether it needs ovs-ofctl. */
  const isUnknown = (line: BundleLine) => {
    const flow = shapeOf(line);
    const template = flow === undefined ? undefined : templates.get(flow.shape);
    return template === undefined || template === 'each by itself'
      ? !texts.has(textOfLine(line))
      : false;
  };
  const learn = async (lines: readonly BundleLine[], dir: string): Promise<boolean> => {
    const asked = new Set<string>();
    const samples = new Map<string, string>();
    for (const line of lines) {
      asked.add(textOfLine(line));
      const flow = shapeOf(line);
      const sample = flow === undefined ? undefined : sampleOfShape(flow.shape);
      if (flow === undefined || sample === undefined || templates.has(flow.shape)) continue;
      const text = `flow add ${canonicalText({ shape: flow.shape, values: sample.values })}`;
      samples.set(flow.shape, text);
      asked.add(text);
    }
    const inOrder = [...asked];
    const recorded = await recordBundle(image, options, dir, inOrder);
    if (recorded === undefined) return false;
    control ??= recorded;
    const messages = new Map(inOrder.map((text, index) => [text, recorded.added[index]]));
    if (texts.size > mostMessages) texts.clear();
    for (const [text, message] of messages) if (message !== undefined) texts.set(text, message);
    for (const line of lines) {
      const flow = shapeOf(line);
      const sample = flow === undefined ? undefined : samples.get(flow.shape);
      if (flow === undefined || sample === undefined || templates.has(flow.shape)) continue;
      const template = templateOf(flow.shape, messages.get(sample));
      const whole = messages.get(textOfLine(line));
      const isFilledIn =
        template !== undefined &&
        whole !== undefined &&
        sameMessage(filled(template, flow.values), whole);
      templates.set(flow.shape, isFilledIn ? template : 'each by itself');
    }
    return true;
  };
  const partOf = (line: BundleLine): MessagePart | undefined => {
    const flow = shapeOf(line);
    const template = flow === undefined ? undefined : templates.get(flow.shape);
    if (flow !== undefined && template !== undefined && template !== 'each by itself')
      return { template, values: flow.values };
    const bytes = texts.get(textOfLine(line));
    return bytes === undefined ? undefined : { template: { bytes, gaps: [] }, values: [] };
  };
  return {
    encode: async (lines, dir) => {
      const unknown = lines.filter(isUnknown);
      if ((unknown.length > 0 || control === undefined) && !(await learn(unknown, dir)))
        return undefined;
      const parts = lines.map(partOf).filter((part) => part !== undefined);
      return control === undefined || parts.length < lines.length
        ? undefined
        : inBundles(parts, control);
    },
  };
}

/** A message of a line: a template, and what is to be written into its gaps. */
interface MessagePart {
  readonly template: MessageTemplate;
  readonly values: readonly string[];
}

function inBundles(
  parts: readonly MessagePart[],
  { open, commit }: Omit<RecordedBundle, 'added'>,
): EncodedBundles {
  const count = Math.max(1, Math.ceil(parts.length / linesOfBundle));
  const bytes = parts.reduce((sum, { template }) => sum + template.bytes.length, 0);
  const messages = Buffer.allocUnsafe(bytes + count * (open.length + commit.length));
  let at = 0;
  const copy = (message: Buffer) => {
    message.copy(messages, at);
    at += message.length;
  };
  for (let bundle = 0; bundle < count; bundle++) {
    copy(open);
    for (const { template, values } of parts.slice(
      bundle * linesOfBundle,
      (bundle + 1) * linesOfBundle,
    )) {
      const from = at;
      copy(template.bytes);
      fillIn(messages, from, template, values);
    }
    copy(commit);
  }
  return { messages, count };
}

/** Where the message that it adds begins, and what distinguishes messages in each: xid. */
const innerAt = 16;
const xidAt = 4;

function sameMessage(one: Buffer, other: Buffer): boolean {
  const alike = Buffer.from(one);
  for (const at of [xidAt, innerAt + xidAt]) other.copy(alike, at, at, at + 4);
  return alike.equals(other);
}

function templateOf(shape: string, message: Buffer | undefined): MessageTemplate | undefined {
  const sample = sampleOfShape(shape);
  if (sample === undefined || message === undefined) return undefined;
  const gaps: { at: number; kind: FlowValueKind }[] = [];
  for (const [index, value] of sample.values.entries()) {
    const kind = sample.kinds[index] ?? 'number';
    const bytes = bytesOf(kind, value);
    const at = message.indexOf(bytes, innerAt);
    if (at < 0 || message.includes(bytes, at + 1)) return undefined;
    gaps.push({ at, kind });
  }
  return { bytes: message, gaps };
}

function filled(template: MessageTemplate, values: readonly string[]): Buffer {
  const message = Buffer.from(template.bytes);
  fillIn(message, 0, template, values);
  return message;
}

/** @param from where the message of the template begins. */
function fillIn(
  to: Buffer,
  from: number,
  { gaps }: MessageTemplate,
  values: readonly string[],
): void {
  for (let index = 0; index < gaps.length; index++) {
    const gap = gaps[index];
    if (gap !== undefined) writeValue(to, from + gap.at, gap.kind, values[index]);
  }
}

function bytesOf(kind: FlowValueKind, value: string): Buffer {
  const bytes = Buffer.alloc(kind === 'mac' || kind === 'load-mac' ? 6 : 4);
  writeValue(bytes, 0, kind, value);
  return bytes;
}

/** A canonical text as the fields of matches and actions have it. */
function writeValue(to: Buffer, at: number, kind: FlowValueKind, value = ''): void {
  switch (kind) {
    case 'mac':
    case 'load-mac':
      for (let octet = 0; octet < 6; octet++)
        to[at + octet] = parseInt(value.slice(3 * octet, 3 * octet + 2), 16);
      return;
    case 'ip':
    case 'net-16':
    case 'net-24':
    case 'load-ip':
      to.writeUInt32BE(ipv4Number(value), at);
      return;
    case 'port':
    case 'number':
    case 'load-number':
      to.writeUInt32BE(Number(value), at);
      return;
    default:
      assertNever(kind);
  }
}
