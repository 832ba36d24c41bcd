/** The program that holds a node's network namespaces, and the protocol that it speaks. */

/** What it is asked, and what it answers; each message: kind, wire (16 bits), length (32 bits). */
export const messages = {
  /** Makes a namespace; answers with the process that holds it. */
  namespace: 1,
  /** `PROCESS NAME MTU`: attaches to a device there, and brings it up; answers with its number. */
  attach: 2,
  /** A frame, either way. */
  frame: 3,
  /** Answered behind all frames that had come by then. */
  sync: 4,
  detach: 5,
  /** So many milliseconds pass; answered behind them. */
  pass: 6,
  /** Why something that was asked for was not done. */
  refused: 9,
} as const;

/**
 * Perl, because every Debian has it and it makes any system call, which Node does not. Frames are
 * taken by packet(7), so that each is seen as it crosses a device, with the VLAN tag that the
 * kernel keeps beside it. A namespace lives as long as a process in it: all of them end with this
 * one, and this one with its standard input.
 */
export const carrierProgram = String.raw`
use strict; use POSIX ();
my $machine = (POSIX::uname())[4];
my $calls = { x86_64 => [272, 308, 157, 47], aarch64 => [97, 268, 167, 212] }->{$machine} or die "system calls of $machine are not known\n";
my ($unshare, $setns, $prctl, $recvmsg) = @$calls;
my $newnet = 0x40000000;
sub put { my ($file, $text) = @_; open(my $f, ">", $file) or return; syswrite $f, $text }
sub silence {
  put("/proc/sys/net/ipv6/conf/$_/disable_ipv6", 1) for qw(all default);
  put("/proc/sys/net/ipv4/conf/$_/arp_ignore", 1) for qw(all default);
  put("/proc/sys/net/ipv4/conf/$_/rp_filter", 0) for qw(all default);
  put("/proc/sys/net/ipv4/ip_forward", 0);
}
sub message { my ($kind, $wire, $data) = @_; my $m = pack("CnN", $kind, $wire, length $data) . $data;
  for (my $at = 0; $at < length $m; ) { my $n = syswrite STDOUT, $m, length($m) - $at, $at; defined $n or exit 1; $at += $n } }
sub hold {
  pipe(my $alive, my $mine) or die "pipe: $!"; pipe(my $ready, my $made) or die "pipe: $!";
  my $pid = fork; defined $pid or die "fork: $!";
  if ($pid == 0) {
    syscall($prctl, 1, 9, 0, 0, 0); close STDIN; close STDOUT; close $mine; close $ready;
    syscall($unshare, $newnet) == 0 or exit 1;
    silence(); syswrite $made, "x"; close $made; sysread $alive, my $end, 1; exit 0;
  }
  close $alive; close $made; push our @mine, $mine;
  sysread($ready, my $word, 1) or die "no network namespace could be made\n";
  return $pid;
}
open(my $home, "<", "/proc/self/ns/net") or die "no namespaces: $!\n";
my (@sockets, %wires);
sub release { my ($wire) = @_; my $s = $sockets[$wire] or return; delete $wires{fileno $s}; close $s; undef $sockets[$wire] }
sub attach {
  my ($wire, $pid, $name, $mtu) = @_;
  my $there; if ($pid) { open($there, "<", "/proc/$pid/ns/net") or die "$name: $!\n"; syscall($setns, fileno($there), $newnet) == 0 or die "$name: $!\n" }
  my $why = ""; my $index = 0;
  eval {
    socket(my $control, 2, 2, 0) or die "socket: $!\n";
    my $ask = sub { my ($number, $format, $value) = @_; my $request = pack("a16 $format x24", $name, $value); ioctl($control, $number, $request) or die "$name: $!\n"; $request };
    $ask->(0x8922, "l", $mtu) if $mtu;
    my $flags = unpack("x16 S", $ask->(0x8913, "S", 0)); $ask->(0x8914, "S", $flags | 1);
    $index = unpack("x16 l", $ask->(0x8933, "l", 0));
    socket(my $s, 17, 3, 0) or die "packet socket: $!\n";
    setsockopt($s, 263, 23, pack("i", 1)) or die "frames that go out cannot be left out: $!\n";
    setsockopt($s, 263, 8, pack("i", 1)) or die "tags are not shown: $!\n";
    setsockopt($s, 1, 33, pack("i", 16 << 20));
    bind($s, pack("S n l S C C a8", 17, 3, $index, 0, 0, 0, "")) or die "$name: $!\n";
    release($wire); $sockets[$wire] = $s; $wires{fileno $s} = $wire;
  }; $why = $@;
  syscall($setns, fileno($home), $newnet) if $pid;
  die $why if $why;
  return $index;
}
my $buffer = ""; vec($buffer, 262143, 8) = 0; my $control = ""; vec($control, 255, 8) = 0;
sub drain {
  my ($wire) = @_; my $s = $sockets[$wire] or return;
  for (;;) {
    my $vector = pack("P Q", $buffer, 262144);
    my $header = pack("Q L x4 P Q P Q l x4", 0, 0, $vector, 1, $control, 256, 0);
    my $n = syscall($recvmsg, fileno($s), $header, 0x40); last if $n < 0;
    my $frame = substr($buffer, 0, $n);
    my $shown = unpack("x40 Q", $header);
    if ($shown >= 36) { my ($level, $type, $status, $tci, $tpid) = unpack("x8 l l L x12 S S", $control);
      $frame = substr($frame, 0, 12) . pack("n n", $status & 0x40 ? $tpid : 0x8100, $tci) . substr($frame, 12) if $level == 263 && $type == 8 && $status & 0x10 }
    message(3, $wire, $frame);
  }
}
sub serve {
  my ($kind, $wire, $data) = @_;
  if ($kind == 1) { message(1, $wire, hold()) }
  elsif ($kind == 2) { message(2, $wire, attach($wire, split / /, $data)) }
  elsif ($kind == 3) { defined send($sockets[$wire], $data, 0) or message(9, $wire, "a frame of " . length($data) . " bytes: $!") }
  elsif ($kind == 4) { drain($_) for grep { $sockets[$_] } 0 .. $#sockets; message(4, $wire, "") }
  elsif ($kind == 5) { release($wire); message(5, $wire, "") }
  elsif ($kind == 6) { select(undef, undef, undef, $data / 1000); message(6, $wire, "") }
}
syscall($prctl, 1, 9, 0, 0, 0);
silence(); binmode STDIN; binmode STDOUT; message(1, 0, $$);
my $in = "";
for (;;) {
  my $r = ""; vec($r, 0, 1) = 1; vec($r, $_, 1) = 1 for keys %wires;
  my $ready = select($r, undef, undef, undef); if ($ready < 0) { next if $!{EINTR}; die "select: $!\n" }
  for my $fd (keys %wires) { drain($wires{$fd}) if vec($r, $fd, 1) }
  next unless vec($r, 0, 1);
  sysread(STDIN, $in, 1 << 16, length $in) or exit 0;
  while (length $in >= 7) { my ($kind, $wire, $n) = unpack "C n N", $in; last if length $in < 7 + $n;
    my $data = substr($in, 7, $n); substr($in, 0, 7 + $n) = ""; eval { serve($kind, $wire, $data); 1 } or message(9, $wire, $@) }
}`;
