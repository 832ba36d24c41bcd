import { release } from 'node:os';
import { Unavailable } from '../../base/errors/errors.js';
import type { Backend } from '../backend.js';
import { whatNamespacesLack } from '../kernel/namespace.js';
import { openOnDevices } from '../kernel/named-devices.js';
import { programOnPath, type MachineFinding } from '../machine-finding.js';
import { openSwitches } from '../sim/sim.js';
import type { DatapathType } from '../sim/configure/insert-bridge.js';
import { hasKernelDatapath } from './kernel-datapath.js';
import { namespaceDevices, noContainer } from './namespace-devices.js';

const userspace: DatapathType = 'netdev';

/** Network namespaces, on the kernel's datapath where it has one. */
export const netns: Backend = {
  name: 'netns',
  summary: "nodes as network namespaces, on the kernel's datapath where it has one; needs root",
  doctor: async () => {
    const needs = await findings('netns');
    return [
      ...needs,
      (await hasKernelDatapath())
        ? { kind: 'fine', text: 'this kernel has openvswitch: backend netns switches in it' }
        : {
            kind: 'optional',
            text: 'this kernel has no openvswitch: backend netns switches in ovs-vswitchd',
            remedy: 'modprobe openvswitch, where the kernel has the module',
          },
    ];
  },
  open: async (plan, image, options = {}) => {
    demandNamespaces('netns');
    const isKernels = await hasKernelDatapath();
    const devices = namespaceDevices(isKernels ? 'system' : 'netdev');
    const beside = isKernels ? { linux: release() } : {};
    return await openOnDevices(plan, options, (named, use) =>
      openSwitches('netns', devices, named, image, use, undefined, beside),
    );
  },
  places: async () => ({
    datapath: (await hasKernelDatapath()) ? 'system' : userspace,
    placeOf: () => Promise.resolve(noContainer),
  }),
};

/** The same with packets switched in ovs-vswitchd, whatever the kernel has. */
export const netnsUserspace: Backend = {
  name: 'netns-userspace',
  summary: 'nodes as network namespaces, on the datapath in ovs-vswitchd; needs root',
  doctor: () => Promise.resolve([]),
  open: async (plan, image, options = {}) => {
    demandNamespaces('netns-userspace');
    return await openOnDevices(plan, options, (named, use) =>
      openSwitches('netns-userspace', namespaceDevices(userspace), named, image, use),
    );
  },
  places: () =>
    Promise.resolve({ datapath: userspace, placeOf: () => Promise.resolve(noContainer) }),
};

/** @throws Unavailable with what the machine lacks for namespaces. */
function demandNamespaces(backend: string): void {
  const lacks = whatNamespacesLack();
  if (lacks !== undefined)
    throw new Unavailable(`backend ${backend}: ${lacks}`, [
      'without root or these programs: --world uml, a guest that has both',
    ]);
}

async function findings(backend: string): Promise<readonly MachineFinding[]> {
  const use = (what: string) => `${what} for backend ${backend}`;
  return [
    process.getuid?.() === 0
      ? { kind: 'fine', text: `backend ${backend}: ${netns.summary}` }
      : {
          kind: 'optional',
          text: `backend ${backend} needs root`,
          remedy: 'run it as root, or in a world of its own: --world uml',
        },
    await programOnPath('ip', 'optional', use('makes devices'), 'apt-get install iproute2'),
    await programOnPath('nft', 'optional', use('keeps stacks silent'), 'apt-get install nftables'),
    await programOnPath('perl', 'optional', use('carries frames'), 'apt-get install perl-base'),
  ];
}
