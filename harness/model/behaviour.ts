/** What versions of Open vSwitch do differently, by name. */

/** Where packets are switched. */
export type DatapathPlace = 'in ovs-vswitchd' | 'in the kernel';

/** `[3, 5]` is 3.5 of any patch level, switching in ovs-vswitchd where nothing is said. */
export type Version = readonly [major: number, minor: number, datapath?: DatapathPlace];

export interface Behaviour {
  /**
   * The kernel's has a tracker of its own (conntrack/protocols/kernel-tcp.ts), and gives tunnels
   * source ports and identifications by what only it knows: here they are all alike.
   */
  readonly datapath: DatapathPlace;
  /**
   * What of the packet at hand is there inside clone() and behind check_pkt_larger, beside the
   * packet itself.
   */
  readonly clonesKeep: 'stack and action set' | 'neither';
  /**
   * When clone() has a copy of its own in the datapath: where the datapath does what cannot be
   * taken back, or where the flow's own actions would. Without a copy, what a meter drops is gone
   * outside as well.
   */
  readonly clonesAreApart: 'where the datapath asks for it' | 'where an action asks for it';
  /** How often a packet may recirculate before the datapath drops it. */
  readonly recirculations: number;
  /** Whether mirrors get a packet once more after a flow has changed it. */
  readonly changedPackets: 'are mirrored again' | 'are not mirrored again';
  /** By the meters for packet-ins. */
  readonly pausedPackets: 'are metered' | 'are not metered';
  /** Whether packets whose IPv4 header has a wrong checksum can belong to connections. */
  readonly trackedIpChecksum: 'checked' | 'taken for right';
  readonly trackedSctp: 'by ports' | 'by addresses';
  /** What a switch does that is asked to flush a connection of ICMPv6 by its tuple. */
  readonly flushOfIcmp6: 'forgotten' | 'the switch ends';
  /** From reg0 on. */
  readonly registers: 16 | 32;
  /** Whether the identifiers of ICMP, or of both kinds of it, are translated as ports are. */
  readonly natOfIcmp: 'identifiers' | 'identifiers of both' | 'addresses alone';
  /** Whose helpers read packets of FTP and TFTP from other ports than their own. */
  readonly helpers: 'of flows and connections' | 'of flows alone';
  /** Whether EPRT and EPSV are read over IPv4. */
  readonly extendedFtp: 'over both' | 'over IPv6';
  /** Of TCP and UDP in packets that are translated. */
  readonly translatedChecksum: 'updated' | 'recomputed';
  /**
   * What answers to a translated connection are found as: of a connection of their own, neither
   * `force` nor a tuple to be forgotten meets the other.
   */
  readonly answersToTranslated: 'of it' | 'of their own';
  /**
   * Where answers to a translated connection would come, once it has ended: nothing else can come
   * there until Open vSwitch sweeps up.
   */
  readonly endedTranslations: 'are in the way' | 'are gone';
  /** What `persistent` does. */
  readonly persistentNat: 'by the source address' | 'nothing';
  /**
   * Local routes of a switch that does not see the system's: what a tunnel's source is looked for
   * in.
   */
  readonly localRoutes: 'none' | 'to networks' | 'to addresses';
  /** Whether UDP in IPv6 goes without a checksum where a tunnel's csum is false. */
  readonly ipv6UdpChecksums: 'always' | 'as asked';
  /** How long the answer of a tunnel's neighbour is waited for before it is asked for again. */
  readonly neighbourPatienceMs: number;
  /**
   * When the checksums of a tunnel's outer headers are written: a packet tracked before that is
   * invalid.
   */
  readonly tunnelChecksums: 'at once' | 'when it leaves';
  /**
   * Fragments that are read as packets are, where errors of ICMP quote them, or they could not be
   * put together.
   */
  readonly trackedFragments: 'none' | 'the first';
  /** Whether fragments other than the first have ct_tp_src and ct_tp_dst. */
  readonly laterFragments: 'without ports' | 'with the ports of their connection';
  /** What happens to fragments that have waited too long for others. */
  readonly expiredFragments: 'go on' | 'are dropped';
  /** What of a packet that is put together of fragments may have no more than 65,535 bytes. */
  readonly reassembledSize: 'with Ethernet' | 'IP alone';
  /** A report or done of MLD without the address that it is about. */
  readonly shortMld: 'may end the switch' | 'says nothing';
  /**
   * The buckets among which a `select` group shares out hashes once a change has inserted or
   * removed some.
   */
  readonly hashedBuckets: 'all' | 'those inserted';
  /** What the limit counts that is for zones without one of their own. */
  readonly defaultZoneLimit: 'each zone' | 'all of them together';
}

/** Where nothing else is asked for. */
export const newest: Version = [4, 0];

/** Before it, nobody has held the model to a switch. */
export const oldest: Version = [3, 1];

export function behaviourOf(version: Version): Behaviour {
  const isInKernel = version[2] === 'in the kernel';
  return {
    datapath: version[2] ?? 'in ovs-vswitchd',
    // Since 3.2 the translation's state is put aside there, not copied (ofproto-dpif-xlate.c,
    // xretain_state_save).
    clonesKeep: isBefore(version, [3, 2]) ? 'stack and action set' : 'neither',
    // Since 4.0 the datapath's actions decide, not the flow's (ofproto-dpif-xlate.c,
    // odp_actions_are_reversible).
    clonesAreApart: isBefore(version, [4, 0])
      ? 'where an action asks for it'
      : 'where the datapath asks for it',
    // (ofproto-dpif-xlate.c, reset_mirror_ctx)
    changedPackets: isBefore(version, [3, 2]) ? 'are not mirrored again' : 'are mirrored again',
    // (lib/dpif-netdev.c, MAX_RECIRC_DEPTH)
    recirculations: isBefore(version, [3, 3]) ? 6 : 8,
    // (ofproto-dpif-xlate.c, put_controller_user_action)
    pausedPackets: isBefore(version, [3, 4]) ? 'are not metered' : 'are metered',
    // From 3.2 on reading the packet marked it as one that the network card checks (lib/flow.c,
    // dp_packet_hwol_set_tx_ipv4), until 3.6.
    // Linux does not verify it.
    trackedIpChecksum:
      !isInKernel && (isBefore(version, [3, 2]) || !isBefore(version, [3, 6]))
        ? 'checked'
        : 'taken for right',
    // (lib/conntrack.c, extract_l4_sctp)
    trackedSctp: isBefore(version, [3, 2]) ? 'by addresses' : 'by ports',
    // Types of ICMP are looked for, and others stop it (lib/conntrack.c, tuple_to_conn_key,
    // reverse_icmp_type).
    flushOfIcmp6: isBefore(version, [3, 2]) ? 'the switch ends' : 'forgotten',
    registers: isBefore(version, [3, 7]) ? 16 : 32,
    // (lib/conntrack.c, nat_get_unique_tuple, pat_packet)
    natOfIcmp: isInKernel
      ? 'identifiers of both'
      : isBefore(version, [4, 0])
        ? 'addresses alone'
        : 'identifiers',
    // (lib/conntrack.c, get_alg_ctl_type, detect_ftp_ctl_type)
    helpers: isBefore(version, [3, 3]) ? 'of flows alone' : 'of flows and connections',
    extendedFtp: isBefore(version, [4, 0]) ? 'over IPv6' : 'over both',
    // (lib/packets.c, packet_set_ipv6_addr, packet_udp_complete_csum)
    translatedChecksum: isInKernel || isBefore(version, [3, 6]) ? 'updated' : 'recomputed',
    // (lib/conntrack.c, CT_CONN_TYPE_UN_NAT)
    answersToTranslated: isBefore(version, [3, 3]) ? 'of their own' : 'of it',
    // That connection of its own never expired (lib/conntrack.c, conn_expired).
    endedTranslations: isBefore(version, [3, 3]) ? 'are in the way' : 'are gone',
    // (lib/conntrack.c, nat_range_hash)
    persistentNat: isBefore(version, [3, 4]) ? 'nothing' : 'by the source address',
    // (lib/netdev-dummy.c, netdev_dummy_ip4addr)
    localRoutes: isBefore(version, [3, 4])
      ? 'none'
      : isBefore(version, [3, 7])
        ? 'to networks'
        : 'to addresses',
    // (ofproto/tunnel.c, tnl_port_send)
    ipv6UdpChecksums: isBefore(version, [3, 4]) ? 'always' : 'as asked',
    // (lib/tnl-neigh-cache.c, NEIGH_ENTRY_LOOKUP_RETRANS_TIME)
    neighbourPatienceMs: isBefore(version, [4, 0]) ? 0 : 1000,
    // (lib/netdev-native-tnl.c, netdev_tnl_push_udp_header)
    tunnelChecksums:
      isBefore(version, [3, 2]) || !isBefore(version, [3, 6]) ? 'at once' : 'when it leaves',
    // (lib/conntrack.c, extract_l3_ipv4)
    trackedFragments: isBefore(version, [3, 6]) ? 'none' : 'the first',
    // (lib/flow.c, miniflow_extract)
    laterFragments: isBefore(version, [3, 2])
      ? 'without ports'
      : 'with the ports of their connection',
    // (lib/ipf.c, ipf_delete_expired_frags, ipf_reassemble_v4_frags)
    expiredFragments: isBefore(version, [3, 6]) ? 'go on' : 'are dropped',
    reassembledSize: isBefore(version, [3, 5]) ? 'IP alone' : 'with Ethernet',
    // Some releases of what is before 3.6 know better (lib/mcast-snooping.c,
    // mcast_snooping_add_mld).
    shortMld: isBefore(version, [3, 6]) ? 'may end the switch' : 'says nothing',
    // Some releases of what is before 3.6 do as well (ofproto/ofproto.c, modify_group_start;
    // ofproto-dpif.c, group_construct).
    hashedBuckets: isBefore(version, [3, 6]) ? 'those inserted' : 'all',
    // (lib/conntrack.c, zone_limit_lookup_or_default)
    defaultZoneLimit: isBefore(version, [3, 5]) ? 'all of them together' : 'each zone',
  };
}

/** `3.5.0` as ovs-vswitchd prints its version. Undefined for another text. */
export function parseVersion(text: string): Version | undefined {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(text) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor)];
}

/**
 * What running programs report, by program: of a testbed that switches in the kernel, `linux` as
 * well. Undefined where it is not Open vSwitch, or says nothing that can be read.
 */
export function versionOf(reported: Readonly<Record<string, string>>): Version | undefined {
  const version = parseVersion(reported['ovs-vswitchd'] ?? '');
  if (version === undefined || reported['linux'] === undefined) return version;
  return [version[0], version[1], 'in the kernel'];
}

/** Whether `version` is older than `than`. */
export function isBefore([major, minor]: Version, [thanMajor, thanMinor]: Version): boolean {
  return major < thanMajor || (major === thanMajor && minor < thanMinor);
}
