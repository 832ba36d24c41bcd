/** In the order in which they are loaded: those that virtio-net needs and the kernel has not. */
export const kernelModules = ['failover', 'net_failover', 'virtio_net'] as const;

/** What a guest says on its console, each at the beginning of a line. */
export const saidByGuest = {
  /** What udhcpc(8) was given, one `name=value` a line. */
  lease: 'lease ',
  /** It has its address, and echoes what comes to port 7. */
  ready: 'guest ready',
} as const;

/** A line on its console by which a guest begins to talk. */
export const begin = 'begin';

/**
 * The first program of a guest. Of the kernel's command line it has `ADDRESS`, `dhcp` or a static
 * one with the length of its prefix, `GATEWAY` of the latter, and `PEER`, to whom it talks from the
 * line `begin` on: by an echo request each tenth of a second, and by a connection to port 7 through
 * which a line goes as often.
 */
export const guestProgram = `#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
for module in ${kernelModules.join(' ')}; do
  xzcat /modules/$module.ko.xz > /module.ko && insmod /module.ko
done
ip link set lo up
ip link set eth0 up
if [ "$ADDRESS" = dhcp ]; then
  cat > /leased <<'END'
#!/bin/busybox sh
[ "$1" = bound ] || exit 0
for name in ip mask router serverid lease dns hostname; do
  eval "echo \\"${saidByGuest.lease}$name=\\$$name\\""
done
ip addr add $ip/$mask dev eth0
for gateway in $router; do
  ip route add $gateway dev eth0
  ip route add default via $gateway
done
END
  chmod 755 /leased
  udhcpc -q -n -t 10 -i eth0 -s /leased -O hostname
else
  ip addr add $ADDRESS dev eth0
  ip route add default via $GATEWAY
fi
nc -ll -p 7 -e cat &
echo "${saidByGuest.ready}"
while read word; do
  [ "$word" = ${begin} ] || continue
  ping -i 0.1 $PEER > /dev/null &
  (line=0; while :; do line=$((line + 1)); echo $line; usleep 100000; done) | nc $PEER 7 > /dev/null &
done
poweroff -f
`;
