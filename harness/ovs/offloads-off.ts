import { systemProgram } from './process/system-program.js';

/**
 * The command by which a device's checksums are computed by who sends, and segments are cut there:
 * a datapath in ovs-vswitchd takes frames as they are on a wire. By ioctl(2), since ethtool(8) is
 * not everywhere: ETHTOOL_STXCSUM of linux/ethtool.h.
 */
export function offloadsOff(device: string): readonly [string, ...string[]] {
  return [
    systemProgram('perl'),
    '-e',
    'socket(my $s, 2, 2, 0) or die "socket: $!\\n"; my $off = pack("L L", 0x17, 0); ' +
      'ioctl($s, 0x8946, pack("a16 P x16", $ARGV[0], $off)) or die "$ARGV[0]: $!\\n"',
    device,
  ];
}
