/** Packets of a drawn timeline: new ones, and those of open connections. */
import type { TrafficEvent } from '../cluster-event.js';
import { allowsLongConnections, somePort } from './generated-services.js';
import { drawTraffic } from './draw-service-traffic.js';
import { type TimelineDrawing, pick, nextId, services, count } from './timeline-drawing.js';

export const trafficEvents = 3;

export function opening(drawing: TimelineDrawing): TrafficEvent {
  const { random, names, connections, asked } = drawing;
  const services = asked.filter(allowsLongConnections);
  const [from, to] = [
    pick(random, names),
    pick(random, services.length > 0 && random.integer(1, 2) === 1 ? services : names),
  ];
  const id = nextId(drawing, `open/${from}/${to}`);
  connections.push(id);
  return { kind: 'open', id, from, to, port: asked.includes(to) ? somePort(random) : 7 };
}

/** Cells at random, by all connections that were opened, and now and then a new one. */
export function packets(
  drawing: TimelineDrawing,
  more: readonly TrafficEvent[] = [],
): readonly TrafficEvent[] {
  const { random, connections, asked } = drawing;
  const talks = connections.map(
    (connection): TrafficEvent => ({
      kind: 'talk',
      id: nextId(drawing, `talk/${connection}`),
      connection,
    }),
  );
  const cells = count(trafficEvents, (): TrafficEvent => {
    const [from, to, service] = [
      pick(random, drawing.names),
      pick(random, drawing.names),
      pick(random, services),
    ];
    return {
      kind: 'send',
      id: nextId(
        drawing,
        (service.protocol === 'ICMP'
          ? 'icmp'
          : `${service.protocol.toLowerCase()}-${service.port}`) + `/${from}/${to}`,
      ),
      from,
      to,
      service,
    };
  });
  const asks =
    asked.length === 0
      ? []
      : count(trafficEvents, () => drawTraffic(random, drawing, (what) => nextId(drawing, what)));
  return [
    ...more,
    ...talks,
    ...cells,
    ...asks,
    ...(random.integer(1, 3) === 1 ? [opening(drawing)] : []),
  ];
}
