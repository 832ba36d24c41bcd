/**
 * The programs of hosts that call Services, and that answer. Perl, because every Debian has it. A
 * line of theirs is a note of the host: what happened, and with whom.
 */

const common = String.raw`
use strict; use Socket; use POSIX (); $| = 1;
sub at { my ($ip, $port) = @_; return pack_sockaddr_in($port, inet_aton($ip)) }
sub name { my ($port, $ip) = unpack_sockaddr_in($_[0]); return inet_ntoa($ip) . " $port" }
sub how {
  my ($error) = @_;
  return $error == 111 ? "refused" : $error == 113 ? "unreachable"
    : "failed " . POSIX::strerror($error);
}
sub ready {
  my ($s, $write, $ms) = @_;
  my $v = ""; vec($v, fileno $s, 1) = 1; my $w = $v;
  return $write ? select(undef, $w, undef, $ms / 1000) : select($v, undef, undef, $ms / 1000);
}
sub stream {
  socket(my $s, PF_INET, SOCK_STREAM, 6) or die "socket: $!\n";
  setsockopt($s, SOL_SOCKET, SO_REUSEADDR, 1);
  return $s;
}
sub datagrams { socket(my $s, PF_INET, SOCK_DGRAM, 17) or die "socket: $!\n"; return $s }`;

/**
 * PROTOCOL/IP/PORT…: says "ready", echoes what comes there (RFC 862), and notes it as WHAT PEER
 * PORT LOCAL PORT.
 */
export const answeringProgram = String.raw`${common}
my (%listening, %datagrams, %streams);
for (@ARGV) {
  my ($protocol, $ip, $port) = split /\//;
  my $s = $protocol eq "tcp" ? stream() : datagrams();
  bind($s, at($ip, $port)) or die "$_: $!\n";
  if ($protocol eq "tcp") { listen($s, 64); $listening{fileno $s} = $s }
  else { $datagrams{fileno $s} = [$s, "$ip $port"] }
}
print "ready\n";
for (;;) {
  my $v = "";
  vec($v, $_, 1) = 1 for 0, keys %listening, keys %datagrams, keys %streams;
  select($v, undef, undef, undef);
  my $has = sub { return grep { vec($v, $_, 1) } @_ };
  for ($has->(keys %datagrams)) {
    my ($s, $local) = @{$datagrams{$_}};
    my $from = recv($s, my $data, 65536, 0);
    next unless defined $from;
    print "received-udp ", name($from), " $local\n";
    send($s, $data, 0, $from);
  }
  # Those that are open by now: a new one is read from in the next turn.
  my @open = $has->(keys %streams);
  for ($has->(keys %listening)) {
    my $peer = accept(my $s, $listening{$_});
    next unless $peer;
    my $who = name($peer) . " " . name(getsockname $s);
    print "connected $who\n";
    $streams{fileno $s} = [$s, $who, 0];
  }
  for (@open) {
    my ($s, $who, $count) = @{$streams{$_}};
    my $n = sysread($s, my $data, 65536);
    if ($n) {
      print "received-tcp $who\n" unless $count;
      $streams{$_}[2]++;
      syswrite $s, $data;
    } else {
      print defined $n ? "closed" : "reset", " $who\n";
      delete $streams{$_};
      close $s;
    }
  }
  last if vec($v, 0, 1) && !sysread(STDIN, my $end, 1);
}`;

/**
 * Says "ready"; then a line KIND IP PORT FROM-PORT MS asks for a call (tcp, probe, udp), whose
 * notes it prints, and "over" behind them. It waits so many milliseconds for each answer.
 */
export const callingProgram = String.raw`${common}
sub datagram {
  my ($ip, $port, $own, $ms) = @_;
  my $s = datagrams();
  bind($s, pack_sockaddr_in($own, INADDR_ANY)) or return "failed $!";
  connect($s, at($ip, $port)) or return "failed $!";
  send($s, "call $own", 0);
  return "" unless ready($s, 0, $ms);
  return defined recv($s, my $answer, 65536, 0) ? "received-udp" : how($! + 0);
}
sub connection {
  my ($says, $ip, $port, $own, $ms) = @_;
  my $s = stream();
  bind($s, pack_sockaddr_in($own, INADDR_ANY)) or return "failed $!";
  my $flags = fcntl($s, 3, 0);
  fcntl($s, 4, $flags | 2048);
  connect($s, at($ip, $port));
  return "timed-out" unless ready($s, 1, $ms);
  my $error = unpack "i", getsockopt($s, SOL_SOCKET, SO_ERROR);
  return how($error) if $error;
  fcntl($s, 4, $flags);
  print "connected\n";
  if ($says) {
    syswrite $s, "call $own";
    ready($s, 0, $ms) or return "timed-out";
    sysread($s, my $answer, 65536);
    print "received-tcp\n" if $answer eq "call $own";
  }
  shutdown($s, 1);
  ready($s, 0, $ms) or return "timed-out";
  my $n = sysread($s, my $end, 1);
  return defined $n && $n == 0 ? "closed" : "reset";
}
print "ready\n";
while (my $line = <STDIN>) {
  my ($kind, @where) = split " ", $line;
  my $last = $kind eq "udp" ? datagram(@where) : connection($kind eq "tcp", @where);
  print "$last\n" if $last;
  print "over\n";
}`;
