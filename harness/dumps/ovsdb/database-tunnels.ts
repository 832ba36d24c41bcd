import type { RecordedTunnel } from '../recorded-tunnel.js';
import { mapOf, oneOf, type Row } from './database.js';

/** Of a row of table Interface; empty for one that is no tunnel, or none of `ports`. */
export function tunnelOf(
  row: Row,
  bridge: string,
  ports: readonly { readonly name: string; readonly ofport: number }[],
): readonly RecordedTunnel[] {
  const port = ports.find(({ name }) => name === oneOf(row, 'name'));
  const [type, options] = [oneOf(row, 'type'), mapOf(row, 'options')];
  return port === undefined || type === undefined || !options.has('remote_ip')
    ? []
    : [
        {
          bridge,
          name: port.name,
          ofport: port.ofport,
          type,
          options: Object.fromEntries(options),
        },
      ];
}
