/**
 * Ports of a datapath, and the ports of bridges that packets come in at there. Tunnels of one type
 * share a port of the datapath (`vxlan_sys_4789`): addresses and keys decide whose a packet is.
 */
import { addressNumber } from '../base/addresses/ip-address.js';
import { InputError } from '../base/errors/errors.js';
import type { RecordedTunnel } from '../dumps/recorded-tunnel.js';
import { mostParticular } from '../model/tunnels/tunnel-ports.js';
import { carriesFrames, isSharedName, sharedName, tunnelTypes } from './shared-ports.js';

/** A line of `ovs-appctl dpif/show`: `    p1 1/2: (system)`. */
export interface DatapathPort {
  readonly bridge: string;
  readonly name: string;
  /** Its number on the bridge; missing for LOCAL. */
  readonly ofport?: number;
  /** Its number in the datapath. */
  readonly number: number;
  readonly tunnel?: Pick<RecordedTunnel, 'type' | 'options'>;
}

/** What is known of ports. */
export interface KnownPorts {
  /** Missing where nobody has given `dpif/show`. */
  readonly numbered?: readonly DatapathPort[];
  /** Tunnels that the database has. */
  readonly tunnels: readonly RecordedTunnel[];
}

/** What the packet says of the tunnel that it came through. */
export interface ArrivingTunnel {
  readonly source: string;
  readonly destination: string;
  readonly id: bigint;
}

/** Where a packet comes in. */
export interface ArrivalPort {
  readonly bridge?: string;
  readonly name: string;
  readonly ofport?: number;
}

/**
 * Ports of all bridges of one datapath. @param wanted the bridges that are asked about, or the
 * datapath's name, which decide where the text has several datapaths.
 * @throws InputError for a text without ports, and where several datapaths are meant.
 */
export function readDatapathPorts(
  text: string,
  file: string,
  wanted: { readonly bridges: readonly string[]; readonly datapath: string | undefined },
): readonly DatapathPort[] {
  const datapaths = new Map<string, DatapathPort[]>();
  let [datapath, bridge] = ['', ''];
  for (const line of text.split('\n')) {
    const head = /^(\S+@\S+):/.exec(line)?.[1];
    if (head !== undefined) [datapath, bridge] = [head, ''];
    bridge = /^\s+(\S+):\s*$/.exec(line)?.[1] ?? bridge;
    const [, name = '', ofport, number, type = '', options = ''] =
      /^\s+(\S+) (\d+|LOCAL)\/(\d+): \(([^:)]*)(?:: ?([^)]*))?\)/.exec(line) ?? [];
    if (number === undefined) continue;
    const ports = datapaths.get(datapath) ?? [];
    datapaths.set(datapath, ports);
    ports.push({
      bridge,
      name,
      number: Number(number),
      ...(ofport === 'LOCAL' || Number(ofport) === 65534 ? {} : { ofport: Number(ofport) }),
      ...(tunnelTypes.has(type) ? { tunnel: { type, options: readOptions(options) } } : {}),
    });
  }
  if (datapaths.size === 0)
    throw new InputError(
      'expected what "ovs-appctl dpif/show" prints, such as "    p1 1/2: (system)"',
      { file },
    );
  return chosen(datapaths, file, wanted);
}

function chosen(
  datapaths: ReadonlyMap<string, readonly DatapathPort[]>,
  file: string,
  {
    bridges,
    datapath,
  }: { readonly bridges: readonly string[]; readonly datapath: string | undefined },
): readonly DatapathPort[] {
  const named = datapath === undefined ? undefined : datapaths.get(datapath);
  if (named !== undefined) return named;
  const [first = ['', []], ...others] =
    datapaths.size === 1
      ? datapaths
      : [...datapaths].filter(([, ports]) => ports.some((port) => bridges.includes(port.bridge)));
  if (others.length > 0)
    throw new InputError(
      `there are several datapaths, ${[first, ...others].map(([name]) => name).join(' and ')}: ` +
        'say which is meant before FLOW',
      { file },
    );
  return first[1];
}

function readOptions(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text.split(/,\s*/).flatMap((option) => {
      const [, name, value] = /^([\w-]+)=(.*)$/.exec(option) ?? [];
      return name === undefined ? [] : [[name, value ?? '']];
    }),
  );
}

/**
 * @param text of `in_port(…)`: a number of the datapath, or a name. @returns the port of a bridge.
 *   @throws InputError where that is not known, or no tunnel is meant.
 */
export function arrivalPort(
  text: string,
  tunnel: ArrivingTunnel | undefined,
  { numbered, tunnels }: KnownPorts,
): ArrivalPort {
  if (!/^\d+$/.test(text)) {
    if (!isSharedName(text)) return { name: text };
    const known = [...(numbered ?? []).flatMap(tunnelsAt), ...tunnels];
    const sharing = known.filter((one) => sharedName(one) === text);
    if (sharing.length === 0)
      throw new InputError(
        `in_port(${text}) is the port of the datapath that tunnels share, and nothing says ` +
          'which of the bridge are: give what "ovs-appctl dpif/show" prints by --dpif, or the ' +
          'database by --ovsdb',
      );
    return tunnelMeant(text, withoutRepeats(sharing), tunnel);
  }
  if (numbered === undefined)
    throw new InputError(
      `in_port(${text}) is the datapath's number of a port, and the bridge's may be another: ` +
        'write in_port(NAME), as "dpctl/dump-flows --names" prints it, or give what ' +
        '"ovs-appctl dpif/show" prints by --dpif',
    );
  const here = numbered.filter(({ number }) => number === Number(text));
  const [first] = here;
  if (first === undefined)
    throw new InputError(
      `in_port(${text}): dpif/show has no such port; it has ` +
        [...new Set(numbered.map(({ number, name }) => `${number} (${name})`))].join(', '),
    );
  return first.tunnel === undefined ? first : tunnelMeant(text, here.flatMap(tunnelsAt), tunnel);
}

function tunnelsAt({ tunnel, ...port }: DatapathPort): readonly RecordedTunnel[] {
  return tunnel === undefined || port.ofport === undefined
    ? []
    : [{ ...tunnel, bridge: port.bridge, name: port.name, ofport: port.ofport }];
}

function withoutRepeats(tunnels: readonly RecordedTunnel[]): readonly RecordedTunnel[] {
  return [...new Map(tunnels.map((one) => [one.name, one])).values()];
}

/** As Open vSwitch decides it (ofproto/tunnel.c, tnl_find). */
function tunnelMeant(
  text: string,
  sharing: readonly RecordedTunnel[],
  tunnel: ArrivingTunnel | undefined,
): ArrivalPort {
  const listed = sharing.map((one) => `${one.name} (${identityOf(one)})`).join(', ');
  if (tunnel === undefined)
    throw new InputError(
      `in_port(${text}) is the port of tunnels, ${listed}: which one is meant ` +
        'tunnel(tun_id=…,src=…,dst=…) says',
    );
  const ports = sharing.filter(carriesFrames).map((port) => ({ port, config: endsOf(port) }));
  const found = mostParticular(ports, {
    source: addressNumber(tunnel.source),
    destination: addressNumber(tunnel.destination),
    id: tunnel.id,
  });
  if (found.length === 0)
    throw new InputError(
      `no tunnel at in_port(${text}) is for packets from ${tunnel.source} to ` +
        `${tunnel.destination} with tun_id=0x${tunnel.id.toString(16)}; there are ${listed}`,
    );
  const [only, ...others] = found;
  if (only === undefined || others.length > 0)
    throw new InputError(
      `nothing says which tunnel at in_port(${text}) is meant, ` +
        `${found.map(({ port }) => `${port.name} of ${port.bridge}`).join(' or ')}`,
    );
  return only.port;
}

const identifying = ['remote_ip', 'local_ip', 'key', 'in_key', 'packet_type'];

function identityOf({ options }: RecordedTunnel): string {
  return identifying
    .flatMap((name) => (options[name] === undefined ? [] : [`${name}=${options[name]}`]))
    .join(', ');
}

/** @throws InputError for options that no tunnel has. */
function endsOf({ name, options }: RecordedTunnel) {
  const wrong = (option: string, value: string) =>
    new InputError(`tunnel ${name}: ${option}=${value} is no ${option}`);
  const address = (option: string): bigint | 'flow' | undefined => {
    const value = options[option];
    if (value === undefined || value === 'flow') return value;
    try {
      return addressNumber(value);
    } catch {
      throw wrong(option, value);
    }
  };
  const key = options['in_key'] ?? options['key'] ?? '0';
  if (key !== 'flow' && !/^(0x[0-9a-f]{1,16}|\d{1,20})$/i.test(key)) throw wrong('key', key);
  const remote = address('remote_ip');
  if (remote === undefined) throw wrong('remote_ip', '');
  return {
    remote,
    local: address('local_ip') ?? ('any' as const),
    inKey: key === 'flow' ? ('flow' as const) : BigInt(key),
  };
}

/** As FLOW names it: a number stands for itself where nobody has listed ports. */
export function inPortText({ name, ofport }: ArrivalPort): string {
  return `in_port=${name === String(ofport) ? name : JSON.stringify(name)}`;
}
