/** What people ask of Docker: networks, `docker run` and `docker rm -f`. */
import type { PlayedContainer } from '../../../control/contrail/course.js';
import { uuidFrom } from '../controller/config-database.js';
import type { Played } from '../testkit/played-engine.js';
import { found, hypervisorOf, type Attempt, type Stage } from './stage.js';

/** The id of the container's Docker network, which is made where its hypervisor has none yet. */
export async function networkFor(
  stage: Stage,
  container: PlayedContainer,
): Promise<Played<string>> {
  const { course, networks } = stage;
  const key = `${container.hypervisor} ${container.subnet}`;
  const known = networks.get(key);
  if (known !== undefined) return { kind: 'done', value: known };
  const { tenant, network } = container;
  const { cidr } = found(
    course.virtualNetworks.flatMap(({ subnets }) => subnets),
    ({ id }) => id === container.subnet,
    container.subnet,
  );
  const { engine } = hypervisorOf(stage, container.hypervisor);
  const made = await engine.createNetwork({ tenant, network, cidr });
  if (made.kind === 'done') networks.set(key, made.value);
  return made;
}

/** @returns why it was refused; undefined where the container is up. */
export async function runContainer(
  stage: Stage,
  container: PlayedContainer,
  network: string,
): Promise<string | undefined> {
  const { attempts } = stage;
  const { engine } = hypervisorOf(stage, container.hypervisor);
  const tried = attempts.filter((one) => one.container.name === container.name).length;
  const dockerId = uuidFrom(`${container.name} ${tried + 1}`).replaceAll('-', '');
  const attempt: Attempt = { container, dockerId };
  attempts.push(attempt);
  const answer = await engine.run(network, container.ip, dockerId);
  if (answer.kind === 'done') {
    attempt.up = answer.value;
    return undefined;
  }
  attempt.isRemoved = true;
  return `docker run of ${container.name} on ${container.hypervisor}: ${answer.why}`;
}

/** The network goes with its last container. @returns what was wrong; undefined for nothing. */
export async function removeContainer(stage: Stage, attempt: Attempt): Promise<string | undefined> {
  const { container, up } = attempt;
  const { engine } = hypervisorOf(stage, container.hypervisor);
  if (up === undefined) return `docker rm of ${container.name}: it was never up`;
  await engine.remove(up);
  attempt.isRemoved = true;
  if (engine.endpoints().some(({ networkId }) => networkId === up.networkId)) return undefined;
  stage.networks.delete(`${container.hypervisor} ${container.subnet}`);
  await engine.removeNetwork(up.networkId);
  return undefined;
}
