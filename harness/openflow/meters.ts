/**
 * Meters: read as ovs-ofctl(8) writes and reads them ("Meter Syntax"), printed as `dump-meters`
 * does.
 */
import { InputError } from '../base/errors/errors.js';
import { small, uint32, uint8 } from './actions/parse-context.js';
import { complain, parseNumber, part, shorten, span, type Span } from './syntax/text.js';

export interface Meter {
  /** The two that have a name are for packets to controllers, and for packets on the slow path. */
  readonly id: number | 'controller' | 'slowpath';
  /** What rates count: 1,000 bits or packets, a second. */
  readonly unit: 'kbps' | 'pktps';
  readonly burst: boolean;
  readonly stats: boolean;
  readonly bands: readonly Band[];
}

/**
 * What happens to packets above `rate`. `burstSize` is in the meter's unit, without the second; 0
 * where the meter has no `burst`.
 */
export interface Band {
  readonly type: 'drop' | 'dscp_remark';
  readonly rate: number;
  readonly burstSize: number;
  /** By how much dscp_remark raises the drop precedence; 0 otherwise. */
  readonly precedence: number;
}

/** (OpenFlow 1.3, "Meter Modification Message") */
const lastMeter = 0xffff0000n;

/**
 * Reads one meter: `meter=1,kbps,burst,band=type=drop,rate=1000,burst_size=500`, or what a dump
 * prints of one, on several lines.
 * @throws InputError with file, line and column, for everything that ovs-ofctl or the switch
 *   refuse.
 */
export function parseMeter(text: string, place = { file: 'meter', line: 1 }): Meter {
  const whole = span(text, { ...place, column: 1 });
  const [, head = '', separator] = /(.*?)(\bbands?\s*=|$)/s.exec(text) ?? [];
  if (separator === undefined || separator === '')
    throw complain(whole, 'a meter needs bands: band=type=drop,rate=1000');
  const words = wordsOf(whole, 0, head.length);
  const flags = new Set(
    words.filter(({ text: word }) => !word.startsWith('meter=')).map((word) => flagOf(word)),
  );
  const [id] = words.filter(({ text: word }) => word.startsWith('meter='));
  if (id === undefined) throw complain(whole, 'expected meter=');
  if (flags.has('kbps') === flags.has('pktps'))
    throw complain(whole, 'a meter counts kbps or pktps');
  const burst = flags.has('burst');
  const bands = readBands(whole, head.length + separator.length, burst);
  return {
    id: readId(part(id, 'meter='.length)),
    unit: flags.has('kbps') ? 'kbps' : 'pktps',
    burst,
    stats: flags.has('stats'),
    bands,
  };
}

/**
 * Reads a file of meters, one a line, or the output of `dump-meters`, where empty lines stand
 * between them; lines that begin with # are left out.
 */
export function parseMeters(text: string, file: string): readonly Meter[] {
  const found: { line: number; text: string }[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(#|$)|^OFPST_METER_CONFIG reply/.test(line)) continue;
    const last = found.at(-1);
    if (/^\s*type=/.test(line) && last !== undefined) last.text += `\n${line}`;
    else found.push({ line: index + 1, text: line });
  }
  const lineOf = new Map<Meter['id'], number>();
  return found.map(({ text: one, line }) => {
    const meter = parseMeter(one, { file, line });
    const before = lineOf.get(meter.id);
    if (before !== undefined)
      throw new InputError(`meter ${meter.id} is there twice: line ${before} has it too`, {
        file,
        line,
      });
    lineOf.set(meter.id, line);
    return meter;
  });
}

/**
 * As `ovs-ofctl -O OpenFlow13 dump-meters` prints it, on several lines; later versions print the
 * same.
 */
export function printMeter({ id, unit, burst, stats, bands }: Meter): string {
  const lines = bands.map(
    ({ type, rate, burstSize, precedence }) =>
      `type=${type} ` +
      `rate=${rate}${burst ? ` burst_size=${burstSize}` : ''}${type === 'dscp_remark' ? ` prec_level=${precedence}` : ''}`,
  );
  return [
    `meter=${id} ${unit} ${burst ? 'burst ' : ''}${stats ? 'stats ' : ''}bands=`,
    ...lines,
  ].join('\n');
}

/**
 * The words between commas and white space from character `from` up to `to`, each with its place;
 * lines count. The text begins its line.
 */
function wordsOf(whole: Span, from: number, to = whole.text.length): readonly Span[] {
  return [...whole.text.slice(from, to).matchAll(/[^,\s]+/g)].map((word) => {
    const [own = '', ...earlier] = whole.text
      .slice(0, from + word.index)
      .split('\n')
      .reverse();
    return { ...whole, text: word[0], line: whole.line + earlier.length, column: own.length + 1 };
  });
}

const flagNames: readonly string[] = ['kbps', 'pktps', 'burst', 'stats'];

function flagOf(at: Span): string {
  if (!flagNames.includes(at.text))
    throw complain(
      at,
      `expected meter=, ${flagNames.join(', ')} or bands=, got "${shorten(at.text)}"`,
    );
  return at.text;
}

function readId(at: Span): Meter['id'] {
  if (at.text === 'controller' || at.text === 'slowpath') return at.text;
  const id = small(at, 'meter', lastMeter);
  if (id === 0) throw complain(at, 'meters have numbers from 1');
  return id;
}

/** `type=drop rate=1000 type=…`: every type begins a band. */
function readBands(whole: Span, from: number, burst: boolean): readonly Band[] {
  const bands: { at: Span; band: Band }[] = [];
  for (const word of wordsOf(whole, from)) {
    const [, name = ''] = /^([a-z_]+)=./.exec(word.text) ?? [];
    const argument = part(word, name.length + 1);
    const last = bands.at(-1);
    if (name === 'type')
      bands.push({
        at: word,
        band: { type: bandType(argument), rate: 0, burstSize: 0, precedence: 0 },
      });
    else if (last === undefined) throw complain(word, 'a band begins with type=');
    else if (name === 'rate') last.band = { ...last.band, rate: small(argument, name, uint32) };
    else if (name === 'burst_size')
      last.band = { ...last.band, burstSize: small(argument, name, uint32) };
    else if (name === 'prec_level')
      last.band = { ...last.band, precedence: Number(parseNumber(argument, name, uint8)) };
    else
      throw complain(
        word,
        `expected type=, rate=, burst_size= or prec_level=, got "${shorten(word.text)}"`,
      );
  }
  if (bands.length === 0)
    throw complain(part(whole, from), 'a meter needs bands: band=type=drop,rate=1000');
  for (const { at, band } of bands) checkBand(at, band, burst);
  return bands.map(({ band }) => band);
}

function bandType(at: Span): Band['type'] {
  if (at.text !== 'drop' && at.text !== 'dscp_remark')
    throw complain(at, `type: expected drop or dscp_remark, got "${shorten(at.text)}"`);
  return at.text;
}

function checkBand(at: Span, { type, rate, burstSize, precedence }: Band, burst: boolean): void {
  if (rate === 0) throw complain(at, 'a band needs a rate from 1');
  if (burst && burstSize === 0)
    throw complain(at, 'a band of a meter with burst needs a burst_size from 1');
  if (!burst && burstSize !== 0) throw complain(at, 'burst_size is for meters with burst');
  if (type === 'dscp_remark' && precedence === 0)
    throw complain(at, 'a dscp_remark band needs a prec_level from 1');
  if (type === 'drop' && precedence !== 0)
    throw complain(at, 'prec_level is for dscp_remark bands');
}
