/**
 * What the kernel of a world has, by the names of its Kconfig. Everything that is not here, and
 * that nothing here depends on, is left out. No source of random numbers of the machine
 * (HW_RANDOM, UML_RANDOM) may be among them: two runs would differ.
 */
const options = [
  // An ordinary process of 64 bits, whose clock jumps to what it waits for.
  '64BIT',
  'UML_TIME_TRAVEL_SUPPORT',
  'STDERR_CONSOLE',
  // The console is a file of the machine: without this nothing that it shows goes anywhere.
  'NULL_CHAN',
  'HIGH_RES_TIMERS',
  'PRINTK',
  'PRINTK_TIME',
  'BUG',
  'CC_OPTIMIZE_FOR_PERFORMANCE',
  // Programs of the machine, through its folders.
  'HOSTFS',
  'BINFMT_ELF',
  'BINFMT_SCRIPT',
  'MULTIUSER',
  'SYSVIPC',
  'POSIX_MQUEUE',
  'UNIX98_PTYS',
  'DEVTMPFS',
  'PROC_FS',
  'PROC_SYSCTL',
  'SYSFS',
  'TMPFS',
  'INOTIFY_USER',
  'FILE_LOCKING',
  'NAMESPACES',
  'UTS_NS',
  'IPC_NS',
  'USER_NS',
  'PID_NS',
  'NET_NS',
  // Networks: hosts, links, tunnels.
  'NET',
  'INET',
  'IPV6',
  'PACKET',
  'UNIX',
  'IP_ADVANCED_ROUTER',
  'IP_MULTIPLE_TABLES',
  'IP_SCTP',
  'NETDEVICES',
  'NET_CORE',
  'DUMMY',
  'BRIDGE',
  'VETH',
  'TUN',
  'VXLAN',
  'GENEVE',
  'NET_IPGRE_DEMUX',
  'NET_IPGRE',
  // Connections and filters.
  'NETFILTER',
  'NETFILTER_ADVANCED',
  'NF_CONNTRACK',
  'NF_CONNTRACK_ZONES',
  'NF_CONNTRACK_MARK',
  'NF_CONNTRACK_LABELS',
  'NF_CONNTRACK_TIMEOUT',
  'NF_CT_NETLINK',
  'NF_CT_PROTO_SCTP',
  'NF_NAT',
  'NF_TABLES',
  'NF_TABLES_INET',
  'NF_TABLES_IPV4',
  'NF_TABLES_IPV6',
  'NFT_CT',
  'NFT_NAT',
  'NFT_MASQ',
  'NFT_NUMGEN',
  'NFT_REDIR',
  'NFT_REJECT',
  'NFT_FIB_IPV4',
  'NFT_FIB_IPV6',
  'NFT_FIB_INET',
  // The datapath of Open vSwitch.
  'OPENVSWITCH',
  'OPENVSWITCH_GENEVE',
  'OPENVSWITCH_GRE',
  'OPENVSWITCH_VXLAN',
  // Links with delay, loss and rate.
  'NET_SCHED',
  'NET_SCH_NETEM',
  'NET_SCH_TBF',
  'NET_SCH_HTB',
] as const;

/** The names that the finished configuration must hold, as `CONFIG_NAME=y`. */
export const wantedOptions: readonly string[] = options.map((option) => `CONFIG_${option}=y`);

/** As a file for KCONFIG_ALLCONFIG of `make allnoconfig`. */
export const kernelConfig = `${wantedOptions.join('\n')}\n`;
