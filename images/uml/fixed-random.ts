/**
 * getrandom(2) of the process that is the kernel: it seeds the guest's random numbers by it. Here
 * they come from a seed in the environment (xorshift64, never in state 0), so that two guests with
 * one seed draw the same.
 *
 * And ptrace(2): the guest's processes are traced by the kernel, and end with it, however that
 * ends. Without, they would go on as processes of this machine.
 */
export const seedVariable = 'FLOWBED_WORLD_SEED';

/** PTRACE_OLDSETOPTIONS of x86. */
const oldSetOptions = 21;

export const fixedRandomSource = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/types.h>

static unsigned long long state;

ssize_t getrandom(void *buffer, size_t size, unsigned int flags) {
  unsigned char *bytes = buffer;
  (void)flags;
  if (state == 0) {
    const char *seed = getenv("${seedVariable}");
    state = 0x9e3779b97f4a7c15ULL ^ (seed == 0 ? 0 : strtoull(seed, 0, 10));
    if (state == 0) state = 1;
  }
  for (size_t at = 0; at < size; at++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    bytes[at] = state >> 24;
  }
  return size;
}

long ptrace(enum __ptrace_request request, ...) {
  va_list given;
  va_start(given, request);
  pid_t process = va_arg(given, pid_t);
  void *address = va_arg(given, void *);
  void *data = va_arg(given, void *);
  va_end(given);
  long (*original)(enum __ptrace_request, ...) =
      (long (*)(enum __ptrace_request, ...))dlsym(RTLD_NEXT, "ptrace");
  if (request == PTRACE_SETOPTIONS || request == ${oldSetOptions})
    data = (void *)((long)data | PTRACE_O_EXITKILL);
  return original(request, process, address, data);
}
`;
