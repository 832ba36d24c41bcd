/** The QEMU Machine Protocol (docs/interop/qmp-spec in QEMU's documentation): a client. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { Unavailable } from '../base/errors/errors.js';

export interface QmpEvent {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** When it happened, as QEMU says: microseconds since 1970. */
  readonly atUs: number;
}

export interface Qmp {
  /** @throws Unavailable with the error that QEMU answers. */
  execute(command: string, args?: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** The first event that is wanted, also one that has been. */
  event(wanted: (event: QmpEvent) => boolean): Promise<QmpEvent>;
  readonly events: readonly QmpEvent[];
}

const eventMessage = z.object({
  event: z.string(),
  data: z.record(z.string(), z.unknown()).default({}),
  timestamp: z.object({ seconds: z.number(), microseconds: z.number() }),
});
const answerMessage = z.object({
  id: z.number(),
  return: z.unknown().optional(),
  error: z.object({ class: z.string(), desc: z.string() }).optional(),
});

/** A socket at `path` to which one QEMU connects. */
export async function listenQmp(
  path: string,
): Promise<{ readonly connected: Promise<Qmp>; close(): void }> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  const connected = once(server, 'connection').then(([socket]) => connect(socket as Socket));
  return { connected, close: () => void server.close() };
}

async function connect(socket: Socket): Promise<Qmp> {
  const events: QmpEvent[] = [];
  const waiting: { wanted(event: QmpEvent): boolean; resolve(event: QmpEvent): void }[] = [];
  const asked = new Map<number, (answer: z.infer<typeof answerMessage>) => void>();
  socket.on('error', () => undefined); // QEMU has ended, which its process says
  createInterface({ input: socket }).on('line', (line) => {
    const message: unknown = JSON.parse(line);
    const event = eventMessage.safeParse(message);
    if (!event.success) {
      const answer = answerMessage.safeParse(message);
      if (answer.success) asked.get(answer.data.id)?.(answer.data);
      return; // else its greeting
    }
    const { event: name, data, timestamp } = event.data;
    const one = { name, data, atUs: timestamp.seconds * 1e6 + timestamp.microseconds };
    events.push(one);
    for (const { wanted, resolve } of waiting) if (wanted(one)) resolve(one);
  });
  let last = 0;
  const execute = async (command: string, args: Readonly<Record<string, unknown>> = {}) => {
    const id = ++last;
    const answered = new Promise<z.infer<typeof answerMessage>>((resolve) => {
      asked.set(id, resolve);
    });
    socket.write(`${JSON.stringify({ execute: command, arguments: args, id })}\n`);
    const answer = await answered;
    asked.delete(id);
    if (answer.error !== undefined)
      throw new Unavailable(`QEMU refuses ${command}: ${answer.error.desc}`);
    return answer.return;
  };
  await execute('qmp_capabilities');
  return {
    execute,
    events,
    event: (wanted) => {
      const found = events.find(wanted);
      return found === undefined
        ? new Promise((resolve) => waiting.push({ wanted, resolve }))
        : Promise.resolve(found);
    },
  };
}
