/**
 * The programs at the ends of a stream, and the one that takes down what crosses a device. Perl,
 * because every Debian has it and it makes any system call, which Node does not. All times are
 * nanoseconds of the kernel's clock, which in a world stands while programs compute.
 */

/** CLOCK_REALTIME, as packet(7) stamps frames. */
const clock = String.raw`
use strict; use Socket; my $packed = pack("q q", 0, 0);
sub now { syscall(228, 0, $packed); my ($s, $ns) = unpack("q q", $packed); return $s * 1000000000 + $ns }
sub at { my ($ip, $port) = @_; return pack_sockaddr_in($port, inet_aton($ip)) }
$| = 1;`;

/**
 * `PROTOCOL IP PORT`: says `ready`, takes one stream, and prints its bytes and, of UDP, its
 * datagrams. TCP ends with its sender; UDP with an empty datagram.
 */
export const receiverProgram = String.raw`${clock}
my ($protocol, $ip, $port) = @ARGV; my ($bytes, $count) = (0, 0);
if ($protocol eq "tcp") {
  socket(my $l, PF_INET, SOCK_STREAM, 6) or die "socket: $!\n"; bind($l, at($ip, $port)) or die "bind: $!\n"; listen($l, 1); print "ready\n";
  accept(my $s, $l) or die "accept: $!\n";
  for (;;) { my $n = sysread($s, my $b, 1 << 18); defined $n or die "read: $!\n"; last if $n == 0; $bytes += $n; $count++ }
} else {
  socket(my $s, PF_INET, SOCK_DGRAM, 17) or die "socket: $!\n"; setsockopt($s, 1, 33, pack("i", 64 << 20)); bind($s, at($ip, $port)) or die "bind: $!\n"; print "ready\n";
  for (;;) { defined recv($s, my $b, 65536, 0) or die "recv: $!\n"; last if length $b == 0; $bytes += length $b; $count++ }
}
print "done $bytes $count\n";`;

/**
 * `PROTOCOL SOURCE IP PORT BYTES SIZE`: sends so many bytes, and prints what the kernel has
 * counted: of TCP the segments that it has sent again (tcp(7), TCP_INFO). TCP is corked, so that
 * only the end of the data goes in a packet that is not full: else the end of a write may, where
 * nothing waits to be sent before it (tcp(7), TCP_CORK).
 */
export const senderProgram = String.raw`${clock}
my ($protocol, $source, $ip, $port, $bytes, $size) = @ARGV; my $left = $bytes; my $again = 0;
if ($protocol eq "tcp") {
  socket(my $s, PF_INET, SOCK_STREAM, 6) or die "socket: $!\n"; setsockopt($s, 6, 3, pack("i", 1)) or die "cork: $!\n"; bind($s, at($source, 0)) or die "bind: $!\n"; connect($s, at($ip, $port)) or die "connect: $!\n";
  my $data = "x" x 65536;
  while ($left > 0) { my $n = syswrite($s, $data, $left < 65536 ? $left : 65536); defined $n or die "write: $!\n"; $left -= $n }
  shutdown($s, 1); sysread($s, my $end, 1);
  my $info = getsockopt($s, 6, 11); $again = unpack("x100 L", $info);
} else {
  socket(my $s, PF_INET, SOCK_DGRAM, 17) or die "socket: $!\n"; bind($s, at($source, 0)) or die "bind: $!\n";
  setsockopt($s, 1, 32, pack("i", 64 << 20));
  for (; $left > 0; $left -= $size) { defined send($s, "x" x ($left < $size ? $left : $size), 0, at($ip, $port)) or die "send: $!\n" }
  send($s, "", 0, at($ip, $port));
}
print "done $bytes $again\n";`;

/**
 * `DEVICE BYTES [ROOM]`: says `ready`, and then of each frame that crosses the device a line: `in`
 * or `out`, when, how long it is, and its first bytes; until its standard input ends. Its last line
 * is `done`, with how many frames the kernel has counted, and how many of these it has dropped for
 * want of room in the socket's buffer, of ROOM bytes (packet(7), PACKET_STATISTICS).
 */
export const captureProgram = String.raw`${clock}
my ($device, $most, $room) = @ARGV; my ($read, $counted, $dropped) = (0, 0, 0);
socket(my $s, 17, 3, 0) or die "packet socket: $!\n"; setsockopt($s, 1, 33, pack("i", $room // (256 << 20))) or die "receive buffer: $!\n";
socket(my $c, 2, 2, 0) or die "socket: $!\n"; my $ask = pack("a16 x24", $device); ioctl($c, 0x8933, $ask) or die "$device: $!\n";
bind($s, pack("S n l S C C a8", 17, 3, unpack("x16 l", $ask), 0, 0, 0, "")) or die "$device: $!\n"; print "ready\n";
sub drain { for (;;) { my $from = recv($s, my $b, 262144, 0x40); last unless defined $from; $read++;
  print unpack("x10 C", $from) == 4 ? "out" : "in", " ", now(), " ", length $b, " ", unpack("H*", substr($b, 0, $most)), "\n" } }
for (;;) { my $r = ""; vec($r, 0, 1) = 1; vec($r, fileno $s, 1) = 1; select($r, undef, undef, undef); drain(); last if vec($r, 0, 1) && !sysread(STDIN, my $x, 1) }
# A frame that comes between the two is read by the next drain.
for (1 .. 1000) { drain(); my ($c, $d) = unpack("L L", getsockopt($s, 263, 6)); $counted += $c; $dropped += $d; last if $read + $dropped == $counted }
print "done $counted $dropped\n";`;
