/**
 * Protocols that ovs-vswitchd itself speaks at a port (ofproto/ofproto-dpif-xlate.c,
 * process_special): the model does not.
 */
import { Unsupported } from '../../base/errors/errors.js';
import type { SpokenProtocol } from '../../domain/plan/port-plan.js';
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import { word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import type { ModelBridge } from '../model-bridge.js';

const bfdPort = 3784;
const cfmType = 0x8902;
const slowProtocolsType = 0x8809;
const lldpType = 0x88cc;

function isOf(protocol: SpokenProtocol, key: FlowKey): boolean {
  const type = key[word.ethType];
  switch (protocol) {
    case 'bfd':
      return (
        type === etherTypes.ipv4 &&
        key[word.nwProto] === ipProtocols.udp &&
        key[word.tpDst] === bfdPort
      );
    case 'cfm':
      return type === cfmType;
    case 'lacp':
      return type === slowProtocolsType;
    case 'lldp':
      return type === lldpType;
  }
}

/** @throws Unsupported for a packet that ovs-vswitchd may keep. */
export function refuseSpoken({ ports }: ModelBridge, key: FlowKey): void {
  const port = ports.get(key[word.inPort] ?? 0);
  const protocol = port?.speaks?.find((one) => isOf(one, key));
  if (port !== undefined && protocol !== undefined)
    throw new Unsupported(
      `the packet is one of ${protocol.toUpperCase()}, which the switch itself speaks at ` +
        `${port.name}: whether it keeps the packet the model does not know`,
    );
}

/** @throws Unsupported where one of them decides whether the port is alive. */
export function refuseUnknownLife({ ports }: ModelBridge, ofport: number): void {
  const port = ports.get(ofport);
  const deciding = port?.speaks?.filter((protocol) => protocol !== 'lldp') ?? [];
  if (port !== undefined && deciding.length > 0)
    throw new Unsupported(
      `whether port ${port.name} is alive ${deciding.join(' and ').toUpperCase()} decides, which ` +
        'the model does not speak',
    );
}
