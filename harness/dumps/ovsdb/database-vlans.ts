import { InputError } from '../../base/errors/errors.js';
import type { VlanPlan } from '../../domain/plan/port-plan.js';
import { type Row, oneOf, setOf, mapOf } from './database.js';

export function vlanOf(port: Row, file: string): VlanPlan | undefined {
  const [tag, trunks, wanted] = [
    oneOf(port, 'tag'),
    setOf(port, 'trunks').map(Number),
    oneOf(port, 'vlan_mode'),
  ];
  const config = mapOf(port, 'other_config');
  const customerVlans = setOf(port, 'cvlans').map(Number);
  const priorityTags = priorityTagsOf(config.get('priority-tags'));
  const isPlain = tag === undefined && trunks.length === 0 && wanted === undefined;
  if (isPlain && priorityTags === undefined) return undefined;
  const mode = vlanModes.find((known) => known === wanted);
  if (wanted !== undefined && mode === undefined)
    throw new InputError(
      `vlan_mode of port ${oneOf(port, 'name')}: expected one of ${vlanModes.join(', ')}, got ` +
        `"${wanted}"`,
      { file },
    );
  return {
    trunks,
    ...(tag === undefined ? {} : { tag: Number(tag) }),
    ...(mode === undefined ? {} : { mode }),
    ...(priorityTags === undefined ? {} : { priorityTags }),
    ...(customerVlans.length === 0 ? {} : { customerVlans }),
    ...(config.get('qinq-ethtype') === '802.1q' ? { outerTag: '802.1q' } : {}),
  };
}
export const vlanModes = [
  'access',
  'native-tagged',
  'native-untagged',
  'trunk',
  'dot1q-tunnel',
] as const;
/** `true` was what `if-nonzero` was called once (vswitchd/bridge.c, port_configure). */
export function priorityTagsOf(value: string | undefined): VlanPlan['priorityTags'] {
  if (value === 'always') return 'always';
  return value === 'if-nonzero' || value === 'true' ? 'if-nonzero' : undefined;
}
