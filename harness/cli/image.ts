/**
 * `flowbed image build docker:trixie`: images that testbeds would make when they are first used,
 * and the kernel of a world, which nothing else makes.
 */
import { openGuestImage } from '../../images/guest/guest-image.js';
import { knownImages, openImage } from '../../images/images.js';
import { buildKernel, kernelFolder } from '../../images/uml/kernel.js';
import { buildKubeApiserver } from '../../images/kube-apiserver.js';
import { buildK6 } from '../../images/k6.js';
import { unknownName } from '../base/errors/errors.js';
import { connectEngine } from '../docker/engine.js';
import { nodeImageOf } from '../docker/node-image.js';
import { exitCodes, type Context } from './context.js';

/** All that can be made. */
const imageNames = [
  ...knownImages.map(({ name }) => name),
  ...knownImages.map(({ name }) => `docker:${name}`),
  ...['uml', 'kube-apiserver', 'k6', 'guest'],
];

/** @throws InputError for another request than `build`. */
export async function image(context: Context, what: string, name: string): Promise<number> {
  if (what !== 'build') throw unknownName('work on an image', what, ['build']);
  return name === 'uml' ? await buildWorld(context) : await buildImage(context, name);
}

async function buildWorld({ print, say }: Context): Promise<number> {
  await buildKernel(say);
  print(`uml: ${(await kernelFolder()).folder}`);
  return exitCodes.conforms;
}

/**
 * @param name `trixie`, a root folder; `docker:trixie`, that as an image of the Docker engine.
 * @returns the exit code. @throws InputError for another name, Unavailable where it is not made.
 */
async function buildImage({ print, say }: Context, name: string): Promise<number> {
  if (name === 'kube-apiserver') {
    print(`kube-apiserver: ${await buildKubeApiserver(say)}`);
    return exitCodes.conforms;
  }
  if (name === 'k6') {
    print(`k6: ${await buildK6(say)}`);
    return exitCodes.conforms;
  }
  if (name === 'guest') {
    print(`guest: ${(await openGuestImage(say)).folder}`);
    return exitCodes.conforms;
  }
  const [, kind, suite] = /^(?:(\w+):)?(\w+)$/.exec(name) ?? [];
  if (suite === undefined || (kind !== undefined && kind !== 'docker'))
    throw unknownName('image', name, imageNames);
  if (!knownImages.some((one) => one.name === suite)) throw unknownName('image', name, imageNames);
  const image = await openImage(suite, say);
  if (kind === undefined) {
    print(`${image.name}: ${image.root ?? 'what is installed on this machine'}`);
    return exitCodes.conforms;
  }
  const engine = await connectEngine();
  const { reference, made } = await nodeImageOf(engine, image);
  print(
    `${reference} in the Docker engine at ` +
      `${engine.socket}${made === 'now' ? '' : ', there already'}`,
  );
  return exitCodes.conforms;
}
