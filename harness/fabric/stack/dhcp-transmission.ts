/** What clients of DHCP and of DHCPv6 send, and send once more. */
import type { DhcpClient } from './dhcp-client.js';
import type { Effect, Host } from './host.js';

const transmissionsMax = 2;

export function transmit(host: Host, client: DhcpClient): readonly Effect[] {
  host.dhcp.client = client;
  const { via, frame, patienceUs, transmissions } = client;
  return [
    { kind: 'send', via, frame },
    { kind: 'wake', delayUs: patienceUs, timer: { kind: 'dhcp', transmissions } },
  ];
}

/** Whether a wake-up still has something to do. */
export function isDhcpUnanswered({ dhcp }: Host, transmissions: number): boolean {
  return dhcp.client?.transmissions === transmissions;
}

export function discoverAgain(host: Host, transmissions: number): readonly Effect[] {
  const { client } = host.dhcp;
  if (client === undefined || !isDhcpUnanswered(host, transmissions)) return [];
  if (transmissions < transmissionsMax)
    return transmit(host, { ...client, transmissions: transmissions + 1 });
  host.dhcp.client = undefined;
  return [{ kind: 'note', note: { kind: 'unleased', why: 'no server answers' } }];
}
