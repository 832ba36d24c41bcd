import { Unavailable } from '../../base/errors/errors.js';

/** `unsupported by OVN 23.03.1: arp_proxy with MAC (switch port p)`: the image's OVN lacks it. */
export function unsupportedByOvn(version: string, what: string): Unavailable {
  return new Unavailable(`unsupported by OVN ${version}: ${what}`, [
    'take an image with another version of OVN: --image trixie',
  ]);
}
