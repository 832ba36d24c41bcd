/** What a network stack counts of TCP (RFC 1213; proc_pid_net(5), /proc/pid/net/snmp). */
import { readFile } from 'node:fs/promises';
import { assert } from '../../base/errors/errors.js';

const counted = ['InSegs', 'OutSegs', 'RetransSegs'] as const;

/** @param holder a process in the network namespace of the stack. */
export async function segmentsOfStack(holder: number): Promise<number> {
  return segmentsIn(await readFile(`/proc/${holder}/net/snmp`, 'utf8'));
}

/** In and out, those that were sent again as well: OutSegs has them not. */
export function segmentsIn(snmp: string): number {
  const [names = [], values = []] = snmp
    .split('\n')
    .filter((line) => line.startsWith('Tcp:'))
    .map((line) => line.split(' '));
  return counted
    .map((name) => {
      const value = Number(values[names.indexOf(name)]);
      assert(Number.isInteger(value), `the kernel counts ${name}`);
      return value;
    })
    .reduce((sum, value) => sum + value, 0);
}
