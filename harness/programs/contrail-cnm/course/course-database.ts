/** What the controller of a course starts with: the virtual networks of its cluster. */
import type { Course } from '../../../control/contrail/course.js';
import { formatIpv4, parseCidr } from '../../../base/addresses/mac-and-ipv4.js';
import { InputError } from '../../../base/errors/errors.js';
import { create, emptyDatabase, type ConfigDatabase } from '../controller/config-database.js';

export function databaseOfCourse({
  virtualNetworks,
}: Pick<Course, 'virtualNetworks'>): ConfigDatabase {
  let database = emptyDatabase;
  const add = (
    type: 'project' | 'virtual-network',
    fqName: readonly string[],
    properties: Readonly<Record<string, unknown>>,
  ) => {
    const change = create(database, type, { fqName, refs: [], properties });
    if (change.kind === 'refused') throw new InputError(change.why);
    database = change.database;
  };
  for (const tenant of new Set(virtualNetworks.map((network) => network.tenant)))
    add('project', ['default-domain', tenant], {});
  for (const { tenant, name, label, subnets } of virtualNetworks)
    add('virtual-network', ['default-domain', tenant, name], {
      virtual_network_network_id: label,
      network_ipam_refs: [
        {
          to: ['default-domain', 'default-project', 'default-network-ipam'],
          attr: {
            ipam_subnets: subnets.map(({ id, cidr, gateway }) => {
              const { number, prefixLength } = parseCidr(cidr);
              return {
                subnet_uuid: id,
                subnet: { ip_prefix: formatIpv4(number), ip_prefix_len: prefixLength },
                default_gateway: gateway,
              };
            }),
          },
        },
      ],
    });
  return database;
}
