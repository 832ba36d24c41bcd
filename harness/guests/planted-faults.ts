/** What is done wrong on purpose, to see that it is found. */
export const guestFaults = {
  'word-lost': 'the control plane does not receive that the guest runs on the target',
  'delivered-twice': 'what the target gets the source gets as well',
  'wrong-lease': "the guest's lease is for an hour",
} as const;
export type GuestFault = keyof typeof guestFaults;
