/** What the package of this client exports: dev/packages writes it. */
export * from './containerlab.js';
export * from './lab-file.js';
export type { ContainerInterfaces, LabContainer, LabEvent, Labs } from './cli-output.js';
export { printClabernetes } from './cluster-lab.js';
export { InputError, Unavailable } from '../base/errors/errors.js';
