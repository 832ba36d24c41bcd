/** What a controller starts with, as people write it: tenants, networks and subnets. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { formatIpv4, parseCidr } from '../../../base/addresses/mac-and-ipv4.js';
import { InputError } from '../../../base/errors/errors.js';
import { readAs, readYaml } from '../../../base/text/yaml.js';
import { create, emptyDatabase, uuidFrom, type ConfigDatabase } from './config-database.js';

const name = z.string().regex(/^[\w.-]+$/, 'a name of letters, digits, dots and dashes');
const tenants = z.record(
  name,
  z.record(name, z.array(z.string().regex(/^[\d.]+\/\d+$/, 'a subnet, 10.1.1.0/24'))),
);
export type Tenants = z.infer<typeof tenants>;

/** @throws InputError naming the file and the value that is wrong. */
export function readTenants(file: string): ConfigDatabase {
  return databaseOf(readAs(readYaml(readFileSync(file, 'utf8'), file), tenants));
}

/** Each network has a number of its own, from 1 on; the gateway is a subnet's first address. */
export function databaseOf(given: Tenants): ConfigDatabase {
  let database = emptyDatabase;
  let label = 0;
  const add = (
    ...[type, asked]: Parameters<typeof create> extends [unknown, ...infer R] ? R : never
  ) => {
    const change = create(database, type, asked);
    if (change.kind === 'refused') throw new InputError(change.why);
    database = change.database;
  };
  for (const [tenant, networks] of Object.entries(given)) {
    add('project', { fqName: ['default-domain', tenant], refs: [], properties: {} });
    for (const [network, subnets] of Object.entries(networks)) {
      label += 1;
      add('virtual-network', {
        fqName: ['default-domain', tenant, network],
        refs: [],
        properties: {
          virtual_network_network_id: label,
          network_ipam_refs: [
            {
              to: ['default-domain', 'default-project', 'default-network-ipam'],
              attr: {
                ipam_subnets: subnets.map((cidr) => {
                  const { number, prefixLength } = parseCidr(cidr);
                  return {
                    subnet_uuid: uuidFrom(`${tenant} ${network} ${cidr}`),
                    subnet: { ip_prefix: formatIpv4(number), ip_prefix_len: prefixLength },
                    default_gateway: formatIpv4(number + 1),
                  };
                }),
              },
            },
          ],
        },
      });
    }
  }
  return database;
}
