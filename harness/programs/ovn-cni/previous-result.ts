/** The result of ADD as a runtime gives it back, with what plugins behind this one made of it. */
import type { Attachment } from '../../control/ovn-cni/names.js';
import { isObject } from './network-config.js';

type Fields = Readonly<Record<string, unknown>>;

export interface ListedRoute {
  /** `0.0.0.0/0` */
  readonly dst: string;
  readonly gw?: string;
}

/** What is listed of the interface of this plugin; what is not listed is missing. */
export interface Listed {
  /** `10.10.1.2/24` */
  readonly addresses: readonly string[];
  readonly gateways: readonly string[];
  readonly routes: readonly ListedRoute[];
  /** Whether there is a list of interfaces: before 0.3.0 there is none. */
  readonly interfaces: 'listed' | 'not listed';
  readonly container?: ListedInterface;
  readonly host?: ListedInterface;
}

export interface ListedInterface {
  readonly mac?: string;
  readonly mtu?: number;
}

/** Of both spellings: `ips`, and before 0.3.0 `ip4`. */
export function listedIn(
  result: Fields,
  { ifname }: Attachment,
  netns: string,
  hostInterface: string,
): Listed {
  const { ips, ip4 } = result;
  const interfaces = list(result['interfaces']).map((one) => (isObject(one) ? one : {}));
  const own = interfaces.findIndex((one) => one['name'] === ifname && one['sandbox'] === netns);
  const host = interfaces.find((one) => one['name'] === hostInterface && !hasSandbox(one));
  const addresses = [
    ...list(ips).flatMap((one) =>
      isObject(one) && (one['interface'] === undefined || one['interface'] === own)
        ? [{ address: one['address'], gateway: one['gateway'] }]
        : [],
    ),
    ...(isObject(ip4) ? [{ address: ip4['ip'], gateway: ip4['gateway'] }] : []),
  ];
  const routes = isObject(ip4) ? ip4['routes'] : result['routes'];
  const container = interfaces[own];
  return {
    addresses: texts(addresses.map(({ address }) => address)),
    gateways: texts(addresses.map(({ gateway }) => gateway)),
    routes: list(routes).flatMap((one) =>
      isObject(one) && typeof one['dst'] === 'string'
        ? [{ dst: one['dst'], ...(typeof one['gw'] === 'string' ? { gw: one['gw'] } : {}) }]
        : [],
    ),
    interfaces: interfaces.length === 0 ? 'not listed' : 'listed',
    ...(container === undefined ? {} : { container: listedInterface(container) }),
    ...(host === undefined ? {} : { host: listedInterface(host) }),
  };
}

function hasSandbox({ sandbox }: Fields): boolean {
  return typeof sandbox === 'string' && sandbox !== '';
}

function listedInterface({ mac, mtu }: Fields): ListedInterface {
  return {
    ...(typeof mac === 'string' && mac !== '' ? { mac: mac.toLowerCase() } : {}),
    ...(typeof mtu === 'number' && mtu > 0 ? { mtu } : {}),
  };
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

function texts(values: readonly unknown[]): readonly string[] {
  return values.filter((value) => typeof value === 'string');
}
