/**
 * Bundles of flows as messages, for many switches: ovs-ofctl encodes one flow of each shape, and
 * the others have other values in the same places.
 */
import { assertNever } from '../../base/errors/errors.js';
import { sampleOfShape, type FlowValueKind } from '../../openflow/flows/flow-shape.js';
import { canonicalText, type KnownFlow } from '../../openflow/flows/known-texts.js';
import type { Image } from '../process/image.js';
import { recordBundle, type RecordedBundle } from './recorded-bundle.js';

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

export interface BundleEncoder {
  /**
   * The messages of a bundle. @param dir where a socket may be made. @returns undefined where
   *   ovs-ofctl refuses a line.
   */
  encode(lines: readonly BundleLine[], dir: string): Promise<Buffer | undefined>;
}

/** More would cost more memory than they save time. */
const mostMessages = 10_000;

const encoders = new Map<string, BundleEncoder>();

/** That of an image: what it has learned holds for all switches. @param options of ovs-ofctl. */
export function bundleEncoderOf(image: Image, options: readonly string[]): BundleEncoder {
  const name = `${image.name} ${image.digest}`;
  const encoder = encoders.get(name) ?? newEncoder(image, options);
  encoders.set(name, encoder);
  return encoder;
}

function newEncoder(image: Image, options: readonly string[]): BundleEncoder {
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
  const messageOf = (line: BundleLine): Buffer | undefined => {
    const flow = shapeOf(line);
    const template = flow === undefined ? undefined : templates.get(flow.shape);
    return flow === undefined || template === undefined || template === 'each by itself'
      ? texts.get(textOfLine(line))
      : filled(template, flow.values);
  };
  return {
    encode: async (lines, dir) => {
      const unknown = lines.filter(isUnknown);
      if ((unknown.length > 0 || control === undefined) && !(await learn(unknown, dir)))
        return undefined;
      const added = lines.map(messageOf);
      if (control === undefined || added.includes(undefined)) return undefined;
      const { open, commit } = control;
      return Buffer.concat([open, ...added.filter((one) => one !== undefined), commit]);
    },
  };
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

function filled({ bytes, gaps }: MessageTemplate, values: readonly string[]): Buffer {
  const message = Buffer.from(bytes);
  for (const [index, { at, kind }] of gaps.entries()) writeValue(message, at, kind, values[index]);
  return message;
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
      to.write(value.replaceAll(':', ''), at, 'hex');
      return;
    case 'ip':
    case 'load-ip':
      for (const [index, part] of value.split('.').entries()) to[at + index] = Number(part);
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
