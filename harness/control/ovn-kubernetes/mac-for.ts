/** The MAC address that ovn-kubernetes gives who has this address: 0a:58 and its four bytes. */
export function macFor(ip: string): string {
  const bytes = ip.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  return `0a:58:${bytes.join(':')}`;
}
