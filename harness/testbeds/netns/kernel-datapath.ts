import { execFile } from 'node:child_process';
import { systemProgram } from '../../ovs/process/system-program.js';

/**
 * Asks generic netlink for the family of Open vSwitch's datapaths (genetlink(7);
 * include/uapi/linux/openvswitch.h, OVS_DATAPATH_FAMILY): a kernel that has it as a module, not
 * loaded, loads it.
 */
const asking = String.raw`
  socket(my $s, 16, 3, 16) or exit 1; my $name = "ovs_datapath\0"; my $attribute = pack("S S", 4 + length $name, 2) . $name; $attribute .= "\0" x (-length($attribute) % 4);
  my $body = pack("C C S", 3, 1, 0) . $attribute; send($s, pack("L S S L L", 16 + length $body, 16, 1, 1, 0) . $body, 0) or exit 1;
  recv($s, my $answer, 65536, 0); exit(unpack("x4 S", $answer) == 2 ? 1 : 0)`;

let asked: Promise<boolean> | undefined;

/** Whether this kernel switches packets of Open vSwitch. */
export function hasKernelDatapath(): Promise<boolean> {
  return (asked ??= new Promise((resolve) => {
    execFile(systemProgram('perl'), ['-e', asking], (error) => resolve(error === null));
  }));
}
