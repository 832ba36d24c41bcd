import { upsert, type HostRoute, type WindowsHost } from './host.js';

/** The route with the same destination is replaced. */
export function withRoute(host: WindowsHost, route: HostRoute): WindowsHost {
  return { ...host, routes: upsert(host.routes, route, ({ destination }) => destination) };
}
