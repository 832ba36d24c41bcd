/** The physical adapter, and the port of the bridge that it is. */
export const uplinkPort = { name: 'uplink', ofport: 1 } as const;
