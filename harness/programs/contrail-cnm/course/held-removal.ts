/** What each step of a removal leaves there: it undoes what creation did, in reverse order. */
import type { RemovingStep } from '../../../control/contrail/course.js';
import { hypervisorOf, type Attempt, type Stage } from './stage.js';

const thereBehind: Readonly<Record<RemovingStep, readonly Place[]>> = {
  'port deleted': ['HNS', 'the controller'],
  'endpoint deleted': ['the controller'],
  'virtual-machine deleted': [],
};

const places = ['the agent', 'HNS', 'the controller'] as const;
type Place = (typeof places)[number];

/** Where the container is there, or gone, too early; undefined where it is as it should be. */
export async function wrongBehind(
  stage: Stage,
  step: RemovingStep,
  { container, dockerId }: Attempt,
): Promise<string | undefined> {
  const { agent, hns } = await hypervisorOf(stage, container.hypervisor).places();
  const name = `${container.hypervisor}--${dockerId}`;
  const isThere: Readonly<Record<Place, boolean>> = {
    'the agent': agent.some((port) => port['display-name'] === name),
    HNS: hns.endpoints.some(({ sandbox }) => sandbox === dockerId),
    'the controller': stage.controller
      .database()
      .resources.some(({ type, fqName }) => type === 'virtual-machine' && fqName.at(-1) === name),
  };
  const wrong = places.filter((place) => isThere[place] !== thereBehind[step].includes(place));
  if (wrong.length === 0) return undefined;
  const said = wrong.map(
    (place) => `${place} ${isThere[place] ? 'still has' : 'has no more of'} it`,
  );
  return `behind "${step}" of ${container.name}: ${said.join(', ')}`;
}
