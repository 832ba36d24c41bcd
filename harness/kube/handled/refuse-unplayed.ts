import { InputError, formatPlace } from '../../base/errors/errors.js';
import type { KubeObject, Network } from '../objects.js';
import { placeWritten } from '../written-object.js';
import { fieldValues } from './field-values.js';
import { controlPlanes, handlingWhere, type ControlPlaneName } from './handling.js';
import { nameOfObject } from './notes.js';
import { handledFields } from './table.js';

/**
 * @throws InputError naming every object, and field of one, that the control plane does not
 *   program, with its place: L0 would promise it all the same.
 */
export function refuseUnplayed({ name, objects }: Network, controlPlane: ControlPlaneName): void {
  if (objects === undefined) return;
  const all: readonly KubeObject[] = Object.values(objects).flat();
  const problems = all.flatMap((object) =>
    Object.entries(handledFields[object.kind]).flatMap(([path, everywhere]): readonly string[] => {
      const handling = handlingWhere(everywhere, controlPlane);
      if (handling.kind !== 'refused') return [];
      if (path !== '' && fieldValues(object, path).length === 0) return [];
      const place = placeWritten(object);
      const where = place === undefined ? `network "${name}"` : formatPlace(place);
      const what = `${nameOfObject(object)}${path === '' ? '' : `, ${path}`}`;
      const others = controlPlanes.filter(
        (other) => handlingWhere(everywhere, other).kind === 'played',
      );
      return [
        `${where}: ${what}: ${controlPlane}: ${handling.why}: leave it out` +
          (others.length === 0 ? '' : `, or play it on ${others.join(' or ')}`),
      ];
    }),
  );
  if (problems.length > 0) throw new InputError(problems);
}
