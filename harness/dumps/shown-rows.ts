/**
 * The rows of a database that a switch with the ports of `ovs-ofctl show` would have, out of its
 * text: what a switch is built from whose database nobody has dumped. The model has what
 * dumped-ports.ts reads of the same text.
 */
import type { DumpedColumn, DumpedRow } from '../domain/plan/dumped-node.js';
import type { TextSource } from './text-source.js';

/** A bridge and the text of its `show`. */
export interface ShownBridge {
  readonly bridge: string;
  readonly ports: TextSource;
}

/** @param shown all bridges of the switch. */
export function shownRows(shown: readonly ShownBridge[]): readonly DumpedRow[] {
  return shown.flatMap(({ bridge, ports }, at) => rowsOf(bridge, ports.text, at));
}

interface ShownPort {
  readonly number: string;
  readonly name: string;
  readonly address: string;
}

function rowsOf(bridge: string, text: string, at: number): readonly DumpedRow[] {
  const ports: ShownPort[] = [];
  for (const head of text.match(/^.*\): *addr:[0-9a-f:]+/gm) ?? []) {
    const [before = '', address = ''] = head.split(/\): *addr:/);
    const [number = '', ...name] = before.trim().split('(');
    if (number !== 'LOCAL') ports.push({ number, name: name.join('('), address });
    else ports.unshift({ number, name: bridge, address });
  }
  if (ports[0]?.number !== 'LOCAL') ports.unshift({ number: 'LOCAL', name: bridge, address: '' });
  const isOne = (name: string) => ports.filter((port) => port.name === name).length === 1;
  const id = (kind: number, index: number) =>
    `${kind}${String(at).padStart(7, '0')}-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const row = (
    table: string,
    uuid: string,
    columns: Readonly<Record<string, DumpedColumn>>,
  ): DumpedRow => ({ table, uuid, columns: new Map(Object.entries(columns)) });
  const [local] = ports;
  return [
    row('Bridge', id(1, 0), {
      name: [bridge],
      datapath_type: ['system'],
      fail_mode: ['secure'],
      ports: ports.map((_, index) => id(2, index)),
      ...(local === undefined || local.address === ''
        ? {}
        : { other_config: new Map([['hwaddr', local.address]]) }),
    }),
    ...ports.flatMap(({ number, name }, index) => {
      // Two that are cut to the same go by their numbers.
      const own = isOne(name) ? name : number;
      return [
        row('Port', id(2, index), { name: [own], interfaces: [id(3, index)] }),
        row(
          'Interface',
          id(3, index),
          number === 'LOCAL'
            ? { name: [own], type: ['internal'] }
            : { name: [own], type: ['dummy'], ofport_request: [number] },
        ),
      ];
    }),
  ];
}
