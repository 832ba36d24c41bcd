/**
 * Programs that talk over one connection, round by round. Perl, because every Debian has it and it
 * sets any option of a socket.
 */

/** Echoes what comes at PORT, on any number of connections; says `ready`, and `open` for each. */
export const echoProgram = String.raw`
use strict; use Socket; my ($port) = @ARGV; $| = 1; $SIG{PIPE} = "IGNORE"; my %open;
socket(my $l, PF_INET, SOCK_STREAM, 6) or die "socket: $!\n";
setsockopt($l, SOL_SOCKET, SO_REUSEADDR, 1);
bind($l, sockaddr_in($port, INADDR_ANY)) or die "bind: $!\n"; listen($l, 16); print "ready\n";
for (;;) {
  my $r = ""; vec($r, fileno $_, 1) = 1 for $l, values %open; select($r, undef, undef, undef);
  if (vec($r, fileno $l, 1) && accept(my $c, $l)) { print "open\n"; $open{fileno $c} = $c }
  for my $n (grep { vec($r, $_, 1) } keys %open) {
    my ($c, $data) = ($open{$n}, "");
    if (!sysread($c, $data, 65536)) { delete $open{$n}; next }
    while (length $data) {
      my $sent = syswrite($c, $data); last unless defined $sent; substr($data, 0, $sent) = ""
    }
  }
}`;

/**
 * Connects to IP PORT and says `open` with its own port. For each line `go` it sends BYTES, waits
 * until they are back, and says `round`; for `end` it closes, and says `done`. Where its kernel
 * gives the connection up, after so many milliseconds without an answer or because the other end
 * says so, it says `cut` and why (tcp(7), TCP_USER_TIMEOUT). A client that has sent all, and whose
 * answer is lost, has nothing to send again, and would wait for ever (socket(7), SO_RCVTIMEO).
 */
export const talkProgram = String.raw`
use strict; use Socket; use Errno qw(EAGAIN ETIMEDOUT);
my ($ip, $port, $bytes, $limit) = @ARGV; $| = 1;
sub cut { $! = ETIMEDOUT if $! == EAGAIN; print "cut $!\n"; exit 0 }
socket(my $s, PF_INET, SOCK_STREAM, 6) or die "socket: $!\n";
setsockopt($s, 6, 18, pack("i", $limit)) or die "TCP_USER_TIMEOUT: $!\n";
setsockopt($s, SOL_SOCKET, SO_RCVTIMEO, pack("l!l!", int($limit / 1000), $limit % 1000 * 1000))
  or die "SO_RCVTIMEO: $!\n";
connect($s, sockaddr_in($port, inet_aton($ip))) or cut();
my ($own) = sockaddr_in(getsockname $s); print "open $own\n";
while (my $line = <STDIN>) {
  if ($line eq "end\n") {
    shutdown($s, 1);
    defined sysread($s, my $end, 1) or cut();
    print "done\n"; exit 0;
  }
  my $data = "x" x $bytes;
  while (length $data) {
    my $n = syswrite($s, $data);
    cut() unless defined $n;
    substr($data, 0, $n) = "";
  }
  for (my $left = $bytes; $left > 0;) {
    my $n = sysread($s, my $echo, $left);
    cut() unless defined $n;
    if ($n == 0) { print "cut the other end has closed\n"; exit 0 }
    $left -= $n;
  }
  print "round\n";
}`;
