/**
 * What Contrail's config API holds, as plain data, and what it answers: resources with fully
 * qualified names, references, 404 and 409 (Contrail, "config API server": POST /TYPEs,
 * GET /TYPE/UUID, DELETE /TYPE/UUID, POST /ref-update).
 */
import { createHash } from 'node:crypto';
import {
  cidrContains,
  formatIpv4,
  ipv4Number,
  parseCidr,
  prefixMask,
} from '../../../base/addresses/mac-and-ipv4.js';

export const resourceTypes = [
  'project',
  'virtual-network',
  'virtual-machine',
  'virtual-machine-interface',
  'instance-ip',
] as const;
export type ResourceType = (typeof resourceTypes)[number];

export interface Resource {
  readonly type: ResourceType;
  readonly uuid: string;
  /** `["default-domain", "blue", "front"]`. */
  readonly fqName: readonly string[];
  readonly refs: readonly { readonly type: ResourceType; readonly uuid: string }[];
  /** What it has beside, under the names that the API has for it. */
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface ConfigDatabase {
  /** How many resources were ever created: none has the UUID of an earlier one. */
  readonly created: number;
  readonly resources: readonly Resource[];
}

export const emptyDatabase: ConfigDatabase = { created: 0, resources: [] };

/** `TYPE`, with what of it is asked for. */
export interface NewResource {
  readonly fqName: readonly string[];
  readonly refs: Resource['refs'];
  readonly properties: Readonly<Record<string, unknown>>;
}

export type Changed =
  | { readonly kind: 'done'; readonly database: ConfigDatabase; readonly resource: Resource }
  | { readonly kind: 'refused'; readonly status: 400 | 404 | 409; readonly why: string };

export interface IpamSubnet {
  readonly subnet_uuid: string;
  readonly subnet: { readonly ip_prefix: string; readonly ip_prefix_len: number };
  readonly default_gateway: string;
}

/** @returns refused: 409 for a name or an address that is taken, 404 for what it refers to. */
export function create(database: ConfigDatabase, type: ResourceType, asked: NewResource): Changed {
  const { fqName, refs, properties } = asked;
  if (fqName.length === 0 || fqName.some((part) => part === ''))
    return refused(400, `${type} needs a fq_name of names, not ${JSON.stringify(fqName)}`);
  if (find(database, type, fqName) !== undefined)
    return refused(409, `${type} ${fqName.join(':')} already exists`);
  const parent = fqName.slice(0, -1);
  const hasProject = type === 'virtual-network' || type === 'virtual-machine-interface';
  if (hasProject && find(database, 'project', parent) === undefined)
    return refused(404, `no project ${parent.join(':')} for ${type} ${fqName.join(':')}`);
  const missing = refs.find(({ uuid }) => !database.resources.some((other) => other.uuid === uuid));
  if (missing !== undefined) return refused(404, `no ${missing.type} ${missing.uuid}`);
  const created = database.created + 1;
  const uuid = uuidFrom(`${created} ${type} ${fqName.join(':')}`);
  const more =
    type === 'instance-ip'
      ? withAddress(database, refs, properties)
      : type === 'virtual-machine-interface'
        ? {
            virtual_machine_interface_mac_addresses: { mac_address: [macFrom(uuid)] },
            ...properties,
          }
        : properties;
  if (isRefusal(more)) return refused(more.status, more.why);
  const resource: Resource = { type, uuid, fqName, refs, properties: more };
  return {
    kind: 'done',
    database: { created, resources: [...database.resources, resource] },
    resource,
  };
}

/** @returns refused: 404 for what is not there, 409 where others refer to it or are below it. */
export function remove(database: ConfigDatabase, type: ResourceType, uuid: string): Changed {
  const resource = database.resources.find((one) => one.uuid === uuid && one.type === type);
  if (resource === undefined) return refused(404, `no ${type} ${uuid}`);
  const holder = database.resources.find(
    (other) => other.refs.some((ref) => ref.uuid === uuid) || isBelow(other, resource),
  );
  if (holder !== undefined)
    return refused(
      409,
      `Delete when resource still referred: ${type} ${uuid} by ${holder.type} ${holder.uuid}`,
    );
  const resources = database.resources.filter((other) => other !== resource);
  return { kind: 'done', database: { ...database, resources }, resource };
}

/** `POST /ref-update`: a reference comes or goes; nothing where it was so already. */
export function updateRef(
  database: ConfigDatabase,
  uuid: string,
  operation: 'ADD' | 'DELETE',
  ref: Resource['refs'][number],
): Changed {
  const resource = database.resources.find((one) => one.uuid === uuid);
  if (resource === undefined) return refused(404, `no resource ${uuid}`);
  if (operation === 'ADD' && !database.resources.some((other) => other.uuid === ref.uuid))
    return refused(404, `no ${ref.type} ${ref.uuid}`);
  const others = resource.refs.filter((known) => known.uuid !== ref.uuid);
  const changed = { ...resource, refs: operation === 'ADD' ? [...others, ref] : others };
  const resources = database.resources.map((other) => (other === resource ? changed : other));
  return { kind: 'done', database: { ...database, resources }, resource: changed };
}

export function find(
  { resources }: ConfigDatabase,
  type: ResourceType,
  fqName: readonly string[],
): Resource | undefined {
  const name = fqName.join(':');
  return resources.find((other) => other.type === type && other.fqName.join(':') === name);
}

export function subnetsOf({ properties }: Resource): readonly IpamSubnet[] {
  const refs = properties['network_ipam_refs'] as
    | readonly { readonly attr: { readonly ipam_subnets: readonly IpamSubnet[] } }[]
    | undefined;
  return (refs ?? []).flatMap(({ attr }) => attr.ipam_subnets);
}

type Refusal = Pick<Extract<Changed, { readonly kind: 'refused' }>, 'status' | 'why'>;

function refused(status: Refusal['status'], why: string): Changed {
  return { kind: 'refused', status, why };
}

function isRefusal(value: Readonly<Record<string, unknown>> | Refusal): value is Refusal {
  return 'status' in value;
}

/** The address that is asked for, or the lowest free one of the subnet. */
function withAddress(
  database: ConfigDatabase,
  refs: Resource['refs'],
  properties: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | Refusal {
  const network = database.resources.find(({ uuid }) =>
    refs.some((ref) => ref.type === 'virtual-network' && ref.uuid === uuid),
  );
  if (network === undefined) return { status: 400, why: 'an instance-ip needs a virtual-network' };
  const subnet = subnetsOf(network).find(
    ({ subnet_uuid }) => subnet_uuid === properties['subnet_uuid'],
  );
  if (subnet === undefined)
    return {
      status: 404,
      why: `no subnet ${String(properties['subnet_uuid'])} in ${network.fqName.join(':')}`,
    };
  const taken = new Set([
    subnet.default_gateway,
    ...database.resources
      .filter((other) => other.refs.some(({ uuid }) => uuid === network.uuid))
      .map(({ properties: held }) => held['instance_ip_address']),
  ]);
  const { ip_prefix, ip_prefix_len } = subnet.subnet;
  const asked = properties['instance_ip_address'];
  const cidr = `${ip_prefix}/${ip_prefix_len}`;
  if (typeof asked === 'string' && !cidrContains(parseCidr(cidr), ipv4Number(asked)))
    return { status: 400, why: `IP address ${asked} is not in ${cidr}` };
  const ip = typeof asked === 'string' ? asked : lowestFree(cidr, taken);
  if (ip === undefined)
    return {
      status: 409,
      why: `Virtual-Network(${network.fqName.join(':')}) has exhausted ${cidr}`,
    };
  if (taken.has(ip)) return { status: 409, why: `IP address ${ip} is in use` };
  return { ...properties, instance_ip_address: ip };
}

function lowestFree(cidr: string, taken: ReadonlySet<unknown>): string | undefined {
  const { number, prefixLength } = parseCidr(cidr);
  const last = (number | ~prefixMask(prefixLength)) >>> 0;
  for (let candidate = number + 1; candidate < last; candidate++)
    if (!taken.has(formatIpv4(candidate))) return formatIpv4(candidate);
  return undefined;
}

function isBelow(child: Resource, parent: Resource): boolean {
  return (
    parent.type === 'project' &&
    child.type !== 'project' &&
    child.fqName.slice(0, -1).join(':') === parent.fqName.join(':')
  );
}

export function uuidFrom(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** Contrail's MAC addresses are 02 and the first five bytes of the interface's UUID. */
function macFrom(uuid: string): string {
  const hex = uuid.replaceAll('-', '').slice(0, 10);
  return ['02', ...(hex.match(/../g) ?? [])].join(':');
}
