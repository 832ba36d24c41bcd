/**
 * The next hop of all Services, and the MAC address that stands for it (the Windows design,
 * "Service Traffic"; the MAC is Antrea's Global Virtual MAC).
 */
import { globalVirtualMac } from '../node-view.js';

export const virtualService = { ip: '169.254.0.253', mac: globalVirtualMac } as const;
