/** The interface in the container's network namespace, by ip(8) and nsenter(1). */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { offloadsOff } from '../../ovs/offloads-off.js';
import { CniError, codes } from './cni-error.js';

export interface ContainerInterface {
  readonly netns: string;
  readonly ifname: string;
  readonly hostInterface: string;
  /** Address and length of the subnet's prefix. */
  readonly address: string;
  readonly gateway: string;
  readonly mac: string;
  readonly mtu: number | undefined;
}

/** @throws CniError where there is no such namespace, or an interface of that name is in it. */
export async function checkNamespace(netns: string, ifname: string): Promise<void> {
  if (!existsSync(netns))
    throw new CniError(codes.unknownContainer, `there is no network namespace at ${netns}`);
  if (await isInNamespace(netns, ifname))
    throw new CniError(codes.failed, `${netns} has an interface "${ifname}" already`);
}

async function isInNamespace(netns: string, ifname: string): Promise<boolean> {
  const { failure } = await run(['nsenter', `--net=${netns}`, 'ip', 'link', 'show', ifname]);
  return failure === undefined;
}

/** Makes a veth pair, one end in the container. */
export async function makeVeth(wanted: ContainerInterface): Promise<void> {
  const { netns, ifname, hostInterface, mac, mtu } = wanted;
  const size = mtu === undefined ? '' : `mtu ${mtu} `;
  await must(
    ['ip', '-batch', '-'],
    [
      `link add ${hostInterface} ${size}type veth peer name ${ifname} address ${mac} ${size}` +
        `netns ${netns}`,
      `link set ${hostInterface} up`,
    ],
  );
}

/** Brings an internal port of the bridge, which is there, into the container. */
export async function moveInternal(wanted: ContainerInterface): Promise<void> {
  const { netns, ifname, hostInterface, mtu } = wanted;
  await must(['ip', 'link', 'set', hostInterface, 'netns', netns], []);
  await inNamespace(netns, [
    `link set ${hostInterface} name ${ifname}`,
    ...(mtu === undefined ? [] : [`link set ${ifname} mtu ${mtu}`]),
  ]);
}

/** Gives the container's end its address and way out. */
export async function configure(wanted: ContainerInterface): Promise<void> {
  const { netns, ifname, address, gateway } = wanted;
  await inNamespace(netns, [
    `addr add ${address} dev ${ifname}`,
    `link set ${ifname} up`,
    `route add default via ${gateway} dev ${ifname}`,
  ]);
}

/**
 * Removes a link of the host, where it is there; the other end of a pair goes with it. The kernel
 * is asked: /sys shows the links of whoever mounted it.
 */
export async function removeLink(name: string): Promise<void> {
  const { failure } = await run(['ip', 'link', 'show', 'dev', name]);
  if (failure === undefined) await must(['ip', 'link', 'del', 'dev', name], []);
}

/**
 * Lets the container's stack compute checksums: a switch that forwards in ovs-vswitchd takes frames
 * as they are, and a veth pair leaves theirs to a device that there is not.
 */
export async function fillChecksums(netns: string, ifname: string): Promise<void> {
  await must(['nsenter', `--net=${netns}`, ...offloadsOff(ifname)], []);
}

/** What the container's interface has, as `ip -json addr` prints it; missing where it has none. */
export interface SeenInterface {
  readonly address: string;
  readonly mtu: number;
  readonly operstate: string;
  /** `UP`, `LOWER_UP`, `BROADCAST` */
  readonly flags: readonly string[];
  readonly addr_info: readonly { readonly local: string; readonly prefixlen: number }[];
}

export async function seenInterface(
  netns: string,
  ifname: string,
): Promise<SeenInterface | undefined> {
  const { stdout, failure } = await run([
    ...['nsenter', `--net=${netns}`],
    ...['ip', '-json', 'addr', 'show', ifname],
  ]);
  if (failure !== undefined) return undefined;
  return (JSON.parse(stdout) as readonly SeenInterface[])[0];
}

/** The same of a link of the host. */
export async function seenOnHost(name: string): Promise<SeenInterface | undefined> {
  const { stdout, failure } = await run(['ip', '-json', 'addr', 'show', 'dev', name]);
  return failure === undefined ? (JSON.parse(stdout) as readonly SeenInterface[])[0] : undefined;
}

/** A route as `ip -json route` prints it: `default`, or a block, or an address. */
export interface SeenRoute {
  readonly dst: string;
  readonly gateway?: string;
}

/** All routes of the namespace's main tables. */
export async function seenRoutes(netns: string): Promise<readonly SeenRoute[]> {
  const inside = ['nsenter', `--net=${netns}`, 'ip', '-json'];
  const [ipv4, ipv6] = await Promise.all([
    run([...inside, '-4', 'route', 'show']),
    run([...inside, '-6', 'route', 'show']),
  ]);
  const read = ({ stdout, failure }: Ended) =>
    failure !== undefined || stdout.trim() === ''
      ? []
      : (JSON.parse(stdout) as readonly SeenRoute[]);
  return [...read(ipv4), ...read(ipv6)];
}

async function inNamespace(netns: string, lines: readonly string[]): Promise<void> {
  await must(['nsenter', `--net=${netns}`, 'ip', '-batch', '-'], lines);
}

async function must(command: readonly string[], lines: readonly string[]): Promise<void> {
  const { failure } = await run(command, lines);
  if (failure !== undefined)
    throw new CniError(codes.failed, `${[...command, ...lines].join(' ')}: ${failure}`);
}

interface Ended {
  readonly stdout: string;
  readonly failure: string | undefined;
}

async function run(
  [file = '', ...args]: readonly string[],
  lines: readonly string[] = [],
): Promise<Ended> {
  return await new Promise((resolve) => {
    const child = execFile(file, args, (error, stdout, stderr) => {
      const failure = error === null ? undefined : stderr.trim() || error.message;
      resolve({ stdout, failure });
    });
    child.stdin?.on('error', () => undefined); // it ended without reading: its exit says why
    child.stdin?.end(lines.map((line) => `${line}\n`).join(''));
  });
}
