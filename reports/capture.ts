/** Every frame at every port of the switches, as a capture for Wireshark. */
import { describeStimulus } from '../harness/explain/describe-stimulus.js';
import { partiesOf } from '../harness/explain/party.js';
import {
  encodePcapng,
  type CapturedPacket,
  type CaptureInterface,
} from '../harness/packet/pcap/encode-pcapng.js';
import type { RunRecord, ScenarioRecord } from '../harness/run/records/run-record.js';

const secondUs = 1_000_000;

/**
 * The scenarios one after the other; where there are several, the interfaces are numbered by
 * scenario.
 */
export function renderCapture({ report, scenarios }: RunRecord): Uint8Array {
  const interfaces: CaptureInterface[] = [];
  const packets: CapturedPacket[] = [];
  let startUs = 0;
  scenarios.forEach((record, index) => {
    const { name, axes } = report.scenarios[index] ?? { name: '', axes: {} };
    const first = interfaces.length;
    const places = placesOf(record);
    const label = [name, ...Object.entries(axes).map(([axis, value]) => `${axis}=${value}`)].join(
      ' ',
    );
    interfaces.push(
      ...places.map(({ node, port }) => ({
        name: `${scenarios.length > 1 ? `${index + 1}:` : ''}${node}/${port}`,
        description: label,
      })),
    );
    const captured = packetsOf(record, startUs);
    packets.push(
      ...captured.packets.map((packet) => ({ ...packet, interface: first + packet.interface })),
    );
    startUs = captured.endUs;
  });
  return encodePcapng({ application: `flowbed, ${report.again}`, interfaces, packets });
}

/** One scenario alone. */
export function writeCapture(record: ScenarioRecord): Uint8Array {
  const interfaces = placesOf(record).map(({ node, port }) => ({
    name: `${node}/${port}`,
    description: record.topology.name,
  }));
  return encodePcapng({
    application: 'flowbed',
    interfaces,
    packets: packetsOf(record, 0).packets,
  });
}

interface Place {
  readonly node: string;
  readonly port: string;
}

/**
 * Every port that frames can be seen at: a tunnel's show at the uplink, and those of patch ports
 * nowhere.
 */
function placesOf({ plan }: ScenarioRecord): readonly Place[] {
  return plan.nodes.flatMap(({ node, bridges }) =>
    bridges.flatMap((bridge) =>
      [
        bridge.name,
        ...bridge.ports
          .filter(({ kind }) => kind !== 'tunnel' && kind !== 'patch')
          .map(({ name }) => name),
      ].map((port) => ({ node, port })),
    ),
  );
}

/**
 * On one line of virtual time, each pass of a vector from a whole second on; those that could not
 * be played to their end are missing, and so are those of which no frame is kept.
 */
function packetsOf(
  record: ScenarioRecord,
  startUs: number,
): { readonly packets: readonly CapturedPacket[]; readonly endUs: number } {
  const index = new Map(
    placesOf(record).map(({ node, port }, position) => [`${node} ${port}`, position]),
  );
  const parties = partiesOf(record.topology);
  const packets: CapturedPacket[] = [];
  let passStartUs = startUs;
  for (const { vector, real, together } of record.vectors) {
    for (const { pass, frames } of (real ?? together)?.passes ?? []) {
      const stimulus = describeStimulus({ ...pass.stimulus }, parties);
      const comment = `${vector.id}, ${pass.name}: ${stimulus}`;
      packets.push(
        ...frames.map(
          ({ timeUs, node, port, direction, frame }): CapturedPacket => ({
            interface: index.get(`${node} ${port}`) ?? 0,
            timeUs: passStartUs + timeUs,
            direction: direction === 'in' ? 'inbound' : 'outbound',
            comment,
            frame: Uint8Array.from(Buffer.from(frame, 'hex')),
          }),
        ),
      );
      passStartUs += (Math.floor((frames.at(-1)?.timeUs ?? 0) / secondUs) + 1) * secondUs;
    }
  }
  return { packets, endUs: passStartUs };
}
