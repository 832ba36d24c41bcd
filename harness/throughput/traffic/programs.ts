/** Small programs of our own for traffic that iperf3 does not make. */

/**
 * Takes connections at PORT and answers the end of each with its own; says `listening` first.
 * Before each it \`sleeps\` or \`works\` for so many MICROSECONDS: faults to be found. Sleep
 * is longer than asked: it is taken once a millisecond is owed, and less by what was too much.
 * Perl, because every Debian has it and it starts in milliseconds.
 */
export const acceptProgram = String.raw`
use strict; use Socket;
use Time::HiRes qw(usleep clock_gettime CLOCK_PROCESS_CPUTIME_ID CLOCK_MONOTONIC);
my ($port, $delay, $microseconds) = @ARGV; $| = 1; my $owed = 0;
sub rest { return if ($owed += $microseconds) < 1000;
  my $begun = clock_gettime(CLOCK_MONOTONIC); usleep $owed;
  $owed -= 1e6 * (clock_gettime(CLOCK_MONOTONIC) - $begun) }
sub work { my $end = clock_gettime(CLOCK_PROCESS_CPUTIME_ID) + $microseconds / 1e6;
  1 while clock_gettime(CLOCK_PROCESS_CPUTIME_ID) < $end }
socket(my $s, PF_INET, SOCK_STREAM, 0) or die "socket: $!\n";
setsockopt($s, SOL_SOCKET, SO_REUSEADDR, 1);
bind($s, sockaddr_in($port, INADDR_ANY)) or die "port $port: $!\n";
listen($s, 1024) or die "listen: $!\n"; print "listening\n";
while (accept(my $c, $s)) {
  rest() if $delay eq 'sleeps'; work() if $delay eq 'works';
  sysread($c, my $end, 1); close $c }`;

/**
 * ATONCE processes open connections to IP PORT and close them, one by one, for so many SECONDS;
 * prints how many in all, how many seconds that took, and how many of processors they had. The
 * other end has closed before the next one is opened.
 */
export const connectProgram = String.raw`
use strict; use Socket; use Time::HiRes; my ($ip, $port, $seconds, $atonce) = @ARGV;
my $to = sockaddr_in($port, inet_aton($ip)); my ($all, $start) = (0, Time::HiRes::time());
my $end = $start + $seconds;
pipe(my $counts, my $report) or die "pipe: $!\n";
for (1 .. $atonce) {
  my $pid = fork; defined $pid or die "fork: $!\n"; next if $pid;
  my $count = 0;
  while (Time::HiRes::time() < $end) {
    socket(my $s, PF_INET, SOCK_STREAM, 0) or die "socket: $!\n";
    connect($s, $to) or die "connection $count to $ip, port $port: $!\n";
    shutdown($s, 1); sysread($s, my $answer, 1); close $s; $count++;
  }
  syswrite $report, pack("N", $count); exit 0;
}
for (1 .. $atonce) { wait; die "a client has failed\n" if $? }
close $report; while (sysread $counts, my $count, 4) { $all += unpack "N", $count }
my ($user, $system, $ofusers, $ofsystem) = times;
print $all, " ", Time::HiRes::time() - $start, " ", $ofusers + $ofsystem, "\n";`;

/**
 * Takes connections at IP PORT and copies each to and from TOIP TOPORT, as a proxy in user space
 * does; \`pauseMs\` waits before each is dialled: a fault to be found.
 */
export const relayProgram = String.raw`
const [ip, port, toIp, toPort, pauseMs] = process.argv.slice(1);
const net = require('node:net');
const relay = (client) => {
  const server = net.connect({ host: toIp, port: Number(toPort), allowHalfOpen: true });
  for (const [from, to] of [[client, server], [server, client]]) {
    from.on('error', () => to.destroy());
    from.pipe(to);
  }
};
net.createServer({ allowHalfOpen: true }, (client) => {
  if (pauseMs === '0') relay(client);
  else setTimeout(relay, Number(pauseMs), client);
}).listen({ host: ip, port: Number(port) }, () => console.log('listening'));`;

/**
 * Answers requests of HTTP with NAME and a line's end, at PORT; SILENT ones in ten not at all.
 * Before each it \`sleeps\` or \`works\` for so many MICROSECONDS: faults to be found.
 */
export const httpServerProgram = String.raw`
const [name, port, silent, delay, microseconds] = process.argv.slice(1);
const never = new Int32Array(new SharedArrayBuffer(4));
let owedMs = 0;
const delays = {
  never: () => undefined,
  sleeps: () => {
    if ((owedMs += microseconds / 1000) < 1) return;
    const begun = performance.now();
    Atomics.wait(never, 0, 0, owedMs);
    owedMs -= performance.now() - begun;
  },
  works: () => {
    const { user, system } = process.cpuUsage();
    for (let had = 0; had < microseconds; ) {
      const now = process.cpuUsage();
      had = now.user + now.system - user - system;
    }
  },
};
let count = 0;
require('node:http').createServer((request, answer) => {
  delays[delay]();
  if (silent === 'silent' && ++count % 10 === 0) request.socket.destroy();
  else answer.end(name + '\n');
}).listen(Number(port), () => console.log('listening'));`;

/** Sends a datagram to IP from each of PORTS; nobody needs to take it. */
export const datagramProgram = String.raw`
use strict; use Socket; my ($ip, @ports) = @ARGV;
for my $port (@ports) {
  socket(my $s, PF_INET, SOCK_DGRAM, 0) or die "socket: $!\n";
  bind($s, sockaddr_in($port, INADDR_ANY)) or die "port $port: $!\n";
  send($s, "before", 0, sockaddr_in(9, inet_aton($ip))) or die "send: $!\n";
}`;

/**
 * Runs a command that prints a line, and says on its stderr when it begins and ends; behind that
 * line it prints the ticks of 10 ms that processors gave to it between both (proc_pid_stat(5)).
 * What it needs to start is no part of them.
 */
export const timedProgram = String.raw`
use strict; $| = 1; my ($begun, $ended); pipe(my $said, my $says) or die "pipe: $!\n";
my $pid = fork; defined $pid or die "fork: $!\n";
if (!$pid) { open STDERR, ">&", $says or die "stderr: $!\n"; exec @ARGV or die "$ARGV[0]: $!\n" }
close $says;
sub ticks { open my $stat, "<", "/proc/$pid/stat" or die "stat: $!\n";
  my @of = split / /, <$stat> =~ s/.*\) //sr; $of[11] + $of[12] }
while (<$said>) {
  if (/it begins/) { $begun = ticks() } elsif (/it ends/) { $ended = ticks() } else { warn $_ }
}
waitpid $pid, 0; exit 1 if $?;
print "\n", $ended - $begun, "\n";`;

/** Opens connections to IP PORT and closes them, one by one, for as long as it lives. */
export const reconnectProgram = String.raw`
use strict; use Socket; my ($ip, $port) = @ARGV; my $to = sockaddr_in($port, inet_aton($ip));
while (1) {
  socket(my $s, PF_INET, SOCK_STREAM, 0) or die "socket: $!\n";
  connect($s, $to) or die "connection to $ip, port $port: $!\n";
  shutdown($s, 1); sysread($s, my $answer, 1); close $s;
}`;

/**
 * Lets groups of processes run in turn, each for so many MICROSECONDS, so many ROUNDS; the others
 * are stopped. GROUPS are lists of processes with commas; in a round backwards after one forwards.
 * Prints how many seconds each group has had.
 */
export const turnsProgram = String.raw`
use strict; use Time::HiRes qw(usleep clock_gettime CLOCK_MONOTONIC);
my ($microseconds, $rounds, @groups) = @ARGV;
my @of = map { [split /,/] } @groups; my @had = (0) x @of;
for my $round (1 .. $rounds) {
  for my $at ($round % 2 ? 0 .. $#of : reverse 0 .. $#of) {
    my ($pids, $from) = ($of[$at], clock_gettime(CLOCK_MONOTONIC));
    kill("CONT", @$pids) == @$pids or die "one of @$pids has ended\n";
    usleep $microseconds;
    kill "STOP", reverse @$pids; $had[$at] += clock_gettime(CLOCK_MONOTONIC) - $from;
  }
}
print "@had\n";`;
