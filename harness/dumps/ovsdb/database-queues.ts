/** Queues of ports that mark what goes into them. */
import { mapOf, oneOf, rowsOf, type Database, type Row } from './database.js';

/** By the queue's number; undefined where none of the port's queues marks anything. */
export function queueDscpOf(
  port: Row,
  database: Database,
): Readonly<Record<string, number>> | undefined {
  const qos = rowsOf(database, 'QoS').get(oneOf(port, 'qos') ?? '');
  // One without a type is not set up (vswitchd/bridge.c, iface_configure_qos).
  if (qos === undefined || (oneOf(qos, 'type') ?? '') === '') return undefined;
  const queues = rowsOf(database, 'Queue');
  const marks = [...mapOf(qos, 'queues')].flatMap(([number, id]) => {
    const row = queues.get(id);
    const dscp = row === undefined ? undefined : oneOf(row, 'dscp');
    return dscp === undefined ? [] : [[number, Number(dscp)] as const];
  });
  return marks.length === 0 ? undefined : Object.fromEntries(marks);
}

/** Plans have no words for queues of the bridge's own port. */
export function localQueues(
  rows: readonly { readonly port: Row; readonly row: Row }[],
  bridge: string,
  database: Database,
): readonly string[] {
  return rows
    .filter(({ port, row }) => oneOf(row, 'name') === bridge && queueDscpOf(port, database))
    .map(() => `the dscp of queues of LOCAL`);
}
