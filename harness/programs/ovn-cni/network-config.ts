/** The network configuration on stdin (CNI specification, "Network configuration format"). */
import { complaint } from '../../base/errors/errors.js';
import { parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import { integrationBridge, type Attachment } from '../../control/ovn-cni/names.js';
import { CniError, codes } from './cni-error.js';
import { parseRemote } from './remote.js';
import { isVersion, versions, type Version } from './versions.js';

export interface NetworkConfig {
  readonly cniVersion: Version;
  /** The name of the network. */
  readonly name: string;
  /** OVSDB remotes, such as `unix:/run/ovn/ovnnb_db.sock` or `tcp:172.30.0.1:6641`. */
  readonly northbound: string;
  readonly openvswitch: string;
  readonly bridge: string;
  /** The node's logical switch; by default its machine id. */
  readonly node?: string;
  /** The node's subnet, where the configuration has it: then it has to be that of `init`. */
  readonly subnet?: string;
  readonly mtu?: number;
  /**
   * What is plugged into the bridge: one end of a veth pair, an internal port, or an interface as
   * these columns of table Interface have it, which is no business of the container's namespace.
   */
  readonly plug: Plug;
  /** The result of ADD, for CHECK and DEL. */
  readonly prevResult?: Readonly<Record<string, unknown>>;
  /** What GC keeps; missing for other commands. */
  readonly validAttachments?: readonly Attachment[];
}

export type Plug =
  | { readonly kind: 'veth' | 'internal' }
  | {
      readonly kind: 'given';
      readonly type: string;
      readonly options: Readonly<Record<string, string>>;
      readonly ofport?: number;
    };

type Fields = Readonly<Record<string, unknown>>;

const own = ['northbound', 'openvswitch', 'bridge', 'node', 'subnet', 'mtu', 'interface'];
/** What libraries of runtimes put beside it. */
const ofSpecification = [
  ...['cniVersion', 'cniVersions', 'name', 'type', 'args', 'dns', 'prevResult', 'runtimeConfig'],
  ...['disableCheck', 'disableGC', 'capabilities'],
];

/** @throws CniError for what is not JSON, or not a configuration. */
export function readNetworkConfig(text: string): NetworkConfig {
  const fields = decode(text);
  const cniVersion = versionIn(fields);
  checkFields(fields);
  const name = textIn(fields, 'name');
  if (name === undefined || !/^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(name))
    throw invalid(
      `"name" is ${JSON.stringify(fields['name'])}: expected letters, digits, "_", "." and "-", ` +
        'beginning with a letter or digit',
    );
  const [node, subnet, mtu] = [textIn(fields, 'node'), textIn(fields, 'subnet'), mtuIn(fields)];
  const wrongSubnet = subnet === undefined ? undefined : complaint(() => parseCidr(subnet));
  if (wrongSubnet !== undefined) throw invalid(`"subnet": ${wrongSubnet}`);
  return {
    cniVersion,
    name,
    northbound: remoteIn(fields, 'northbound', 'unix:/run/ovn/ovnnb_db.sock'),
    openvswitch: remoteIn(fields, 'openvswitch', 'unix:/run/openvswitch/db.sock'),
    bridge: textIn(fields, 'bridge') ?? integrationBridge,
    ...(node === undefined ? {} : { node }),
    ...(subnet === undefined ? {} : { subnet }),
    ...(mtu === undefined ? {} : { mtu }),
    plug: plugIn(fields['interface']),
    ...prevResultIn(fields),
    ...validAttachmentsIn(fields),
  };
}

/** The version that a request is written in, as far as it can be read: errors are, too. */
export function versionOfRequest(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const version = isObject(value) ? value['cniVersion'] : undefined;
    return typeof version === 'string' && isVersion(version) ? version : versions[5];
  } catch {
    return versions[5];
  }
}

function decode(text: string): Fields {
  if (text.trim() === '')
    throw new CniError(codes.ioFailure, 'there is no network configuration on stdin');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CniError(
      codes.decodingFailure,
      `the network configuration is not JSON: ${error instanceof Error ? error.message : 'what?'}`,
    );
  }
  if (isObject(value)) return value;
  throw new CniError(
    codes.decodingFailure,
    `the network configuration is ${JSON.stringify(value)}: expected an object`,
  );
}

function versionIn(fields: Fields): Version {
  const { cniVersion } = fields;
  if (typeof cniVersion === 'string' && isVersion(cniVersion)) return cniVersion;
  throw new CniError(
    codes.incompatibleVersion,
    `cniVersion ${JSON.stringify(cniVersion) ?? 'is missing'}: this plugin speaks ` +
      versions.join(', '),
  );
}

/** Fields that have a meaning, and would have no effect. */
function checkFields(fields: Fields): void {
  const unsupported = (message: string) => new CniError(codes.unsupportedField, message);
  if (isObject(fields['ipam']) && Object.keys(fields['ipam']).length > 0)
    throw unsupported('"ipam" is not supported: addresses come from the northbound database');
  if (fields['ipMasq'] === true)
    throw unsupported('"ipMasq" is not supported: nothing is translated on the way out');
  const known = new Set([...own, ...ofSpecification, 'ipam', 'ipMasq']);
  // Names of reverse domains, such as cni.dev/valid-attachments, are everybody's.
  const unknown = Object.keys(fields).find((key) => !known.has(key) && !key.includes('/'));
  if (unknown !== undefined)
    throw unsupported(`unknown field "${unknown}": this plugin has ${own.join(', ')}`);
}

function textIn(fields: Fields, key: string): string | undefined {
  const value = fields[key];
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  throw invalid(`"${key}" is ${JSON.stringify(value)}: expected a text`);
}

function remoteIn(fields: Fields, key: string, usual: string): string {
  const remote = textIn(fields, key) ?? usual;
  const wrong = complaint(() => parseRemote(remote));
  if (wrong !== undefined) throw invalid(`"${key}": ${wrong}`);
  return remote;
}

function mtuIn(fields: Fields): number | undefined {
  const { mtu } = fields;
  if (mtu === undefined) return undefined;
  if (typeof mtu === 'number' && Number.isInteger(mtu) && mtu >= 576 && mtu <= 65_535) return mtu;
  throw invalid(`"mtu" is ${JSON.stringify(mtu)}: expected a number of bytes from 576 to 65535`);
}

function plugIn(value: unknown): Plug {
  if (value === undefined || value === 'veth') return { kind: 'veth' };
  if (value === 'internal') return { kind: 'internal' };
  const expected =
    'expected "veth", "internal", or an object with the columns "type" and "options" of table ' +
    'Interface';
  if (!isObject(value)) throw invalid(`"interface" is ${JSON.stringify(value)}: ${expected}`);
  const { type, options = {}, ofport_request: ofport } = value;
  if (typeof type !== 'string' || !isObject(options))
    throw invalid(`"interface" is ${JSON.stringify(value)}: ${expected}`);
  return {
    kind: 'given',
    type,
    options: Object.fromEntries(Object.entries(options).map(([key, one]) => [key, String(one)])),
    ...(typeof ofport === 'number' ? { ofport } : {}),
  };
}

function prevResultIn(fields: Fields): Pick<NetworkConfig, 'prevResult'> {
  const { prevResult } = fields;
  if (prevResult === undefined || prevResult === null) return {};
  if (isObject(prevResult)) return { prevResult };
  throw invalid(`"prevResult" is ${JSON.stringify(prevResult)}: expected a result of ADD`);
}

function validAttachmentsIn(fields: Fields): Pick<NetworkConfig, 'validAttachments'> {
  const given = fields['cni.dev/valid-attachments'] ?? fields['cni.dev/attachments'];
  if (given === undefined) return {};
  const read = (one: unknown): Attachment => {
    const { containerID, ifname } = isObject(one) ? one : {};
    if (typeof containerID === 'string' && typeof ifname === 'string')
      return { containerId: containerID, ifname };
    throw invalid(
      `"cni.dev/valid-attachments" has ${JSON.stringify(one)}: expected containerID and ifname`,
    );
  };
  if (Array.isArray(given)) return { validAttachments: given.map(read) };
  throw invalid('"cni.dev/valid-attachments" is no list');
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(message: string): CniError {
  return new CniError(codes.invalidConfig, message);
}
