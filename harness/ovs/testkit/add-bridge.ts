/** A bridge without ports on a switch that has none. */
import { giveUpMs } from '../../base/concurrency/deadline.js';
import type { Vswitch } from '../vswitch.js';

/** Resolves once ovs-vswitchd has it. */
export async function addBridge({ ovsdb }: Pick<Vswitch, 'ovsdb'>, name: string): Promise<void> {
  await ovsdb.transact([
    {
      op: 'insert',
      table: 'Bridge',
      'uuid-name': 'bridge',
      row: { name, fail_mode: 'secure', datapath_type: 'dummy' },
    },
    {
      op: 'mutate',
      table: 'Open_vSwitch',
      where: [],
      mutations: [
        ['bridges', 'insert', ['set', [['named-uuid', 'bridge']]]],
        ['next_cfg', '+=', 1],
      ],
    },
  ]);
  const isMade = {
    table: 'Open_vSwitch',
    where: [],
    columns: ['cur_cfg'],
    until: '==',
    rows: [{ cur_cfg: 1 }],
  } as const;
  await ovsdb.waitFor('the bridge', isMade, giveUpMs);
}
