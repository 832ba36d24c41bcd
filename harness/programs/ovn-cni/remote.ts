/** Where an OVSDB server listens (ovsdb(7), "Active"). */
import { InputError } from '../../base/errors/errors.js';
import type { SocketAddress } from '../../ovs/ovsdb/json-rpc.js';

/** `unix:/run/ovn/ovnnb_db.sock`, `tcp:172.30.0.1:6641` or `tcp:[fd00::1]:6641`. */
export function parseRemote(remote: string): SocketAddress {
  const path = /^unix:(\/.*)$/.exec(remote)?.[1];
  if (path !== undefined) return path;
  const [, bracketed, bare, port] = /^tcp:(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(remote) ?? [];
  const host = bracketed ?? bare;
  if (host !== undefined && port !== undefined) return { host, port: Number(port) };
  throw new InputError(
    `"${remote}" is no OVSDB remote: expected unix:/PATH or tcp:HOST:PORT (ssl is not supported)`,
  );
}
