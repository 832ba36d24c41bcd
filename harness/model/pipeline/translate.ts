/**
 * One translation: the flows that a packet takes, what they do one by one, and what the datapath
 * then does with it.
 */
import { reservedPorts } from '../../openflow/ports.js';
import { copyKey, word } from '../../packet/flow-key.js';
import { findMegaflow, keepMegaflow, type Start } from '../megaflows/megaflow.js';
import { beginRecording, type Recording } from '../megaflows/recording.js';
import { setApart } from '../packet.js';
import { carryOutSet } from './action-set.js';
import { arrive } from './arrival.js';
import { finishFreezing } from './freeze.js';
import { carryOut } from './perform.js';
import { replay } from './replay.js';
import { isCongested, runTable } from './tables.js';
import {
  beginTranslation,
  execute,
  type Execution,
  type Frozen,
  type Passage,
  type Translation,
} from './translation.js';

/** What a packet is translated with: who it belongs to, and who takes it up again. */
export type Course = Omit<Execution, 'carried'>;

/** From where `frozen` says; what was kept of a packet that goes the same way is done again. */
export function translate(course: Course, frozen: Frozen): void {
  const { node, steps } = course.passage;
  const { megaflows, changes } = node;
  const start = startOf(course.passage, frozen);
  if (megaflows === undefined || start === undefined) return finish(carriedThrough(course, frozen));
  const known = findMegaflow(megaflows, node, start, frozen.packet.key);
  if (known !== undefined) {
    megaflows.told.hit++;
    return replay(course, known, frozen.packet);
  }
  megaflows.told.missed++;
  const from = steps.length;
  const at = carriedThrough(course, frozen, beginRecording(frozen.packet.key, changes.learned));
  const { recording } = at;
  // What was learned meanwhile may have come after what it went by.
  const holds = recording?.depends === 'on flows' || recording?.learnedAt === changes.learned;
  if (recording !== undefined && holds && at.error === undefined)
    keepMegaflow(megaflows, node, start, recording, steps.slice(from));
  finish(at);
}

/** The translation, to its end; what is left to the datapath is not yet done. */
function carriedThrough(course: Course, frozen: Frozen, recording?: Recording): Translation {
  const at = begin(course, frozen);
  at.recording = recording;
  walk(at, frozen);
  complete(at);
  return at;
}

function finish({ error, datapath }: Translation): void {
  if (error === undefined) execute(datapath);
}

/**
 * Undefined where nothing is kept: where details are asked for, flows have changed under way, or a
 * packet is no whole one that comes to a table.
 */
function startOf(
  { details, edits }: Passage,
  { bridge, table, packet, actions, stack, mirrored }: Frozen,
): Start | undefined {
  if (
    details !== undefined ||
    edits.length > 0 ||
    bridge.mirrors.length > 0 ||
    actions.length > 0 ||
    stack.length > 0 ||
    mirrored !== 0
  )
    return undefined;
  if (packet.key[word.nwFrag] !== 0 || packet.isUnread || packet.isWrapped) return undefined;
  return { bridge, table: packet.cameTo === undefined ? table : `${table} ${packet.cameTo}` };
}

function begin(
  { passage, recirculate, thawedAt }: Course,
  { bridge, packet, stack, mirrored }: Frozen,
): Translation {
  setApart(packet);
  const at = beginTranslation(
    { passage, carryOut, recirculate, ...(thawedAt === undefined ? {} : { thawedAt }) },
    bridge,
    packet,
  );
  at.stack = [...stack];
  at.mirrored = mirrored;
  at.isArriving = true;
  packet.key[word.actsetOutput] = reservedPorts.UNSET;
  passage.details?.push({
    kind: 'begin',
    after: passage.steps.length,
    bridge: bridge.plan.name,
    key: copyKey(packet.key),
  });
  return at;
}

/** Where no flow is known (ofproto-dpif-xlate.c, xlate_actions). */
const noCookie = 0xffffffffffffffffn;

function walk(at: Translation, { table, actions, cookie = noCookie }: Frozen): void {
  if (actions.length === 0) return runTable(at, table, at.packet.key[word.inPort] ?? 0);
  if (isCongested(at)) return;
  at.place = { table: 0, cookie, flow: actions[0]?.place.flow, meters: 'looked up' };
  carryOut(
    at,
    actions.map(({ action }) => action),
    { kind: 'frozen', places: actions.map(({ place }) => place) },
  );
}

/**
 * As in Open vSwitch, addresses are learned while tables are looked up; a packet that goes on from
 * the tracker finds them all.
 */
function complete(at: Translation): void {
  arrive(at);
  if (at.error === undefined && at.freezing === undefined) carryOutSet(at);
  at.passage.details?.push({
    kind: 'finish',
    after: at.passage.steps.length,
    key: copyKey(at.packet.key),
  });
  if (at.error === undefined && at.freezing !== undefined) finishFreezing(at);
}
