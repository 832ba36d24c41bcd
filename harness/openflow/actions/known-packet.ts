import type { Match } from '../match/match.js';

export interface PacketKnowledge {
  readonly match: Match;
  /** How many VLAN tags there are for certain. */
  readonly tags: number;
}
