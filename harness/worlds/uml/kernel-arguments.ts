/** 2026-01-01T00:00:00Z in nanoseconds: when a guest begins. */
const beginning = '1767225600000000000';

/**
 * The command line of a guest's kernel. It is the same byte for byte in every guest, for the kernel
 * mixes it into its random numbers: what differs is in the folder in which the process is started,
 * and in the seed in its environment.
 */
export const kernelArguments: readonly string[] = [
  'mem=1024M',
  'root=none',
  'rootfstype=hostfs',
  'rootflags=/',
  'ro',
  // The folder of the process, as the machine's own /proc has it.
  'init=/proc/self/cwd/init',
  'con=null',
  'con0=null,fd:1',
  'umid=guest',
  'uml_dir=./',
  'time-travel=inf-cpu',
  `time-travel-start=${beginning}`,
  'norandmaps',
  // System calls by filters of seccomp(2) where the machine allows them: half the time of ptrace.
  'seccomp=auto',
  'random.trust_cpu=off',
];
